// SPDX-License-Identifier: Apache-2.0

public import CBOR
public import Cryptography

/// A message with one signature (COSE_Sign1, RFC 9052, section 4.2).
public struct COSESign1: Sendable, Hashable {
    /// The tag of such a message (RFC 9052, section 2).
    public static let tag: UInt64 = 18

    /// Labels of headers (RFC 9052, section 3.1).
    public enum Label {
        /// The algorithm of the signature.
        public static let algorithm: Int64 = 1
        /// The name of the key.
        public static let keyID: Int64 = 4
    }

    /// The algorithm ES256: ECDSA on P-256 with SHA-256 (RFC 9053, section 2.1).
    public static let es256: Int64 = -7

    /// The headers that are signed.
    public let protectedHeader: CBOR.Map
    /// The headers that are not signed.
    public let unprotectedHeader: CBOR.Map
    /// The content.
    public let payload: [UInt8]
    /// The signature; for ES256 two numbers of 32 bytes.
    public let signature: [UInt8]

    /// Reads a message with its tag. Throws `malformed` unless it is one with a content, and its signed headers are deterministic
    /// CBOR. Verifies nothing.
    public init(_ value: CBOR) throws(EvidenceError) {
        guard case .tagged(Self.tag, let content) = value else { throw EvidenceError(.malformed, "no tag 18") }
        guard let parts = content.array, parts.count == 4, let headers = parts[0].bytes, let unprotected = parts[1].map,
            let payload = parts[2].bytes, let signature = parts[3].bytes
        else { throw EvidenceError(.malformed, "not four parts") }
        if headers.isEmpty {
            protectedHeader = CBOR.Map()
        } else {
            guard let map = (try? CBOR(decoding: headers))?.map else { throw EvidenceError(.malformed, "signed headers") }
            protectedHeader = map
        }
        unprotectedHeader = unprotected
        self.payload = payload
        self.signature = signature
    }

    /// Makes a message. `sign` gets the SHA-256 digest of what is to be signed, and returns the two numbers of the signature, 32
    /// bytes each. Throws only what `sign` throws.
    public init<Failure: Error>(
        protectedHeader: CBOR.Map, payload: [UInt8], externalData: [UInt8] = [],
        sign: (_ digest: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        self.protectedHeader = protectedHeader
        unprotectedHeader = CBOR.Map()
        self.payload = payload
        let signed = Self.toBeSigned(protectedHeader: protectedHeader, payload: payload, externalData: externalData)
        signature = try sign(SHA256.digest(of: signed))
    }

    /// The message with its tag. Cannot fail.
    public var cbor: CBOR {
        .tagged(
            Self.tag,
            .array([
                .bytes(Self.encoded(protectedHeader)), .map(unprotectedHeader), .bytes(payload), .bytes(signature),
            ]))
    }

    /// The bytes that the signature is over (`Sig_structure`, RFC 9052, section 4.4). `externalData` is what both sides know
    /// without sending it. Cannot fail.
    public func toBeSigned(externalData: [UInt8] = []) -> [UInt8] {
        Self.toBeSigned(protectedHeader: protectedHeader, payload: payload, externalData: externalData)
    }

    /// Returns whether the signature is one by `key` with ES256. Does not look at the headers: whoever calls has found the
    /// algorithm there.
    public func isValid(by key: P256.VerificationKey, externalData: [UInt8] = []) -> Bool {
        guard let signature = P256.RawSignature.der(signature) else { return false }
        return key.isValid(signature: signature, over: SHA256.digest(of: toBeSigned(externalData: externalData)))
    }

    private static func toBeSigned(protectedHeader: CBOR.Map, payload: [UInt8], externalData: [UInt8]) -> [UInt8] {
        CBOR.array([.text("Signature1"), .bytes(encoded(protectedHeader)), .bytes(externalData), .bytes(payload)]).encoded
    }

    /// No bytes for no headers, although some write an empty map (RFC 9052, section 3).
    private static func encoded(_ header: CBOR.Map) -> [UInt8] { header.entries.isEmpty ? [] : CBOR.map(header).encoded }
}
