// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import SystemCalls

/// Secrets that the operator's card has for one plugin and that are used once, such as the claim of its enrolment. They are no settings, which stay and are
/// shown: whoever takes the card's folder puts them into `data/handover/NAME`, for root alone, and before the plugin's next start they move into its
/// lasting folder.
extension Supervisor {
    func handoverFolder(_ plugin: String) -> String { "\(configuration.data)/handover/\(plugin)" }

    /// Moves them, for a plugin that does not run. Does nothing where there are none. Throws if one cannot be moved: without it the plugin would say that
    /// the card lacks it.
    func handOver(to process: ManagedProcess) throws {
        for name in try Handover.move(handoverFolder(process.name), to: stateFolder(process.name), user: process.user) {
            log.notice("\(name) is handed over", metadata: ["plugin": "\(process.name)"])
        }
    }
}

/// Moves small files from a folder of root's to another user's. What the other has is on the disk before what was there is overwritten; a cut in between
/// hands the same over again.
enum Handover {
    static let mostFiles = 8
    static let longestFile = 4_096

    /// Returns the names of what was moved, in order. Drafts (`.new`) are left. Throws for a file that is no ordinary one or too long, and if the disk
    /// fails; what was moved before is moved.
    static func move(_ from: String, to folder: String, user: UInt32?) throws(Folders.Failure) -> [String] {
        var moved: [String] = []
        for name in Folders.names(from).filter({ !$0.hasSuffix(".new") }).prefix(mostFiles) {
            let path = "\(from)/\(name)"
            let bytes: [UInt8]
            do throws(SystemError) { bytes = try WholeFile.read(path, limit: longestFile, [.ordinary, .noLink]) } catch {
                throw Folders.Failure(path, "cannot be handed over", error)
            }
            // With zeros in it, it was about to be overwritten: the other has it.
            if !bytes.isEmpty, !bytes.contains(0) {
                try Folders.giveLastingly("\(folder)/\(name)", bytes, to: user)
                moved.append(name)
            }
            try Folders.overwrite(path)
            try Folders.syncFolder(of: path)
        }
        return moved
    }
}

extension Folders {
    /// Writes a file for `user` alone, on the disk when this returns, in the place of one of that name.
    static func giveLastingly(_ path: String, _ bytes: [UInt8], to user: UInt32?) throws(Failure) {
        let draft = path + ".new"
        let descriptor = try writeNew(draft, bytes, mode: 0o600)
        defer { close(descriptor) }
        if geteuid() == 0, let user, fchown(descriptor, user, user) != 0 { throw Failure(draft, "cannot be given away") }
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw Failure(path, "cannot be stored") }
        try syncFolder(of: path)
    }
}
