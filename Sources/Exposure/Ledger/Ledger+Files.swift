// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// Files remembered at most: 15 days of hourly files from five places. Beyond it those remembered first go, and would be matched again, which
    /// changes nothing but costs time. Files with content in common count for less than one each. Our own bound.
    public static let maximumFiles = 2_048

    private enum Kind {
        static let signatures: UInt8 = 1
        static let content: UInt8 = 2
    }

    /// Whether a file with this SHA-256 of its signature list is remembered as matched; false for another length than 32 bytes. Throws
    /// ``LedgerFailure``.
    public func isMatched(signatureListDigest digest: [UInt8]) throws -> Bool {
        try row(.file, [Kind.signatures] + digest) != nil
    }

    /// Whether a file with this SHA-256 of its content is remembered as matched, whoever signed it; false for another length than 32 bytes. Throws
    /// ``LedgerFailure``.
    public func isMatched(contentDigest digest: [UInt8]) throws -> Bool { try row(.file, [Kind.content] + digest) != nil }

    /// The note that was remembered with the file of this SHA-256 of its signature list, 1 to ``maximumFileNoteByteCount`` bytes; `nil` if the file
    /// is not remembered, or its note was empty. Throws ``LedgerFailure``.
    public func noteOfFile(signatureListDigest digest: [UInt8]) throws -> [UInt8]? {
        guard let content = try row(.file, [Kind.signatures] + digest), content.count > MemoryLayout<UInt32>.size else {
            return nil
        }
        return Array(content.dropFirst(MemoryLayout<UInt32>.size))
    }

    /// Whether the row is that of a content, of which each file has one.
    static func isContent(_ row: Row) -> Bool { row.name.first == Kind.content }

    static func isFile(_ row: Row, before day: UInt32) -> Bool {
        var reader = LedgerReader(row.content)
        return reader.integer(UInt32.self).map { $0 < day } ?? true
    }

    func forgetFiles(before day: UInt32) throws { try delete(.file) { Self.isFile($0, before: day) } }

    /// Most bytes of a note about a file, inclusive. Our own bound.
    public static let maximumFileNoteByteCount = 256

    func remember(_ signatures: [UInt8], _ content: [UInt8], day: UInt32, note: [UInt8]) throws {
        guard signatures.count == 32, content.count == 32 else { throw LedgerFailure(.invalid, "a digest's length") }
        guard note.count <= Self.maximumFileNoteByteCount else { throw LedgerFailure(.invalid, "a note's length") }
        var writer = LedgerWriter()
        writer.write(day)
        try put(.file, [Kind.signatures] + signatures, writer.bytes + note)
        try put(.file, [Kind.content] + content, writer.bytes)
        try trim(.file, to: 2 * Self.maximumFiles)
    }
}

extension LedgerTransaction {
    /// Remembers a file as matched on the UTC day `day` (since 1970); both digests have 32 bytes. The day and note of a file that is remembered
    /// already are replaced. ``Ledger/forget(before:)`` forgets it.
    ///
    /// - Parameter note: Anything of at most ``Ledger/maximumFileNoteByteCount`` bytes, for ``Ledger/noteOfFile(signatureListDigest:)``.
    /// - Throws: ``LedgerFailure``: `invalid` for digests of another length and for longer notes, or what the disk refuses.
    public func rememberFile(
        signatureListDigest: [UInt8], contentDigest: [UInt8], day: UInt32, note: [UInt8] = []
    ) throws {
        try ledger.remember(signatureListDigest, contentDigest, day: day, note: note)
    }
}
