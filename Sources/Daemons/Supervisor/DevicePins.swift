// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What stood at the granted paths when they were first handed over: another device that stands there later is not what was granted.
///
/// `NAME` in the folder says for each path of the plugin what it was. A path whose grant is taken away is forgotten: granted again, it is looked at anew.
struct DevicePins {
    /// Beside the data; made when it is needed.
    let folder: String

    /// Keeps what is new, and refuses what has changed.
    ///
    /// - Throws: ``DeviceIdentity/Fault`` for a device that is another than was granted, ``Folders/Failure`` when it cannot be kept.
    func check(_ found: [(path: String, identity: DeviceIdentity)], of plugin: String) throws {
        var known = read(plugin)
        for (path, identity) in found {
            if let former = known[path], former != identity {
                throw DeviceIdentity.Fault(
                    path,
                    "is another device than was granted: it was \(former) and is \(identity). If that is meant, take the grant away and grant it again; otherwise mend the board"
                )
            }
            known[path] = identity
        }
        try keep(known, of: plugin)
    }

    /// Forgets the paths that are not granted any more.
    func forget(_ plugin: String, but granted: [String]) throws {
        try keep(read(plugin).filter { granted.contains($0.key) }, of: plugin)
    }

    private func read(_ plugin: String) -> [String: DeviceIdentity] {
        guard let bytes = Folders.read("\(folder)/\(plugin)", limit: 16_384) else { return [:] }
        var known: [String: DeviceIdentity] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: "\t", maxSplits: 1)
            if words.count == 2, let identity = DeviceIdentity(String(words[1])) { known[String(words[0])] = identity }
        }
        return known
    }

    private func keep(_ known: [String: DeviceIdentity], of plugin: String) throws {
        guard known != read(plugin) else { return }
        let path = "\(folder)/\(plugin)"
        if known.isEmpty {
            unlink(path)
            return
        }
        try Folders.makePath(folder, mode: 0o700)
        let text = known.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }.joined()
        try Folders.replaceLastingly(path, with: Array(text.utf8), mode: 0o600)
    }
}
