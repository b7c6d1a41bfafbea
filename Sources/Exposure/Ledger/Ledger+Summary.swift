// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The number of matches kept, one for each key, also of keys that were revoked later. Throws ``LedgerFailure``.
    public func matchCount() throws -> Int { try count(.match) }

    /// The number of files remembered as matched, by their contents: a file that came again under another signature counts once. Reads all rows of
    /// files after a change of them, and nothing otherwise. Throws ``LedgerFailure``.
    public func matchedFileCount() throws -> Int {
        if let fileCount { return fileCount }
        var found = 0
        try forEachRow(.file) { if Self.isContent($0) { found += 1 } }
        fileCount = found
        return found
    }

    /// Lets go of the file, so that it can be removed. From here on reading throws `damaged`, writing throws `readOnly`, and ``byteCount`` is 0.
    /// Cannot fail.
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
