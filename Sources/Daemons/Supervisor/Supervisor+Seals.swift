// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Logging
import SystemCalls

/// What plugins keep, and when it is forgotten. Each plugin gets a key of its own to seal its store with; and what it kept belongs to one life
/// of the core, from reset to reset: a wearer who erases the device erases that, too.
///
/// `seals/NAME` holds the key, `seals/NAME.life` to which life of the core the plugin's state belongs. Beside the data, or where `--keys`
/// points, on another partition: a copy of the one without the other opens nothing.
extension Supervisor {
    var sealFolder: String { configuration.keys.map { "\($0)-plugins" } ?? "\(configuration.data)/seals" }

    /// The name of this life of the core; `nil` until it has one. Written by the core at its first start after a reset.
    var life: [UInt8]? { Folders.read("\(coreData)/life", limit: 64) }

    /// The plugin's key, made at its first start.
    func seal(of plugin: String) throws -> [UInt8] { try PluginSeal.found(at: "\(sealFolder)/\(plugin)") }

    /// The core has started: what plugins kept from a life before goes, and what egress and the supervisor know of what they did. A plugin that runs is
    /// stopped for that, and starts again; egress, too.
    ///
    /// At the first start of a board the core names its life while plugins run already: now what they keep is told to belong to it. Of what
    /// belongs to no life nobody would know later that it is to go.
    func forgetFormerLife(at moment: Duration) {
        if let life {
            if let lastLife, lastLife != life {
                kept.forget()
                // It remembers who asked for what, in words that plugins chose.
                if let egress = processes["egress"], egress.isAlive {
                    egress.startsAgain = true
                    tellToStop(egress, at: moment)
                }
            }
            lastLife = life
            emptyConsoleFolder(of: life)
        }
        for process in plugins {
            if process.isAlive, isOfFormerLife(process.name) {
                process.startsAgain = true
                tellToStop(process, at: moment)
                continue
            }
            do throws(PluginMemoryFailure) { try forgetIfReset(process.name) } catch {
                log.error("\(error)", metadata: ["process": "\(process.name)"])
                // It does not start before that is mended.
                guard process.isAlive else { continue }
                process.startsAgain = true
                tellToStop(process, at: moment)
            }
        }
        // What is not installed any more.
        for name in Folders.names("\(configuration.data)/state") where processes[name] == nil {
            do throws(PluginMemoryFailure) { try forgetIfReset(name) } catch {
                log.error("\(error)", metadata: ["plugin": "\(name)"])
            }
        }
        takeBackSettings()
        noteChange()
    }

    /// The plugins, installed or not, that have something of a former life; `nil` while the core has no life to compare with.
    var formerLife: [String]? {
        guard life != nil else { return nil }
        let names = Set(plugins.map(\.name)).union(Folders.names("\(configuration.data)/state"))
        return names.filter { isOfFormerLife($0) || hasFormerSettings($0) }.sorted()
    }

    /// What the console was given in a former life, and has not fetched or not removed: a recording, for one. The mark lies in memory as the
    /// folder does, so it outlasts a supervisor that is killed, and not the folder.
    private func emptyConsoleFolder(of life: [UInt8]) {
        let folder = "\(configuration.run)/ctl"
        let known = Folders.read("\(folder).life", limit: 64)
        guard known != life else { return }
        do {
            if known != nil { try Folders.empty(folder) }
            try Folders.replace("\(folder).life", with: life, mode: 0o600)
        } catch { log.error("\(error)", metadata: ["while": "emptying the console's folder after a reset"]) }
    }

    /// Before a plugin starts, and after a reset: removes what it kept if that belongs to a former life, and notes to which it belongs from now
    /// on. Does nothing while the core has no life.
    ///
    /// - Throws: when something of it is left, or the note cannot be written. The plugin must not start then: with the old life in its state
    ///   it would go on as if nobody had been reset, and without the note the next reset would pass it by.
    func forgetIfReset(_ plugin: String) throws(PluginMemoryFailure) {
        guard let life else { return }
        let mark = "\(sealFolder)/\(plugin).life"
        let known = Folders.read(mark, limit: 64)
        guard known != life else { return }
        if known != nil {
            // What it said and wished for until it ended goes with what it kept.
            kept.forget()
            if let process = processes[plugin] {
                process.forgetFormerLife()
                process.startAt = firstRun(of: process, at: now)
                noteChange()
            }
            log.notice("the device was reset: what it kept is removed", metadata: ["plugin": "\(plugin)"])
            do {
                // The key first: what is left of the files then is of no use to anybody.
                try Folders.overwrite("\(sealFolder)/\(plugin)")
                // The copy that it reads; who is disabled or waits would have it until the machine ends.
                try Folders.overwrite("\(runFolder(plugin))/seal")
                try Folders.empty(stateFolder(plugin))
                try Folders.empty(spoolFolder(plugin))
                // The next one is encrypted by another key, which a folder gets once.
                try removeState(of: plugin)
            } catch { throw .notEmptied("\(error)", folder: stateFolder(plugin)) }
        }
        do { try Folders.replaceLastingly(mark, with: life, mode: 0o600) } catch { throw .notMarked("\(error)") }
    }

    private func isOfFormerLife(_ plugin: String) -> Bool {
        guard let life, let known = Folders.read("\(sealFolder)/\(plugin).life", limit: 64) else { return false }
        return known != life
    }
}

/// The key of a plugin, by which it seals what it keeps.
enum PluginSeal {
    /// The key in the file at `path`; a new one, stored lastingly, if there is no file, or one of another length, which is no key.
    ///
    /// Throws ``Folders/Failure`` if the file cannot be read now: what the plugin has sealed with the key would be lost with a new one.
    static func found(at path: String) throws(Folders.Failure) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try WholeFile.read(path, limit: SealedBox.keyByteCount, .ordinary)
            if bytes.count == SealedBox.keyByteCount { return bytes }
        } catch {
            // Longer than a key are the zeros of one that was being overwritten.
            guard [ENOENT, EFBIG].contains(error.number) else {
                throw Folders.Failure(
                    path, "cannot be read, and with another key what the plugin keeps would be lost; it does not start",
                    error)
            }
        }
        var random = SystemRandomNumberGenerator()
        let bytes = SecretBytes(count: SealedBox.keyByteCount, from: &random).withBytes { Array($0) }
        try Folders.replaceLastingly(path, with: bytes, mode: 0o600)
        return bytes
    }
}

/// Why a plugin may not start, because nobody can be sure that it forgot, or will forget, what it is to forget.
enum PluginMemoryFailure: Error, CustomStringConvertible {
    case notEmptied(String, folder: String)
    case notMarked(String)

    var description: String {
        switch self {
        case .notEmptied(let reason, let folder):
            "the device was reset, and what the plugin kept from before is not all gone: \(reason). It does not run with it: remove what is in \(folder), then restart the plugin"
        case .notMarked(let reason):
            "it cannot be noted that what the plugin keeps is to go at the next reset: \(reason). It does not run without: make room where the data lies, then restart the plugin"
        }
    }
}
