// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// Keys matched, whatever became of them.
    public func matchCount() throws -> Int { try count(.match) }

    /// Files whose matches are kept; each has two rows.
    public func matchedFileCount() throws -> Int { try count(.file) / 2 }

    /// Lets go of the file, so that it can be removed: nothing can be read or written from here on.
    public func close() {
        isWritable = false
        if let empty = try? LedgerDatabase(path: nil, vfs: nil, access: .readWrite) { database = empty }
    }
}

extension LedgerTransaction {
    /// Removes every match and what is remembered of files, so that the same files may be matched again.
    public func forgetAllMatches() throws {
        try ledger.delete(.match) { _ in true }
        try ledger.delete(.file) { _ in true }
    }
}
