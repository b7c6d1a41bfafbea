// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import GAEN
import JSON

/// The request that warns others at an exposure-notifications-server (exposure-notifications-server
/// `pkg/api/v1/exposure_types.go`, `Publish`).
public struct PublishRequest: Sendable {
    /// The keys to publish, 1 to ``maximumKeys``, which ``encoded(as:using:)`` checks. Secret until then.
    public var keys: [DiagnosisKey]
    /// The authority's name at that server, as the operator has set it; not checked.
    public var healthAuthority: String
    /// The verification server's certificate, a JWT that contains the code over the keys (`UploadProof`); not checked. A secret until it was used.
    public var certificate: String
    /// The secret that the code over the keys was made with.
    public var secret: SecretBytes
    /// The first interval of the day of onset; `nil` when it is not told. Not checked.
    public var symptomOnset: ENIN?
    /// Whether the person was in other regions: the keys are then also in every export that includes travellers.
    public var isTraveler: Bool
    /// The token that the server gave for the upload before this one; empty for the first. A secret.
    public var revisionToken: String

    /// The longest body that servers read, in bytes (ens 6; `internal/jsonutil/unmarshal.go`).
    public static let maximumBytes = 64_000
    /// The most keys of one request; more are refused (gaen-core 9, `internal/publish/config.go`).
    public static let maximumKeys = 30

    /// A request with these values, as they are; ``encoded(as:using:)`` checks them. `symptomOnset` is `nil` if no day is
    /// told.
    public init(
        keys: [DiagnosisKey], healthAuthority: String, certificate: String, secret: SecretBytes, symptomOnset: ENIN? = nil,
        isTraveler: Bool = false, revisionToken: String = ""
    ) {
        self.keys = keys
        self.healthAuthority = healthAuthority
        self.certificate = certificate
        self.secret = secret
        self.symptomOnset = symptomOnset
        self.isTraveler = isTraveler
        self.revisionToken = revisionToken
    }

    /// The code over the keys that the verification server is asked to certify: 32 bytes.
    /// - Throws: `CryptographyError` if HMAC cannot be computed.
    public func proof() throws(CryptographyError) -> [UInt8] { try UploadProof.code(for: keys, secret: secret) }

    /// The body as JSON, padded to exactly ``SubmissionShape/bytes`` bytes with random letters and digits. Of the values only the number of keys is
    /// checked.
    /// - Throws: ``DiagnosisPlanError/Code/noKeys``, ``DiagnosisPlanError/Code/tooManyKeys``, or ``DiagnosisPlanError/Code/doesNotFit`` if the body
    ///   is longer than that without padding.
    public func encoded(
        as shape: SubmissionShape = .standard, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> [UInt8] {
        guard !keys.isEmpty else { throw DiagnosisPlanError(.noKeys) }
        guard keys.count <= Self.maximumKeys else {
            throw DiagnosisPlanError(.tooManyKeys, "there are \(keys.count)")
        }
        var object: JSON.Object = [
            "temporaryExposureKeys": .array(keys.map(Self.json)),
            "healthAuthorityID": .string(healthAuthority),
            "verificationPayload": .string(certificate),
            "hmacKey": .string(secret.withBytes { Base64.string($0) }),
        ]
        if let symptomOnset { object["symptomOnsetInterval"] = .int(Int64(symptomOnset.number)) }
        if isTraveler { object["traveler"] = true }
        object["revisionToken"] = .string(revisionToken)
        object["padding"] = ""
        let count = JSON.object(object).bytes.count
        guard count <= shape.bytes else {
            throw DiagnosisPlanError(.doesNotFit, "\(count) of \(shape.bytes) bytes")
        }
        object["padding"] = .string(WirePadding.text(shape.bytes - count, using: &random))
        return JSON.object(object).bytes
    }

    static func json(_ key: DiagnosisKey) -> JSON {
        [
            "key": .string(Base64.string(key.data.bytes)),
            "rollingStartNumber": .int(Int64(key.rollingStart.number)),
            "rollingPeriod": .int(Int64(key.rollingPeriod)),
            "transmissionRisk": .int(Int64(key.transmissionRiskLevel)),
        ]
    }
}
