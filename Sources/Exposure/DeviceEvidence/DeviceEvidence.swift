// SPDX-License-Identifier: Apache-2.0

import CBOR
public import Cryptography

/// What a device says of itself to the issuer of donation tokens, and to nobody else: an Entity Attestation Token (RFC 9711) in a
/// CWT with COSE_Sign1 and ES256.
///
/// It has neither a boot seed nor an uptime nor a place: they would tell more about the wearer than about the device.
public struct DeviceEvidence: Sendable, Hashable {
    /// How well the device's key is kept.
    public enum Tier: Int, Sendable, Comparable, CaseIterable {
        /// In a file that the device made itself; whoever copies the card has the key.
        case software = 0
        /// In a secure element or another module that does not give it away.
        case keptByModule = 1
        /// In a TPM that also says what was started. The format has a place for it; nothing here checks the quote.
        case measured = 2

        /// Orders by how well the key is kept.
        public static func < (left: Tier, right: Tier) -> Bool { left.rawValue < right.rawValue }
    }

    /// The state of debugging (RFC 9711, section 4.2.9).
    public enum DebugStatus: Int, Sendable, CaseIterable {
        /// Somebody can look into the running device.
        case enabled = 0
        /// It is off now.
        case disabled = 1
        /// It is off, and was since the start.
        case disabledSinceBoot = 2
        /// It is off, and only the maker can switch it on.
        case disabledPermanently = 3
        /// It is off, and nobody can switch it on.
        case disabledFullyAndPermanently = 4
    }

    /// The profile of this form of evidence (claim 265): RFC 9711's one for constrained devices, with deterministic CBOR and all
    /// claims of this type required.
    public static let profile = "tag:vigil.invalid,2026:issuance-evidence/1"
    /// The tag of a CWT (RFC 8392, section 6).
    static let cwtTag: UInt64 = 61
    /// The length of a device's name in bytes: its type and 16 random bytes.
    public static let ueidByteCount = 17
    /// The length of a key's name in bytes.
    public static let keyIDByteCount = 8

    /// The time at which the evidence was made, in Unix seconds (claim 6).
    public var issuedAt: Int64
    /// What binds the evidence to one request, 8 to 64 bytes (claim 10); ours has 32 (``nonce(issuerNonce:requestDigest:)``).
    public var nonce: [UInt8]
    /// The device's name, 7 to 33 bytes (claim 256); ours is 01 and 16 random bytes from the provisioning.
    public var ueid: [UInt8]
    /// The kind of board (claim 259), any bytes.
    public var hardwareModel: [UInt8]
    /// The name of the software (claim 270).
    public var softwareName: String
    /// The version of the software (claim 271).
    public var softwareVersion: String
    /// Whether the boot loader has checked what it started (claim 262).
    public var bootWasVerified: Bool
    /// The state of debugging (claim 263).
    public var debugStatus: DebugStatus
    /// The profile that the evidence follows (claim 265).
    public var profile: String
    /// How well the key is kept (claim -70000, our own).
    public var tier: Tier

    /// Creates evidence of the profile of this type by software called `vigil`. Checks nothing: ``EvidenceCheck`` does.
    public init(
        issuedAt: Int64, nonce: [UInt8], ueid: [UInt8], hardwareModel: [UInt8], softwareVersion: String,
        bootWasVerified: Bool, debugStatus: DebugStatus, tier: Tier
    ) {
        self.issuedAt = issuedAt
        self.nonce = nonce
        self.ueid = ueid
        self.hardwareModel = hardwareModel
        softwareName = "vigil"
        self.softwareVersion = softwareVersion
        self.bootWasVerified = bootWasVerified
        self.debugStatus = debugStatus
        profile = Self.profile
        self.tier = tier
    }

    /// The nonce that binds evidence to a request, 32 bytes: SHA-256 of a label, the issuer's nonce and the SHA-256 of the
    /// request's body. Cannot fail.
    public static func nonce(issuerNonce: [UInt8], requestDigest: [UInt8]) -> [UInt8] {
        SHA256.digest(of: Array("vigil-issuance-v1".utf8) + issuerNonce + requestDigest)
    }

    /// The name of a device's key, 8 bytes: the beginning of the SHA-256 of its SubjectPublicKeyInfo. Cannot fail.
    public static func keyID(of key: P256.VerificationKey) -> [UInt8] {
        Array(SHA256.digest(of: key.subjectPublicKeyInfo).prefix(keyIDByteCount))
    }
}

// MARK: Claims

extension DeviceEvidence {
    /// Labels of claims (RFC 8392, RFC 9711; the negative ones are our own).
    enum Claim {
        static let issuedAt: Int64 = 6
        static let nonce: Int64 = 10
        static let ueid: Int64 = 256
        static let hardwareModel: Int64 = 259
        static let bootWasVerified: Int64 = 262
        static let debugStatus: Int64 = 263
        static let profile: Int64 = 265
        static let softwareName: Int64 = 270
        static let softwareVersion: Int64 = 271
        /// -70001 is kept for the quote of a TPM.
        static let tier: Int64 = -70_000
    }

    /// The claims, as they are signed. Cannot fail.
    public var payload: [UInt8] {
        var claims = CBOR.Map()
        claims[Claim.issuedAt] = CBOR(issuedAt)
        claims[Claim.nonce] = .bytes(nonce)
        claims[Claim.ueid] = .bytes(ueid)
        claims[Claim.hardwareModel] = .bytes(hardwareModel)
        claims[Claim.bootWasVerified] = .bool(bootWasVerified)
        claims[Claim.debugStatus] = CBOR(Int64(debugStatus.rawValue))
        claims[Claim.profile] = .text(profile)
        claims[Claim.softwareName] = .text(softwareName)
        claims[Claim.softwareVersion] = .array([.text(softwareVersion)])
        claims[Claim.tier] = CBOR(Int64(tier.rawValue))
        return CBOR.map(claims).encoded
    }

    /// Reads claims, from anywhere. Unknown ones are ignored. Throws `malformed` unless they are deterministic CBOR and all
    /// claims of this type are there in the right form.
    public init(payload bytes: [UInt8]) throws(EvidenceError) {
        let claims: CBOR.Map
        do throws(CBORError) {
            guard let map = try CBOR(decoding: bytes).map else { throw CBORError(.malformed, at: 0) }
            claims = map
        } catch { throw EvidenceError(.malformed, error.code.rawValue) }
        guard let issuedAt = claims[Claim.issuedAt]?.integer, let nonce = claims[Claim.nonce]?.bytes,
            let ueid = claims[Claim.ueid]?.bytes, let hardwareModel = claims[Claim.hardwareModel]?.bytes,
            let bootWasVerified = claims[Claim.bootWasVerified]?.bool,
            let debugStatus = claims[Claim.debugStatus]?.integer.flatMap(Int.init(exactly:)).flatMap(DebugStatus.init),
            let profile = claims[Claim.profile]?.text, let softwareName = claims[Claim.softwareName]?.text,
            let softwareVersion = claims[Claim.softwareVersion]?.array?.first?.text,
            let tier = claims[Claim.tier]?.integer.flatMap(Int.init(exactly:)).flatMap(Tier.init),
            (8...64).contains(nonce.count), (7...33).contains(ueid.count)
        else { throw EvidenceError(.malformed, "a claim is missing or has another form") }
        self.init(
            issuedAt: issuedAt, nonce: nonce, ueid: ueid, hardwareModel: hardwareModel, softwareVersion: softwareVersion,
            bootWasVerified: bootWasVerified, debugStatus: debugStatus, tier: tier)
        self.profile = profile
        self.softwareName = softwareName
    }
}

// MARK: Tokens

extension DeviceEvidence {
    /// The evidence signed by a key in this process, for tier 0. Throws what ``P256/SigningKey/sign(_:hash:)`` throws.
    public func token(signedBy key: P256.SigningKey) throws(CryptographyError) -> [UInt8] {
        try token(keyID: Self.keyID(of: key.verificationKey)) { (digest) throws(CryptographyError) in
            guard let signature = P256.RawSignature.raw(try key.sign(digest)) else {
                throw CryptographyError(.operationFailed)
            }
            return signature
        }
    }

    /// The evidence signed by a key that `sign` reaches, for example in a module: `sign` gets a SHA-256 digest and returns the
    /// two numbers of an ECDSA signature, 32 bytes each. `keyID` is ``keyID(of:)``. Throws only what `sign` throws.
    public func token<Failure: Error>(
        keyID: [UInt8], sign: (_ digest: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        var header = CBOR.Map()
        header[COSESign1.Label.algorithm] = CBOR(COSESign1.es256)
        header[COSESign1.Label.keyID] = .bytes(keyID)
        let message = try COSESign1(protectedHeader: header, payload: payload, sign: sign)
        return CBOR.tagged(Self.cwtTag, message.cbor).encoded
    }
}
