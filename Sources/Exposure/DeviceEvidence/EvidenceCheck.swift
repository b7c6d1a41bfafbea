// SPDX-License-Identifier: Apache-2.0

import CBOR
public import Cryptography

/// How an issuer checks the evidence that comes with a request.
///
/// The rules are looked at in the order of ``EvidenceError/Code``: what follows the signature is told only to who has the
/// device's key. Without it, a stranger who knows the key's name learns whether the device is known, and nothing more about it. A
/// value of one request; costs one verification of ECDSA at most.
public struct EvidenceCheck: Sendable {
    /// The most bytes of a token that are read; of our own choosing, tier 0 has about 250 and the quote of a TPM 900.
    public static let maximumByteCount = 4_096
    /// The difference in seconds between the device's clock and the issuer's that is allowed.
    public static let maximumSkew: Int64 = 300

    /// The nonces of the issuer with which the request may have been made.
    public let issuerNonces: [[UInt8]]
    /// The SHA-256 of the request's body, 32 bytes.
    public let requestDigest: [UInt8]
    /// The time, in Unix seconds.
    public let now: Int64
    /// The tiers that are accepted.
    public let tiers: Set<DeviceEvidence.Tier>

    /// Creates a check. Tier 2 is not accepted unless `tiers` says so, because nothing here verifies what a TPM says.
    public init(
        issuerNonce: [UInt8], requestDigest: [UInt8], now: Int64,
        tiers: Set<DeviceEvidence.Tier> = [.software, .keptByModule]
    ) {
        self.init(issuerNonces: [issuerNonce], requestDigest: requestDigest, now: now, tiers: tiers)
    }

    /// Creates a check for an issuer that does not remember which of its nonces it gave to whom. Each costs one SHA-256 at most, and none
    /// before the signature holds.
    public init(
        issuerNonces: [[UInt8]], requestDigest: [UInt8], now: Int64,
        tiers: Set<DeviceEvidence.Tier> = [.software, .keptByModule]
    ) {
        self.issuerNonces = issuerNonces
        self.requestDigest = requestDigest
        self.now = now
        self.tiers = tiers
    }

    /// Checks evidence, from anywhere. `device` gives the key with a name of 8 bytes (``DeviceEvidence/keyID(of:)``), or `nil` if
    /// no such device is known; it is called once at most.
    ///
    /// Throws ``EvidenceError`` with the first rule that is broken.
    public func evidence(
        in token: [UInt8], device: (_ keyID: [UInt8]) -> P256.VerificationKey?
    ) throws(EvidenceError) -> DeviceEvidence {
        let (message, keyID, evidence) = try parts(of: token)
        guard message.protectedHeader[COSESign1.Label.algorithm]?.integer == COSESign1.es256 else {
            throw EvidenceError(.unsupportedAlgorithm)
        }
        guard let key = device(keyID), DeviceEvidence.keyID(of: key) == keyID else { throw EvidenceError(.unknownDevice) }
        guard message.isValid(by: key) else { throw EvidenceError(.badSignature) }
        try checkFreshness(evidence)
        try checkPolicy(evidence)
        return evidence
    }

    /// Checks form, nonce and age of evidence, from anywhere, whoever has signed it: what an issuer asks of cover, too, so that cover is refused where evidence
    /// of every device would be. It proves nothing.
    ///
    /// Throws ``EvidenceError``: `malformed`, `nonceMismatch` or `stale`.
    public func checkFreshness(of token: [UInt8]) throws(EvidenceError) {
        try checkFreshness(parts(of: token).2)
    }

    private func checkFreshness(_ evidence: DeviceEvidence) throws(EvidenceError) {
        let isBound = issuerNonces.contains {
            evidence.nonce == DeviceEvidence.nonce(issuerNonce: $0, requestDigest: requestDigest)
        }
        guard isBound else { throw EvidenceError(.nonceMismatch) }
        let (difference, overflow) = now.subtractingReportingOverflow(evidence.issuedAt)
        guard !overflow, difference.magnitude <= Self.maximumSkew.magnitude else { throw EvidenceError(.stale) }
    }

    private func parts(of token: [UInt8]) throws(EvidenceError) -> (COSESign1, keyID: [UInt8], DeviceEvidence) {
        let value: CBOR
        do throws(CBORError) {
            value = try CBOR(decoding: token, maximumByteCount: Self.maximumByteCount)
        } catch { throw EvidenceError(.malformed, error.code.rawValue) }
        guard case .tagged(DeviceEvidence.cwtTag, let content) = value else { throw EvidenceError(.malformed, "no tag 61") }
        let message = try COSESign1(content)
        guard message.protectedHeader[COSESign1.Label.algorithm] != nil, message.protectedHeader.entries.count == 2,
            let keyID = message.protectedHeader[COSESign1.Label.keyID]?.bytes, message.unprotectedHeader.entries.isEmpty
        else { throw EvidenceError(.malformed, "headers") }
        return (message, keyID, try DeviceEvidence(payload: message.payload))
    }

    private func checkPolicy(_ evidence: DeviceEvidence) throws(EvidenceError) {
        guard evidence.profile == DeviceEvidence.profile else { throw EvidenceError(.policy, "another profile") }
        // 01: the rest of the name is random (RFC 9711, section 4.2.1).
        guard evidence.ueid.count == DeviceEvidence.ueidByteCount, evidence.ueid[0] == 1 else {
            throw EvidenceError(.policy, "the device's name is not random")
        }
        guard evidence.debugStatus != .enabled else { throw EvidenceError(.policy, "debugging is enabled") }
        guard tiers.contains(evidence.tier) else { throw EvidenceError(.policy, "tier \(evidence.tier.rawValue)") }
    }
}
