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
    /// The signatures, 1 to ``maximumSignatures``, each ASN.1 DER over ``digest``.
    public let signatures: [[UInt8]]

    /// SHA-256 of what is signed: a line that says what it is, and the document.
    public var digest: [UInt8] { Self.digest(of: document) }

    private static func digest(of document: [UInt8]) -> [UInt8] {
        SHA256.digest(of: Array("vigil fleet configuration 1\n".utf8) + document)
    }

    /// Signs a document with each of `keys`. Throws `malformedDocument` when the document is too long, or there is no key or too many, and what
    /// the library says when it cannot sign.
    public init(signing document: [UInt8], with keys: [P256.SigningKey]) throws {
        guard document.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "the configuration is larger than \(Self.maximumByteCount) bytes")
        }
        guard (1...Self.maximumSignatures).contains(keys.count) else {
            throw TrustError(.malformedDocument, "1 to \(Self.maximumSignatures) keys sign a configuration")
        }
        self.document = document
        signatures = try keys.map { try $0.sign(Self.digest(of: document)) }
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
        let signatures = written.compactMap { $0.string.flatMap(Base64.bytes) }
        guard (1...Self.maximumSignatures).contains(written.count), signatures.count == written.count,
            signatures.allSatisfy({ (1...Self.maximumSignatureByteCount).contains($0.count) })
        else {
            throw TrustError(
                .malformedDocument,
                "signatures is no list of 1 to \(Self.maximumSignatures) in Base64, of at most \(Self.maximumSignatureByteCount) bytes each"
            )
        }
        (self.document, self.signatures) = (document, signatures)
    }

    /// The file, which ends with a line feed. Cannot fail.
    public var file: [UInt8] {
        let written: JSON = [
            "format": .string(Self.fileFormat), "document": .string(Base64.string(document)),
            "signatures": .array(signatures.map { .string(Base64.string($0)) }),
        ]
        return written.bytes + [UInt8(ascii: "\n")]
    }

    /// Whether one of `keys` made one of the signatures.
    public func isSigned(byOneOf keys: [P256.VerificationKey]) -> Bool {
        let digest = digest
        return signatures.contains { signature in keys.contains { $0.isValid(signature: signature, over: digest) } }
    }

    /// Whether a key of the role *operator* in `trust` that is valid at `time` made one of the signatures. `time` is in Unix seconds; `nil`, when it is
    /// not known, limits no key.
    public func isSigned(by trust: TrustStore, at time: Int64?) -> Bool {
        isSigned(byOneOf: trust.keys(for: .operator, at: time).map(\.key))
    }
}
