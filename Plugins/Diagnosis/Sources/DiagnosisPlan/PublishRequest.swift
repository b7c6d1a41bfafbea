// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import GAEN
import JSON

/// The request that warns others through an exposure-notifications-server (exposure-notifications-server
/// `pkg/api/v1/exposure_types.go`, `Publish`).
public struct PublishRequest: Sendable {
    /// The keys to publish, 1 to ``maximumKeys``; ``encoded(as:using:)`` checks the number. Secret until they are
    /// published.
    public var keys: [DiagnosisKey]
    /// The authority's name on the key server, as the operator has set it; not checked.
    public var healthAuthority: String
    /// The verification server's certificate, a JWT that contains the code over the keys (`UploadProof`); not checked. A secret until it was used.
    public var certificate: String
    /// The secret of the code over the keys that the certificate contains.
    public var secret: SecretBytes
    /// The first interval of the day of onset; `nil` if the server is not told. Not checked.
    public var symptomOnset: ENIN?
    /// Whether the person was in other regions: then the keys are also in every export that includes travellers.
    public var isTraveler: Bool
    /// The token that the server gave for this device's previous upload; empty for the first upload. A secret.
    public var revisionToken: String

    /// The most bytes of a body that servers read: 64,000 (ens 6; `internal/jsonutil/unmarshal.go`).
    public static let maximumBytes = 64_000
    /// The most keys of one request: 30; servers refuse more (gaen-core 9, `internal/publish/config.go`).
    public static let maximumKeys = 30

    /// Creates a request of these values; ``encoded(as:using:)`` checks only the number of keys. `symptomOnset` is `nil` if
    /// the server is not told.
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

    /// Returns the code over the keys that the verification server is asked to certify: 32 bytes.
    /// - Throws: `CryptographyError` if HMAC cannot be computed.
    public func proof() throws(CryptographyError) -> [UInt8] { try UploadProof.code(for: keys, secret: secret) }

    /// Encodes the body as JSON, padded to exactly ``SubmissionShape/bytes`` bytes with random letters and digits. Only the
    /// number of keys is checked.
    /// - Throws: ``DiagnosisPlanError/Code/noKeys`` if there is no key; ``DiagnosisPlanError/Code/tooManyKeys`` if there
    ///   are more than ``maximumKeys``; ``DiagnosisPlanError/Code/doesNotFit`` if the body is longer than `shape` even
    ///   without padding.
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
