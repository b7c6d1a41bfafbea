// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The frames a key file's content travels in between two processes: a byte for the type, four for the length (little-endian), the
/// payload.
///
/// A stream is `hello`, `opening`, any number of `content`, `end`; or `hello`, perhaps some of these, `failure`. Nothing follows.
public enum KeyStreamFrame {
    /// Types as they stand in the first byte.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// Version and confinement, one byte each; before the sender looked at any foreign byte.
        case hello = 1
        /// Bytes of content to come (eight, little-endian), then the small companion of the content: export.sig.
        case opening = 2
        /// The next bytes of the content: export.bin.
        case content = 3
        /// All that was announced has come. No payload.
        case end = 4
        /// A ``KeyExportError``: there will be no more.
        case failure = 5
    }

    /// The one version of this protocol; sender and receiver are of the same release.
    public static let version: UInt8 = 1
    /// Length of a frame's head in bytes: one of type, four of length.
    public static let headByteCount = 5
    /// Most bytes of content in a frame; 64 KiB. Our own bound.
    public static let maximumContentBytes = 64 << 10
    /// Most bytes of the companion, inclusive, 64 KiB: the standard of ``ExportLimits/maximumSignatureBytes``. Our own
    /// bound.
    public static let maximumCompanionBytes = 64 << 10
    /// Most bytes a stream may announce, inclusive, 1 GiB. Room above what is allowed for key files, whose own limit
    /// says so in its own words. Our own bound.
    public static let maximumAnnouncedBytes: UInt64 = 1 << 30
    static let maximumDetailBytes = 200
    static let maximumCodeBytes = 40

    /// The head of a frame with `byteCount` bytes of payload, 5 bytes. The number must fit into 32 bits, which is not
    /// checked: what is beyond is lost.
    public static func head(_ kind: Kind, byteCount: Int) -> [UInt8] {
        [kind.rawValue] + little(UInt32(truncatingIfNeeded: byteCount))
    }

    /// The first frame of every stream: ``version`` and the confinement of the sender; 7 bytes. Cannot fail.
    public static func hello(_ confinement: Confinement) -> [UInt8] {
        head(.hello, byteCount: 2) + [version, confinement.rawValue]
    }

    /// The frame that announces `contentByteCount` bytes of content, with the companion (export.sig); the caller keeps
    /// the limits of both, which are not checked. Cannot fail.
    public static func opening(contentByteCount: UInt64, companion: [UInt8]) -> [UInt8] {
        head(.opening, byteCount: 8 + companion.count) + little(contentByteCount) + companion
    }

    /// The last frame of a whole stream: a head without payload, 5 bytes.
    public static let end = head(.end, byteCount: 0)

    /// The last frame of a refused file: the error's code, its offset and its detail, which is cut after 200 bytes.
    public static func failure(_ error: KeyExportError) -> [UInt8] {
        let code = Array(error.code.rawValue.utf8.prefix(maximumCodeBytes))
        let detail = error.detail.utf8.prefix(maximumDetailBytes)
        let payload =
            [UInt8(code.count)] + code + [error.offset == nil ? 0 : 1] + little(error.offset ?? 0) + detail
        return head(.failure, byteCount: payload.count) + payload
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
