// SPDX-License-Identifier: Apache-2.0

import Ledger

extension AuditVerdict {
    /// Whether every entry that should be there is, unchanged.
    var isIntact: Bool { firstBroken == nil }
}
