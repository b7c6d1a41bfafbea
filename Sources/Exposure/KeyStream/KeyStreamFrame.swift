// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The frames that carry a key file's content between two processes: a byte for the type, four for the length
/// (little-endian), and the payload.
///
/// A stream is `hello`, `opening`, any number of `content`, `end`. Instead of any frame after `hello` a `failure` may
/// come. Nothing follows `end` or `failure`.
public enum KeyStreamFrame {
    /// The types of frames; the raw value is their first byte.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// Version and confinement, one byte each; sent before the sender has read any foreign byte.
        case hello = 1
        /// The number of bytes of content to come (eight bytes, little-endian), followed by the small companion of
        /// the content: export.sig.
        case opening = 2
        /// The next bytes of the content: export.bin.
        case content = 3
        /// The end: everything that was announced has been sent. No payload.
        case end = 4
        /// A ``KeyExportError``, after which nothing more is sent.
        case failure = 5
    }

    /// The only version of this protocol; sender and receiver are of the same release.
    public static let version: UInt8 = 1
    /// The length of a frame's head in bytes: one of type, four of length.
    public static let headByteCount = 5
    /// The maximum number of bytes of content in a frame, 64 KiB. The number is this project's own.
    public static let maximumContentBytes = 64 << 10
    /// The maximum number of bytes of the companion, inclusive, 64 KiB: the default of
    /// ``ExportLimits/maximumSignatureBytes``. The number is this project's own.
    public static let maximumCompanionBytes = 64 << 10
    /// The maximum number of bytes that a stream may announce, inclusive, 1 GiB. It is above the limit for key files,
    /// so that a file that is too large is refused by that limit. The number is this project's own.
    public static let maximumAnnouncedBytes: UInt64 = 1 << 30
    static let maximumDetailBytes = 200
    static let maximumCodeBytes = 40

    /// Returns the head, 5 bytes, of a frame with `byteCount` bytes of payload. The number must fit into 32 bits,
    /// which is not checked: higher bits are lost.
    public static func head(_ kind: Kind, byteCount: Int) -> [UInt8] {
        [kind.rawValue] + little(UInt32(truncatingIfNeeded: byteCount))
    }

    /// Returns the first frame of every stream, 7 bytes, with ``version`` and the confinement of the sender. Cannot
    /// fail.
    public static func hello(_ confinement: Confinement) -> [UInt8] {
        head(.hello, byteCount: 2) + [version, confinement.rawValue]
    }

    /// Returns the frame that announces `contentByteCount` bytes of content and has the companion (export.sig). The
    /// limits of both are not checked. Cannot fail.
    public static func opening(contentByteCount: UInt64, companion: [UInt8]) -> [UInt8] {
        head(.opening, byteCount: 8 + companion.count) + little(contentByteCount) + companion
    }

    /// The last frame of a complete stream: a head without payload, 5 bytes.
    public static let end = head(.end, byteCount: 0)

    /// Returns the last frame of a refused file, with the error's code, its offset and the first 200 bytes of its
    /// detail. A receiver accepts only codes about the archive, from `unreadableFile` to `damagedArchive`; any
    /// other is `malformedFailure` to it.
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
