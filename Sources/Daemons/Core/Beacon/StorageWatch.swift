// SPDX-License-Identifier: Apache-2.0

import Logging
import Vault

/// Whether the disk takes what is to be kept; says so in the log once per change.
struct StorageWatch {
    /// Why nothing can be stored; `nil` while all can.
    private(set) var trouble: StorageFailure?
    private var reportedFindings = 0

    /// The disk has refused.
    mutating func failed(_ error: any Error, doing what: String, _ log: Logger) -> StorageFailure {
        let failure = error as? StorageFailure ?? StorageFailure(.failed, "\(error)")
        if trouble != failure { log.error("\(failure)", metadata: ["while": "\(what)"]) }
        trouble = failure
        return failure
    }

    /// Free space from which a disk that was full counts as one that takes new data: 1 MiB, our choice, most of a busy day's scans.
    private static let enoughRoom: UInt64 = 1 << 20
    /// The same for files: a disk is also full when it takes no further one. 16, our choice; a day needs two.
    private static let enoughFiles: UInt64 = 16

    /// The disk has taken something new, such as a scan; or it has written again what it had room for already, such as a slot, which a full
    /// disk does as well.
    enum Write { case new, inPlace }

    /// Something was written. A full disk is over when that was new, or there is `room`. `findings` is all that was ever found damaged, the oldest
    /// first.
    mutating func recovered(_ write: Write, room: StorageRoom?, findings: [Vault.Finding], _ log: Logger) {
        let hasRoom = room.map { $0.free >= Self.enoughRoom && $0.freeFiles ?? .max >= Self.enoughFiles } ?? false
        let isFullStill = trouble?.code == .full && write == .inPlace && !hasRoom
        if trouble != nil, !isFullStill {
            log.notice("the disk takes data again")
            trouble = nil
        }
        for finding in findings.dropFirst(reportedFindings) { log.warning("\(finding)") }
        reportedFindings = findings.count
    }
}
