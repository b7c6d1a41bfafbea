// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import GAEN
import JSON
import RandomValues

/// Servers in memory that speak another authority's way, with what a network does to them.
protocol ForeignServers {
    var way: WarningWay { get }
    /// What the test is entered with.
    var key: RegistrationKey { get }
    /// Warnings that were stored.
    var stored: Int { get }
    mutating func answer(_ request: ExchangeRequest, using random: inout SeededGenerator) -> TestRegistry.Outcome
}

/// Google's verification and key servers, by the rules of ens 2 to 6: code and token are spent before the answer leaves, and the same keys are taken
/// once.
struct ModelENS: ForeignServers {
    let way: WarningWay
    let key: RegistrationKey
    private var codes: Set<String>
    private var tokens: Set<String> = []
    private var certificates: [String: String] = [:]
    private var keys: Set<String> = []
    private(set) var stored = 0
    /// Of 100 requests so many are answered with a failure before anything is done.
    let failures: Int
    /// What was published: each attempt's body.
    private(set) var bodies: Set<[UInt8]> = []

    init(failures: Int, using random: inout SeededGenerator) throws {
        way = .ens(ENSAuthority(apiKey: "key", healthAuthority: "org.example"))
        let code = (0..<8).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        codes = [code]
        key = RegistrationKey(try ENSCode(typed: code))
        self.failures = failures
    }

    mutating func answer(_ request: ExchangeRequest, using random: inout SeededGenerator) -> TestRegistry.Outcome {
        func done(_ status: Int, _ json: JSON) -> TestRegistry.Outcome { .answered(status: status, body: json.bytes) }
        let body = try? JSON(parsing: request.body)
        let isPublish = request.path == "/v1/publish"
        if Int.random(in: 0..<100, using: &random) < failures {
            return isPublish && Bool.random(using: &random) ? done(400, ["code": "internal_error"]) : done(503, [:])
        }
        switch request.path {
        case "/api/verify":
            guard let code = body?["code"]?.string, codes.remove(code) != nil else {
                return done(400, ["errorCode": "code_invalid"])
            }
            let token = ServerToken(using: &random).text
            tokens.insert(token)
            return done(200, ["testtype": "confirmed", "symptomDate": "2026-11-20", "token": .string(token)])
        case "/api/certificate":
            guard let token = body?["token"]?.string, tokens.remove(token) != nil, let code = body?["ekeyhmac"]?.string
            else {
                return done(400, ["errorCode": "token_expired"])
            }
            let claims: JSON = ["exp": 2_000_000_000, "nbf": 0, "tekmac": .string(code), "reportType": "confirmed"]
            let certificate = "h.\(Base64.string(claims.bytes).filter { $0 != "=" }).\(token)"
            certificates[certificate] = code
            return done(200, ["certificate": .string(certificate)])
        default:
            bodies.insert(request.body)
            guard let certificate = body?["verificationPayload"]?.string, let code = certificates[certificate],
                let secret = body?["hmacKey"]?.string.flatMap({ Base64.bytes($0) }),
                let rows = body?["temporaryExposureKeys"]?.array
            else { return done(401, ["code": "health_authority_verification_certificate_invalid"]) }
            let text = rows.map { row in
                "\(row["key"]?.string ?? "").\(row["rollingStartNumber"]?.int ?? 0).\(row["rollingPeriod"]?.int ?? 0).0"
            }.sorted().joined(separator: ",")
            let found = try? HMACSHA256.code(for: Array(text.utf8), key: SecretBytes(copying: secret))
            guard found.map({ Base64.string($0) }) == code else {
                return done(401, ["code": "health_authority_verification_certificate_invalid"])
            }
            let sent = Set(rows.compactMap { $0["key"]?.string })
            guard keys.isDisjoint(with: sent) else { return done(400, ["code": "missing_revision_token"]) }
            keys.formUnion(sent)
            stored += 1
            return done(200, ["revisionToken": "dG9rZW4=", "insertedExposures": .int(Int64(sent.count))])
        }
    }
}

/// NHS COVID-19's, by the rules of rules-and-nhs 2 and 3: a code is exchanged twice, a token is good for one submission that is stored, and
/// submissions are answered with 200 whatever becomes of them.
struct ModelNHS: ForeignServers {
    let way: WarningWay
    let key: RegistrationKey
    private let code: String
    private let token: String
    private var exchanges = 0
    private var isSpent = false
    private(set) var stored = 0
    let failures: Int

    init(failures: Int, using random: inout SeededGenerator) throws {
        way = .nhs(
            NHSAccess(apiKey: "mobile:value", userAgent: "p=Android,o=29,v=4.36,b=300", country: "England", keys: [:]))
        let typed = try NHSCode(typed: "f3dz cfdt")
        code = typed.text
        key = RegistrationKey(typed)
        token = ServerToken(using: &random).text
        self.failures = failures
    }

    mutating func answer(_ request: ExchangeRequest, using random: inout SeededGenerator) -> TestRegistry.Outcome {
        if Int.random(in: 0..<100, using: &random) < failures { return .answered(status: 503, body: []) }
        let body = try? JSON(parsing: request.body)
        switch request.path {
        case NHSRequest.exchangePath:
            guard body?["ctaToken"]?.string == code else { return .answered(status: 404, body: []) }
            // The laboratory takes its time.
            if Int.random(in: 0..<4, using: &random) == 0 { return .answered(status: 204, body: []) }
            guard exchanges < 2 else { return .answered(status: 404, body: []) }
            exchanges += 1
            let answer: JSON = [
                "testEndDate": "2026-11-21T00:00:00Z", "testResult": "POSITIVE", "testKit": "LAB_RESULT",
                "diagnosisKeySubmissionSupported": true, "requiresConfirmatoryTest": false, "confirmatoryDayLimit": .null,
                "shouldOfferFollowUpTest": false, "diagnosisKeySubmissionToken": .string(token),
            ]
            return .answered(status: 200, body: answer.bytes)
        default:
            if body?["diagnosisKeySubmissionToken"]?.string == token, !isSpent {
                isSpent = true
                stored += 1
            }
            return .answered(status: 200, body: [])
        }
    }
}
