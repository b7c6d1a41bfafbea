// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// How many keys were matched, whatever became of them. Throws ``LedgerFailure``.
    public func matchCount() throws -> Int { try count(.match) }

    /// How many files are remembered as matched: different contents, so that a file that came again under another signature counts once. Reads all
    /// rows of files after a change of them, and nothing otherwise. Throws ``LedgerFailure``.
    public func matchedFileCount() throws -> Int {
        if let fileCount { return fileCount }
        var found = 0
        try forEachRow(.file) { if Self.isContent($0) { found += 1 } }
        fileCount = found
        return found
    }

    /// Lets go of the file, so that it can be removed: nothing can be read or written from here on. Cannot fail.
    public func close() {
        isWritable = false
        fileCount = nil
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
