// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// How many keys were matched, whatever became of them. Throws ``LedgerFailure``.
    public func matchCount() throws -> Int { try count(.match) }

    /// How many files are remembered as matched: half of their rows, since each has two. Throws ``LedgerFailure``.
    public func matchedFileCount() throws -> Int { try count(.file) / 2 }

    /// Lets go of the file, so that it can be removed: nothing can be read or written from here on. Cannot fail.
    public func close() {
        isWritable = false
        if let empty = try? LedgerDatabase(path: nil, vfs: nil, access: .readWrite) { database = empty }
    }
}

extension LedgerTransaction {
    /// Removes every match and the memory of all files, so that the same files may be matched again. Throws
    /// ``LedgerFailure``.
    public func forgetAllMatches() throws {
        try ledger.delete(.match) { _ in true }
        try ledger.delete(.file) { _ in true }
    }
}
