// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The maximum number of files remembered: 15 days of hourly files from five sources. Beyond it those remembered
    /// first are forgotten and would be matched again, which costs time but changes nothing. Files with the same
    /// content count for less than one each. The number is this project's own.
    public static let maximumFiles = 2_048

    private enum Kind {
        static let signatures: UInt8 = 1
        static let content: UInt8 = 2
    }

    /// Whether a file whose signature list has this SHA-256 is remembered as matched; `false` for a digest that does
    /// not have 32 bytes. Throws ``LedgerFailure`` when the database cannot be read.
    public func isMatched(signatureListDigest digest: [UInt8]) throws -> Bool {
        try row(.file, [Kind.signatures] + digest) != nil
    }

    /// Whether a file was remembered with this digest of its content; the core uses `VerifiedExport.contentMark`,
    /// which differs by the authorities that signed. Returns `false` for a digest that does not have 32 bytes.
    /// Throws ``LedgerFailure`` when the database cannot be read.
    public func isMatched(contentDigest digest: [UInt8]) throws -> Bool { try row(.file, [Kind.content] + digest) != nil }

    /// Returns the note that was stored with the file whose signature list has this SHA-256, 1 to
    /// ``maximumFileNoteByteCount`` bytes; `nil` if the file is not remembered or its note was empty. Throws
    /// ``LedgerFailure`` when the database cannot be read.
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

    /// The maximum size of a file's note in bytes, inclusive. The number is this project's own.
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
    /// Remembers a file as matched on the UTC day `day` (since 1970); both digests have 32 bytes, and are found
    /// again only by the same bytes. Replaces the day and the note of a file that is already remembered.
    /// ``Ledger/forget(before:)`` forgets the file.
    ///
    /// - Parameter note: Any bytes, at most ``Ledger/maximumFileNoteByteCount``, which
    ///   ``Ledger/noteOfFile(signatureListDigest:)`` returns.
    /// - Throws: ``LedgerFailure``: `invalid` for digests of another length and for longer notes, or what the disk
    ///   refuses.
    public func rememberFile(
        signatureListDigest: [UInt8], contentDigest: [UInt8], day: UInt32, note: [UInt8] = []
    ) throws {
        try ledger.remember(signatureListDigest, contentDigest, day: day, note: note)
    }
}
