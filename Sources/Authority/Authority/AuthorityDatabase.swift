// SPDX-License-Identifier: Apache-2.0

package import SQLiteFile

/// The authority's database, with its errors.
typealias AuthorityDatabase = SQLiteDatabase<AuthorityError>

extension AuthorityError: SQLiteFailure {
    /// Creates the authority's error for a fault of the database, with the fault's detail: `stateUnusable`, `stateTooNew`,
    /// `stateDamaged`, `inUse` or `full`. Cannot fail.
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
