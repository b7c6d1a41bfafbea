// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The identity derived from a venue's code (spec cwa-protocols 8.1). Every holder of the code can derive it, and
/// can read and write warnings of the venue with it. Published warnings have only its ``hash``.
public struct LocationID: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The length of an id in bytes: 32, that of SHA-256 (spec cwa-protocols 8.1).
    public static let byteCount = SHA256.byteCount

    /// The id, 32 bytes. Every holder of the id can read and write warnings of the venue.
    public let bytes: [UInt8]

    /// Creates an id that was stored or received; returns `nil` unless it has 32 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Derives the id of a code: the SHA-256 over `CWA-GUID` and the bytes of `QRCodePayload` exactly as received,
    /// any number of them. Cannot fail.
    public init(payload: [UInt8]) { bytes = SHA256.digest(of: Array("CWA-GUID".utf8) + payload) }

    /// The SHA-256 of the id, 32 bytes, by which warnings are found.
    public var hash: [UInt8] { SHA256.digest(of: bytes) }

    /// The AES-256 key for records of this venue, 32 bytes: the SHA-256 over `CWA-ENCRYPTION-KEY` and the id. Each
    /// access derives it anew.
    public var encryptionKey: SecretBytes { key("CWA-ENCRYPTION-KEY") }

    /// The HMAC-SHA256 key, 32 bytes, for the code which proves that a record was made by somebody who has the
    /// venue's code: the SHA-256 over `CWA-MAC-KEY` and the id. Each access derives it anew.
    public var codeKey: SecretBytes { key("CWA-MAC-KEY") }

    private func key(_ purpose: String) -> SecretBytes {
        SecretBytes(copying: SHA256.digest(of: Array(purpose.utf8) + bytes))
    }

    /// The name of the type, and nothing of the venue.
    public var description: String { "LocationID" }
    /// A mirror without children, so that `dump` shows nothing of the venue.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
