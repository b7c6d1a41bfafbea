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

    /// The disk has taken something. `findings` is all that was ever found damaged, the oldest first.
    mutating func recovered(findings: [Vault.Finding], _ log: Logger) {
        if trouble != nil { log.notice("the disk takes data again") }
        trouble = nil
        for finding in findings.dropFirst(reportedFindings) { log.warning("\(finding)") }
        reportedFindings = findings.count
    }
}
