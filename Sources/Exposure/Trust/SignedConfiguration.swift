// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON

/// A configuration of a fleet's boards with its signatures, as one file (docs/schemas/signed-configuration.schema.json). It
/// may travel any way: trust is in the signatures. The document is in Base64, because its exact bytes are signed.
public struct SignedConfiguration: Sendable, Hashable {
    /// The most bytes of a document, inclusive; 24 KiB, our own bound: the file fits a message between processes.
    public static let maximumByteCount = 24 << 10
    /// The most bytes of a file, inclusive; our own bound.
    public static let maximumFileByteCount = 40 << 10
    /// The most signatures of a file: of a key before it is replaced, and of its successor, with room. Our own bound.
    public static let maximumSignatures = 4
    /// A version is at most this much above the present time in Unix seconds: a day, for clocks that differ. So whatever a board has taken, the time of the day after
    /// is above it, and no slip shuts out all later versions. Our choice.
    public static let secondsAhead: Int64 = 86_400
    // ASN.1 DER of two numbers of 32 bytes has at most 72.
    private static let maximumSignatureByteCount = 80
    private static let fileFormat = "vigil-signed-configuration-1"

    /// The document (docs/schemas/fleet-configuration.schema.json), which is not read here.
    public let document: [UInt8]
    /// A signature, and by which key it is said to be made: so each is tried with one key only, whatever number a board trusts.
    public struct Signature: Sendable, Hashable {
        /// The first ``keyByteCount`` bytes of the SHA-256 of the key's SubjectPublicKeyInfo.
        public let key: [UInt8]
        /// The signature, ASN.1 DER over ``SignedConfiguration/digest``.
        public let bytes: [UInt8]

        /// Creates a signature of these parts, which are not checked.
        public init(key: [UInt8], bytes: [UInt8]) { (self.key, self.bytes) = (key, bytes) }
    }

    /// The bytes that name a key: 8, our choice. Two keys of a fleet with the same ones do no harm: both are tried.
    public static let keyByteCount = 8

    /// Returns the bytes that name a key.
    public static func name(of key: P256.VerificationKey) -> [UInt8] {
        Array(SHA256.digest(of: key.subjectPublicKeyInfo).prefix(keyByteCount))
    }

    /// The signatures, 1 to ``maximumSignatures``, each by another key.
    public let signatures: [Signature]

    /// SHA-256 of what is signed: a line that says what it is, and the document.
    public var digest: [UInt8] { Self.digest(of: document) }

    private static func digest(of document: [UInt8]) -> [UInt8] {
        SHA256.digest(of: Array("vigil fleet configuration 1\n".utf8) + document)
    }

    /// Signs a document with each of `keys`. Throws `malformedDocument` when the document is too long, or there is no key or too many, and what
    /// the library or a token says when it cannot sign.
    public init(signing document: [UInt8], with keys: [any P256Signer]) throws {
        guard document.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "the configuration is larger than \(Self.maximumByteCount) bytes")
        }
        guard (1...Self.maximumSignatures).contains(keys.count) else {
            throw TrustError(.malformedDocument, "1 to \(Self.maximumSignatures) keys sign a configuration")
        }
        self.document = document
        signatures = try keys.map { key in
            Signature(key: Self.name(of: key.verificationKey), bytes: try key.signature(of: Self.digest(of: document)))
        }
        guard Set(signatures.map(\.key)).count == keys.count else {
            throw TrustError(.malformedDocument, "each key signs a configuration once")
        }
    }

    /// Reads a file without judging the document or its signatures. Throws `malformedDocument` when the file has another form,
    /// or more bytes or signatures than allowed.
    public init(file bytes: [UInt8]) throws(TrustError) {
        guard bytes.count <= Self.maximumFileByteCount else {
            throw TrustError(.malformedDocument, "the file is larger than \(Self.maximumFileByteCount) bytes")
        }
        guard let object = (try? JSON(parsing: bytes, maximumDepth: 4))?.object,
            object["format"]?.string == Self.fileFormat,
            object.members.allSatisfy({ ["format", "document", "signatures"].contains($0.name) })
        else {
            throw TrustError(.malformedDocument, "the file is not JSON of the format \(Self.fileFormat)")
        }
        guard let document = object["document"]?.string.flatMap(Base64.bytes), document.count <= Self.maximumByteCount
        else {
            throw TrustError(.malformedDocument, "document is not Base64 of at most \(Self.maximumByteCount) bytes")
        }
        let written = object["signatures"]?.array ?? []
        let signatures = written.compactMap { entry -> Signature? in
            guard let members = entry.object?.members, members.count == 2,
                let key = entry["key"]?.string.flatMap({ Hex.bytes($0) }), key.count == Self.keyByteCount,
                let bytes = entry["signature"]?.string.flatMap(Base64.bytes),
                (1...Self.maximumSignatureByteCount).contains(bytes.count)
            else { return nil }
            return Signature(key: key, bytes: bytes)
        }
        guard (1...Self.maximumSignatures).contains(written.count), signatures.count == written.count else {
            throw TrustError(
                .malformedDocument,
                "signatures is no list of 1 to \(Self.maximumSignatures), each with key (\(2 * Self.keyByteCount) hexadecimal digits) and signature (Base64 of at most \(Self.maximumSignatureByteCount) bytes); sign it anew with this release's vigil-fleet"
            )
        }
        guard Set(signatures.map(\.key)).count == signatures.count else {
            throw TrustError(.malformedDocument, "two signatures name the same key")
        }
        (self.document, self.signatures) = (document, signatures)
    }

    /// The file, which ends with a line feed. Cannot fail.
    public var file: [UInt8] {
        let written: JSON = [
            "format": .string(Self.fileFormat), "document": .string(Base64.string(document)),
            "signatures": .array(
                signatures.map { ["key": .string(Hex.string($0.key)), "signature": .string(Base64.string($0.bytes))] }),
        ]
        return written.bytes + [UInt8(ascii: "\n")]
    }

    /// Whether one of `keys` made one of the signatures. Takes at most ``maximumSignatures`` verifications, and twice as many where keys share their name.
    public func isSigned(byOneOf keys: [P256.VerificationKey]) -> Bool {
        let digest = digest
        var left = 2 * Self.maximumSignatures
        for signature in signatures {
            for key in keys where Self.name(of: key) == signature.key {
                guard left > 0 else { return false }
                left -= 1
                if key.isValid(signature: signature.bytes, over: digest) { return true }
            }
        }
        return false
    }

    /// Whether a key of the role *operator* in `trust` that is valid at `time` made one of the signatures. `time` is in Unix seconds; `nil`, when it is
    /// not known, limits no key.
    public func isSigned(by trust: TrustStore, at time: Int64?) -> Bool {
        isSigned(byOneOf: trust.keys(for: .operator, at: time).map(\.key))
    }
}
