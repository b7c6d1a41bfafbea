// SPDX-License-Identifier: Apache-2.0

/// Remembers which files were matched, so that the same file costs nothing the second time.
///
/// Each file has two digests: that of its signature list, which is known before any key is read, and that of
/// export.bin, which also recognises the same content under another or a differently encoded signature. Only verified
/// files may be remembered: otherwise a broken file with a copied export.sig, offered first, would make the board
/// skip the real one.
public struct MatchedFiles: Sendable, Hashable {
    private var signatureLists: Set<[UInt8]>
    private var contents: Set<[UInt8]>

    /// Creates an empty memory, which recognises no file.
    public init() {
        signatureLists = []
        contents = []
    }

    /// Whether a file whose export.sig has this SHA-256, 32 bytes, is remembered as matched. If so, it need not be
    /// read.
    public func contains(signatureListDigest: [UInt8]) -> Bool { signatureLists.contains(signatureListDigest) }

    /// Whether a file whose export.bin has this SHA-256, 32 bytes, is remembered as matched. If so, its matches need
    /// not be kept.
    public func contains(contentDigest: [UInt8]) -> Bool { contents.contains(contentDigest) }

    /// Remembers a verified file by the SHA-256 digests of its export.sig and export.bin; their length of 32 bytes is
    /// not checked. The memory grows without limit and is meant for the files of one call.
    public mutating func insert(signatureListDigest: [UInt8], contentDigest: [UInt8]) {
        signatureLists.insert(signatureListDigest)
        contents.insert(contentDigest)
    }
}
