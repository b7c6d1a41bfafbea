// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandbox

/// What a plugin may have on the disk, kept by the kernel: each has a user of its own.
extension Supervisor {
    /// Sets the quota of a plugin that is about to be started to what is granted now, and remembers what became of it for the report. Its
    /// state folder's file system only: the spools have one of fixed size, in memory. Where both are on one, together.
    func limitDisk(of process: ManagedProcess) throws {
        guard process.kind == .plugin else { return }
        process.diskQuota = nil
        let folder = stateFolder(process.name)
        guard geteuid() == 0, let user = process.user else {
            process.diskQuota = Self.noDiskQuota("the supervisor is not root")
            return
        }
        let here = Self.device(of: folder)
        let quota = DiskQuota(for: quotas(of: process).filter { Self.device(of: $0.folder) == here }.map(\.quota))
        let part = quota.keep(for: user, on: folder)
        switch part.state {
        case .failed: throw SupervisorFailure("its disk quota does not hold: \(part.reason)")
        case .missing: process.diskQuota = Self.noDiskQuota(part.reason)
        default: process.diskQuota = part
        }
    }

    /// What is left without: it has to be known whether somebody could fill the disk unseen.
    private static func noDiskQuota(_ reason: String) -> Confinement {
        let rest =
            HiddenFiles.arePossible
            ? "what it has is measured, files without names too"
            : "what it has is measured by names; files without names nobody counts"
        return Confinement(primitive: .diskQuota, level: nil, state: .missing, reason: "\(reason): \(rest)")
    }

    private static func device(of folder: String) -> UInt64? {
        var status = stat()
        return stat(folder, &status) == 0 ? UInt64(status.st_dev) : nil
    }
}
