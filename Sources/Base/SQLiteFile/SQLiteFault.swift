// SPDX-License-Identifier: Apache-2.0

/// The reason why a database failed, in kinds that a caller can act on.
package struct SQLiteFault: Sendable {
    /// The kinds of failure, by their remedy: repair the disk, update the program, restore the file, try later, or free
    /// space.
    package enum Kind: Sendable {
        /// The file or its disk cannot be used, or SQLite failed in a way that has no other kind.
        case unusable
        /// A newer release has written the file.
        case tooNew
        /// The content of the file is not what this program writes, or a statement does not fit the tables in it.
        case damaged
        /// Another connection kept the file locked for more than a minute.
        case inUse
        /// No space is left on the disk or in the quota.
        case full
    }

    /// The kind of failure.
    package let kind: Kind
    /// The first 60 characters of the statement, or the path of the file, with the text of SQLite or the system for
    /// the error; never a value.
    package let detail: String

    /// Creates a fault of this kind; `detail` is for logs.
    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

/// The error type of a target that keeps a database, created from a fault of the database.
package protocol SQLiteFailure: Error {
    /// Translates the fault into an error of the target.
    init(_ fault: SQLiteFault)
}
