// SPDX-License-Identifier: Apache-2.0

public import BLS12381
public import Cryptography
public import JSON

/// The wearer's choice to have the places of visits to SwissCovid's venues hidden, and the key that hides them: a public one, and its counterpart under the wearer's
/// secret, which is nowhere.
public struct VisitHiding: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Whether places are hidden from now on. If not, those that were hidden before stay so.
    public var isOn: Bool
    /// The wearer's public key, 96 bytes.
    public let publicKey: [UInt8]
    private let salt: [UInt8]
    private let sealedKey: [UInt8]

    /// The lengths of a secret in bytes, as of one to sign in (docs/access.md).
    public static let secretByteCounts = 12...256
    /// Iterations of PBKDF2, as for secrets to sign in (docs/access.md).
    static let iterations: UInt32 = 100_000
    private static let saltByteCount = 16
    private static let context = Array("vigil hidden visits".utf8)

    /// Draws a key and puts it under `secret`. Takes as long as a sign-in. `random` must be cryptographically secure.
    /// - Throws: `DiaryError.unfitSecret` if the secret has fewer than 12 or more than 256 bytes; `DiaryError.cannotHide` if the cryptographic library fails.
    public init(secret: SecretBytes, using random: inout some RandomNumberGenerator) throws(DiaryError) {
        guard Self.secretByteCounts.contains(secret.count) else { throw DiaryError(.unfitSecret) }
        let key = Scalar.random(using: &random)
        salt = (0..<Self.saltByteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
        isOn = true
        do {
            publicKey = try MasterPublicKey(secret: key).bytes
            sealedKey = try SealedBox.seal(
                key.bytes, key: Self.derived(secret, salt), context: Self.context + publicKey, using: &random)
        } catch { throw DiaryError(.cannotHide) }
    }

    /// Opens the wearer's key with their secret. Takes as long as a sign-in.
    /// - Throws: `DiaryError.wrongSecret` if it is another secret; `DiaryError.cannotHide` if the cryptographic library fails.
    public func opened(by secret: SecretBytes) throws(DiaryError) -> Scalar {
        guard Self.secretByteCounts.contains(secret.count) else { throw DiaryError(.wrongSecret) }
        let derived: SecretBytes
        do { derived = try Self.derived(secret, salt) } catch { throw DiaryError(.cannotHide) }
        guard let bytes = SealedBox.open(sealedKey, key: derived, context: Self.context + publicKey),
            let key = try? Scalar(bytes)
        else { throw DiaryError(.wrongSecret) }
        return key
    }

    private static func derived(_ secret: SecretBytes, _ salt: [UInt8]) throws(CryptographyError) -> SecretBytes {
        try PBKDF2SHA256.derive(from: secret, salt: salt, iterations: iterations, count: SealedBox.keyByteCount)
    }

    /// The word `VisitHiding`, and nothing else.
    public var description: String { "VisitHiding" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    // MARK: On disk

    /// The choice as JSON, to be written to disk; ``init(_:)`` reads it.
    public var json: JSON {
        [
            "on": .bool(isOn), "publicKey": .string(Base64.string(publicKey)), "salt": .string(Base64.string(salt)),
            "sealedKey": .string(Base64.string(sealedKey)),
        ]
    }

    /// Reads a choice that ``json`` has produced. Returns `nil` if the JSON is none, or its public key is no key.
    public init?(_ json: JSON) {
        func bytes(_ name: String, _ count: Int) -> [UInt8]? {
            json[name]?.string.flatMap(Base64.bytes).flatMap { $0.count == count ? $0 : nil }
        }
        guard let isOn = json["on"]?.bool, let publicKey = bytes("publicKey", MasterPublicKey.byteCount),
            let salt = bytes("salt", Self.saltByteCount),
            let sealedKey = bytes("sealedKey", SealedBox.overhead + Scalar.byteCount)
        else { return nil }
        self.isOn = isOn
        self.publicKey = publicKey
        self.salt = salt
        self.sealedKey = sealedKey
    }
}
