// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// Returns the number of stored matches, one for each key, including keys that were revoked later. Throws
    /// ``LedgerFailure`` when the database cannot be read.
    public func matchCount() throws -> Int { try count(.match) }

    /// Returns the number of files remembered as matched, by their contents: a file that came again under another
    /// signature counts once. Reads all rows of files after one has changed, and otherwise none. Throws
    /// ``LedgerFailure`` when the database cannot be read.
    public func matchedFileCount() throws -> Int {
        if let fileCount { return fileCount }
        var found = 0
        try forEachRow(.file) { if Self.isContent($0) { found += 1 } }
        fileCount = found
        return found
    }

    /// Closes the file, so that it can be removed. From then on reading throws `damaged`, writing throws `readOnly`,
    /// and ``byteCount`` is 0. Cannot fail.
    public func close() {
        isWritable = false
        fileCount = nil
        if let empty = try? LedgerDatabase(path: nil, vfs: nil, access: .readWrite) { database = empty }
    }
}

extension LedgerTransaction {
    /// Removes every match and forgets all files, so that the same files can be matched again. Throws
    /// ``LedgerFailure`` when the disk refuses.
    public func forgetAllMatches() throws {
        try ledger.delete(.match) { _ in true }
        try ledger.delete(.file) { _ in true }
    }
}
