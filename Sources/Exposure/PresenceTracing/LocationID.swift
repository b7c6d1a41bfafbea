// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// What a venue's code comes to (spec cwa-protocols 8.1). Whoever has the code has this, and can read and write warnings of the venue with it;
/// published warnings carry ``hash`` only.
public struct LocationID: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// SHA-256, so 32 bytes.
    public static let byteCount = SHA256.byteCount

    public let bytes: [UInt8]

    /// `nil` unless there are 32 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The id of a code: SHA-256 over `CWA-GUID` and the bytes of `QRCodePayload` exactly as they were received.
    public init(payload: [UInt8]) { bytes = SHA256.digest(of: Array("CWA-GUID".utf8) + payload) }

    /// SHA-256 of the id: what warnings are found by.
    public var hash: [UInt8] { SHA256.digest(of: bytes) }

    /// Key of AES-256 for records of this venue.
    public var encryptionKey: SecretBytes { key("CWA-ENCRYPTION-KEY") }

    /// Key of the code that proves a record to be by somebody who has the venue's code.
    public var codeKey: SecretBytes { key("CWA-MAC-KEY") }

    private func key(_ purpose: String) -> SecretBytes {
        SecretBytes(copying: SHA256.digest(of: Array(purpose.utf8) + bytes))
    }

    /// Shows nothing of the venue.
    public var description: String { "LocationID" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
