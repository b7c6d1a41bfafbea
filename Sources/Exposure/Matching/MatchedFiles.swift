// SPDX-License-Identifier: Apache-2.0

/// Remembers which files were matched, so that the same file costs nothing the second time.
///
/// Two marks per file: its signature list, known before a byte of keys is read, and the content of export.bin, which also
/// recognises the same keys under another signature, or under the same one written differently. Only files that verified may be remembered: otherwise anybody could
/// have a file skipped by offering a broken one with the same export.sig first.
public struct MatchedFiles: Sendable, Hashable {
    private var signatureLists: Set<[UInt8]>
    private var contents: Set<[UInt8]>

    /// A memory of no files: nothing is recognised.
    public init() {
        signatureLists = []
        contents = []
    }

    /// Whether a file with this SHA-256 of export.sig, 32 bytes, was remembered as matched: it need not be read.
    public func contains(signatureListDigest: [UInt8]) -> Bool { signatureLists.contains(signatureListDigest) }

    /// Whether a file with this SHA-256 of export.bin, 32 bytes, was remembered as matched: its keys need not be kept.
    public func contains(contentDigest: [UInt8]) -> Bool { contents.contains(contentDigest) }

    /// Remembers a verified file by two SHA-256, of 32 bytes each, which is not checked. Grows without limit; for one call of files.
    public mutating func insert(signatureListDigest: [UInt8], contentDigest: [UInt8]) {
        signatureLists.insert(signatureListDigest)
        contents.insert(contentDigest)
    }
}
