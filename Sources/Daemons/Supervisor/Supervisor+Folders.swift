// SPDX-License-Identifier: Apache-2.0

import CLinux
import ForeignText
import Glibc
import JSON
import Logging
import PluginManifest

/// Where everything lies. Under `data`, what lasts: `core/`, `state/NAME/`, `handover/NAME/`. Under `run`, what does not: `ctl.sock`, `console/`,
/// `core/`, `ctl/`, `plugins/NAME/` (a plugin's sockets and settings), `spool/NAME/`, `supervisor.json`.
extension Supervisor {
    func runFolder(_ plugin: String) -> String { "\(configuration.run)/plugins/\(plugin)" }
    func stateFolder(_ plugin: String) -> String { "\(configuration.data)/state/\(plugin)" }
    func spoolFolder(_ plugin: String) -> String { "\(configuration.run)/spool/\(plugin)" }
    /// Tells this board's control groups from another's on the same machine, and is the same after a restart.
    var boardMark: String { String(TextMark.of(configuration.run.utf8), radix: 36) }

    var coreData: String { "\(configuration.data)/core" }
    var coreRun: String { "\(configuration.run)/core" }
    var keyFolder: String { configuration.keys ?? "\(coreData)/key" }

    /// Two supervisors in one run folder would take each other's sockets away.
    func lockRunFolder() throws {
        let path = "\(configuration.run)/supervisor.pid"
        lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard lock >= 0 else { throw Folders.Failure(path, "cannot be opened") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw SupervisorFailure(
                "another supervisor runs in \(configuration.run): stop it, or choose another run folder (--run)")
        }
        ftruncate(lock, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = write(lock, text, text.count)
    }

    func makeFolders() throws {
        let run = configuration.run
        try Folders.make("\(configuration.data)/state", mode: 0o711)
        try Folders.make(coreData, mode: 0o700, user: users.core)
        try Folders.make(keyFolder, mode: 0o700, user: users.core)
        try Folders.make(sealFolder, mode: 0o700)
        try Folders.make(coreRun, mode: 0o755, user: users.core)
        try Folders.make("\(run)/ctl", mode: 0o700, user: users.core)
        try Folders.make("\(run)/plugins", mode: 0o711)
        try Folders.make("\(run)/console", mode: 0o700)
        try Folders.make("\(run)/\(Self.wishesFolder)", mode: 0o700)
        try makeTechnicianFolders()
        try Folders.make("\(run)/spool", mode: 0o711)
        // Holds the spools, each a filesystem of its own (Supervisor+Spools.swift), and where those cannot be had their files: whoever fills it
        // takes nothing from the board.
        let result = vigil_mount_spool("\(run)/spool", UInt64(configuration.spoolByteCount))
        if result < 0, geteuid() == 0 {
            log.warning("the spools have no filesystem of their own: \(String(cString: strerror(-result)))")
        }
        // Sockets of a supervisor that was killed; nobody listens at them.
        Folders.tidy("\(run)/console") { _ in false }
        // Where people and tools look for it.
        unlink("\(run)/state.json")
        symlink("core/state.json", "\(run)/state.json")
    }

    /// A plugin's folders, and its settings in them.
    func prepareFolders(of process: ManagedProcess) throws {
        guard let effectiveGrants = process.effectiveGrants else { return }
        let run = runFolder(process.name)
        // Its sockets are its own, the folder is not: it cannot put anything there.
        try Folders.make(run, mode: 0o711)
        // Before the core is told of it. The size of one that is in use changes when its plugin starts anew.
        if !process.isAlive { try makeSpool(of: process) }
        try Folders.replace(
            "\(run)/settings.json", with: effectiveGrants.settings.bytes + [10], mode: geteuid() == 0 ? 0o400 : 0o600,
            user: process.user)
        try giveSeal(to: process)
    }

    /// Before each start: another one than before after a reset.
    func giveSeal(to process: ManagedProcess) throws {
        guard process.kind == .plugin else { return }
        try forgetIfReset(process.name)
        let seal = try seal(of: process.name)
        if !process.isAlive {
            try makeState(of: process, seal: seal)
            try handOver(to: process)
        }
        try Folders.replace(
            "\(runFolder(process.name))/seal", with: seal, mode: geteuid() == 0 ? 0o400 : 0o600,
            user: process.user)
    }
}
