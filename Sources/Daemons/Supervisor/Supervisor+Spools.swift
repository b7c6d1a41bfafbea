// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import PluginManifest
import Sandbox

/// What plugins put before the core. Each spool is a file system in memory of its own, as large as its quota: the kernel keeps it, whoever
/// lives how shortly, files without a name included; nobody takes another's room.
extension Supervisor {
    /// Makes the plugin's spool, or gives the one that is there the size and the rights of now. What lies in it stays.
    func makeSpool(of process: ManagedProcess) throws {
        guard let quotas = process.effectiveGrants?.quotas else { return }
        let path = spoolFolder(process.name)
        let spool = try SpoolFolder.make(at: path, byteCount: UInt64(clamping: quotas.spool), owner: nil)
        if case .plain(let reason) = spool.kind, geteuid() == 0 {
            log.warning(
                "its spool has no file system of its own, so it is only measured: \(reason)",
                metadata: ["process": "\(process.name)"])
        }
        try Folders.make(path, mode: 0o770, user: process.user, group: users.core)
        try Folders.share(path, with: users.core)
    }

    /// Before each start: no more than its quotas, whatever happened at its end; and the spool as large as is granted now.
    func readyFolders(of process: ManagedProcess) throws {
        guard process.kind == .plugin, let effectiveGrants = process.effectiveGrants else { return }
        process.lastQuotas = effectiveGrants.quotas
        trimFolders(of: process)
        try makeSpool(of: process)
    }

    /// What nobody will hand over any more goes: who may not run, or is left alone, keeps no memory.
    func tidySpool(of process: ManagedProcess) {
        guard process.kind == .plugin, !process.isAlive, process.effectiveGrants == nil || process.state == .quarantined
        else {
            return
        }
        do { try Folders.empty(spoolFolder(process.name)) } catch {
            log.error(
                "its spool is not emptied: \(error). Restart Vigil to have the memory back.",
                metadata: ["process": "\(process.name)"])
        }
    }

    /// Takes away the spool of what is not installed any more.
    func removeSpool(_ plugin: String) { SpoolFolder.remove(at: spoolFolder(plugin)) }

    /// Takes away all spools: what lies there is in memory, and there is nobody left to read it.
    func removeSpools() {
        for name in Folders.names("\(configuration.run)/spool") { removeSpool(name) }
        SpoolFolder.remove(at: "\(configuration.run)/spool")
    }

    /// After plugins and grants were read: as ``tidySpool(of:)`` and ``removeSpool(_:)`` for all, those that a former supervisor made included.
    func tidySpools() {
        for name in Folders.names("\(configuration.run)/spool") {
            if let process = processes[name] { tidySpool(of: process) } else { removeSpool(name) }
        }
        let total = plugins.reduce(0) { $0 + max(0, $1.effectiveGrants?.quotas.spool ?? 0) }
        if total > configuration.spoolByteCount {
            problems.append(
                "the spools of all plugins together may take \(total >> 20) MiB of memory, and \(configuration.spoolByteCount >> 20) are meant for them: grant less (quotas.spool), or change spool in vigil.json"
            )
        }
    }
}
