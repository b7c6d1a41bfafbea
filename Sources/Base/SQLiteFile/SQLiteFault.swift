// SPDX-License-Identifier: Apache-2.0

/// What a database could not do.
package struct SQLiteFault: Sendable {
    package enum Kind: Sendable {
        /// The file or the disk under it cannot be used.
        case unusable
        /// A newer release wrote it.
        case tooNew
        /// It is not what this program writes.
        case damaged
        /// Another connection did not finish in time.
        case inUse
        /// No space left.
        case full
    }

    package let kind: Kind
    /// Which statement, and SQLite's own words; never a value.
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

/// An error of somebody who keeps a database, made of what the database says.
package protocol SQLiteFailure: Error {
    init(_ fault: SQLiteFault)
}
