// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Logging

/// What plugins keep, and when it is forgotten. Each plugin gets a key of its own to seal its store with; and what it kept belongs to one life
/// of the core, from reset to reset: a wearer who erases the device erases that, too.
///
/// `seals/NAME` holds the key, `seals/NAME.life` to which life of the core the plugin's state belongs. Beside the data, or where `--keys`
/// points, on another partition: a copy of the one without the other opens nothing.
extension Supervisor {
    var sealFolder: String { configuration.keys.map { "\($0)-plugins" } ?? "\(configuration.data)/seals" }

    /// The name of this life of the core; `nil` until it has one. Written by the core at its first start after a reset.
    private var life: [UInt8]? { Folders.read("\(coreData)/life", limit: 64) }

    /// The plugin's key, made at its first start.
    func seal(of plugin: String) throws -> [UInt8] {
        let path = "\(sealFolder)/\(plugin)"
        if let bytes = Folders.read(path, limit: SealedBox.keyByteCount), bytes.count == SealedBox.keyByteCount {
            return bytes
        }
        var random = SystemRandomNumberGenerator()
        let bytes = SecretBytes(count: SealedBox.keyByteCount, from: &random).withBytes { Array($0) }
        try Folders.replace(path, with: bytes, mode: 0o600)
        try Folders.sync(sealFolder, file: plugin)
        return bytes
    }

    /// The core has started: what plugins kept from a life before goes. One that runs is stopped for that, and starts again.
    func forgetFormerLife(at moment: Duration) {
        for process in plugins where isOfFormerLife(process.name) {
            if process.isAlive {
                process.startsAgain = true
                tellToStop(process, at: moment)
            } else {
                forgetIfReset(process.name)
            }
        }
        // What is not installed any more.
        for name in Folders.names("\(configuration.data)/state") where processes[name] == nil { forgetIfReset(name) }
    }

    /// Before a plugin starts, and after a reset.
    func forgetIfReset(_ plugin: String) {
        guard let life else { return }
        let mark = "\(sealFolder)/\(plugin).life"
        do {
            if isOfFormerLife(plugin) {
                log.notice("the device was reset: what it kept is removed", metadata: ["plugin": "\(plugin)"])
                // The key first: what is left of the files then is of no use to anybody.
                try Folders.overwrite("\(sealFolder)/\(plugin)")
                try Folders.empty(stateFolder(plugin))
            } else if Folders.read(mark, limit: 64) != nil {
                return
            }
            try Folders.replace(mark, with: life, mode: 0o600)
            try Folders.sync(sealFolder, file: "\(plugin).life")
        } catch { log.error("what it kept is not removed: \(error)", metadata: ["plugin": "\(plugin)"]) }
    }

    private func isOfFormerLife(_ plugin: String) -> Bool {
        guard let life, let known = Folders.read("\(sealFolder)/\(plugin).life", limit: 64) else { return false }
        return known != life
    }
}
