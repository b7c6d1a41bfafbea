// SPDX-License-Identifier: Apache-2.0

package import SQLiteFile

/// The authority's database, with its errors.
typealias AuthorityDatabase = SQLiteDatabase<AuthorityError>

extension AuthorityError: SQLiteFailure {
    /// The fault in the authority's words: `stateUnusable`, `stateTooNew`, `stateDamaged`, `inUse` or `full`.
    package init(_ fault: SQLiteFault) {
        let code: Code =
            switch fault.kind {
            case .unusable: .stateUnusable
            case .tooNew: .stateTooNew
            case .damaged: .stateDamaged
            case .inUse: .inUse
            case .full: .full
            }
        self.init(code, fault.detail)
    }
}
