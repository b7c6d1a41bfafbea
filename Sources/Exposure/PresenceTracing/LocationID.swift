// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The identity that follows from a venue's code (spec cwa-protocols 8.1). Whoever has the code has this, and can read and
/// write warnings of the venue with it; published warnings carry ``hash`` only.
public struct LocationID: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Length of an id in bytes, 32: that of SHA-256 (spec cwa-protocols 8.1).
    public static let byteCount = SHA256.byteCount

    /// The id itself, 32 bytes. Whoever has it can read and write warnings of the venue.
    public let bytes: [UInt8]

    /// An id that was stored or received; `nil` unless it has 32 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The id of a code: SHA-256 over `CWA-GUID` and the bytes of `QRCodePayload` exactly as they were received, any number of them. Cannot fail.
    public init(payload: [UInt8]) { bytes = SHA256.digest(of: Array("CWA-GUID".utf8) + payload) }

    /// SHA-256 of the id, 32 bytes: what warnings are found by.
    public var hash: [UInt8] { SHA256.digest(of: bytes) }

    /// Key of AES-256 for records of this venue, 32 bytes: SHA-256 over `CWA-ENCRYPTION-KEY` and the id. Derived anew at each reading.
    public var encryptionKey: SecretBytes { key("CWA-ENCRYPTION-KEY") }

    /// Key of HMAC-SHA256, 32 bytes, for the code that proves a record to be by somebody who has the venue's code: SHA-256 over `CWA-MAC-KEY` and
    /// the id. Derived anew at each reading.
    public var codeKey: SecretBytes { key("CWA-MAC-KEY") }

    private func key(_ purpose: String) -> SecretBytes {
        SecretBytes(copying: SHA256.digest(of: Array(purpose.utf8) + bytes))
    }

    /// The name of the type, and nothing of the venue.
    public var description: String { "LocationID" }
    /// A mirror without children, so that `dump` shows nothing of the venue.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
