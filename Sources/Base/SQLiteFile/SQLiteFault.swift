// SPDX-License-Identifier: Apache-2.0

/// The reason why a database failed, in kinds that a caller can act on.
package struct SQLiteFault: Sendable {
    /// Kinds of failure, by the remedy: repair the disk, update, restore, try later, or free space.
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

    /// The kind of failure.
    package let kind: Kind
    /// Which statement, and SQLite's own words; never a value.
    package let detail: String

    /// A fault of that kind; `detail` is for logs.
    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

/// The error type of a target that keeps a database; made from what the database says.
package protocol SQLiteFailure: Error {
    /// Puts the fault into the target's own words.
    init(_ fault: SQLiteFault)
}
