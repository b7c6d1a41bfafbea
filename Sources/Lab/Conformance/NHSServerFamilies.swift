// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import FoundationEssentials
import VenueNotices

private func date(_ json: VectorValue) throws -> CivilDate? {
    guard let text = json.string else { return nil }
    return try require("date", CivilDate(isoText: text))
}

/// Submissions as the server takes them, and how long requests are.
enum NHSSubmissions: VectorFamily {
    static let name = "nhs_submission"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "keys": try keys(vector)
                case "rolling_start":
                    let isCurrent = NHSSubmission.isCurrent(
                        start: Int64(try require("start", vector["rollingStartNumber"].int)),
                        period: Int64(try require("period", vector["rollingPeriod"].int)), at: try now(vector))
                    try expect("valid", isCurrent, require("valid", vector["valid"].bool))
                case "padding_headers":
                    let lengths = NHSRequest.fillLengths(
                        bodyLength: try require("body", vector["bodyLength"].int),
                        drawn: try require("random", vector["random0to3999"].int))
                    try expect("lengths", lengths, vector["headerLengths"].array.compactMap(\.int))
                    try expect(
                        "names", lengths.indices.map(NHSRequest.fillName), vector["headerNames"].array.compactMap(\.string))
                case "user_agent":
                    let found = NHSAgent(try require("agent", vector["userAgent"].string))
                    try expect("version", found.version, vector["version"].string)
                    try expect("os", found.platform, vector["os"].string)
                    try expect("its version", found.platformVersion, vector["osVersion"].string)
                case "http": try http(vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func now(_ vector: VectorValue) throws -> Int64 {
        Int64(try require("now", vector["nowInterval"].int)) * 600
    }

    private static func keys(_ vector: VectorValue) throws {
        let stored = NHSServerModel.stored(vector["body"], token: vector["submissionToken"], at: try now(vector))
        let expected = vector["stored"]
        guard !expected.isNull else { return try expect("stored", stored == nil, true) }
        let found = try require("stored", stored)
        try expect("kit", found.kit, expected["testKit"].string)
        try expect("spent", found.isSpent, expected["tokenConsumed"].bool)
        try expect("keys", found.keys.count, expected["keys"].array.count)
        for (key, row) in zip(found.keys, expected["keys"].array) {
            try expect("key", key.key, row["key"].string)
            try expect("start", Int(key.start), row["rollingStartNumber"].int)
            try expect("period", Int(key.period), row["rollingPeriod"].int)
            try expect("level", Int(key.level), row["transmissionRisk"].int)
            try expect("days", key.daysSinceOnset.map { Int($0) }, row["daysSinceOnsetOfSymptoms"].int)
        }
    }

    private static func http(_ vector: VectorValue) throws {
        let request = vector["request"]
        let path = request["path"].string ?? ""
        let status: Int
        if request["maintenance"].bool == true {
            status = 503
        } else if path == NHSRequest.emptyPath {
            status = 200
        } else if request["authorization"] != .bool(true) {
            status = 403
        } else {
            status = path == NHSRequest.submissionPath ? 200 : 404
        }
        try expect("status", status, require("status", vector["status"].int))
        if vector["stored"].bool == false {
            let body = try? JSONDecoder().decode(VectorValue.self, from: Data((request["body"].string ?? "").utf8))
            try expect("stored", NHSServerModel.stored(body ?? .null, token: .null, at: 0) == nil, true)
        }
    }
}

/// What the server reads out of the name of a client.
private struct NHSAgent {
    var platform: String?
    var platformVersion: String?
    var version: String?

    init(_ text: String) {
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { continue }
            switch pair[0] {
            case "p": platform = pair[1]
            case "o": platformVersion = pair[1]
            case "v":
                let numbers = pair[1].split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
                guard (2...3).contains(numbers.count), !numbers.contains(nil) else { continue }
                version = (numbers.compactMap { $0 } + [0]).prefix(3).map(String.init).joined(separator: ".")
            default: continue
            }
        }
    }
}

/// The rules of the server, as far as a client has to get past them.
enum NHSServerModel {
    struct Stored {
        let kit: String
        let isSpent: Bool
        let keys: [NHSSubmission.Key]
    }

    /// What is stored of a submission; `nil` for nothing.
    static func stored(_ body: VectorValue, token: VectorValue, at now: Int64) -> Stored? {
        guard let name = body["diagnosisKeySubmissionToken"].string, ServerToken(name) != nil,
            case .array(let rows) = body["temporaryExposureKeys"], rows.count <= NHSSubmission.maximumKeys
        else { return nil }
        var keys: [NHSSubmission.Key] = []
        for row in rows {
            guard let start = row["rollingStartNumber"].int, let period = row["rollingPeriod"].int else { return nil }
            guard let text = row["key"].string else { continue }
            let key = NHSSubmission.Key(
                key: text, start: Int64(start), period: Int64(period),
                level: row["transmissionRiskLevel"].int.map(Int64.init) ?? NHSSubmission.defaultLevel,
                daysSinceOnset: row["daysSinceOnsetOfSymptoms"].int.map(Int64.init))
            if NHSSubmission.isTaken(key, at: now) { keys.append(key) }
        }
        guard !keys.isEmpty else { return nil }
        let laboratory = NHSResult.Kit.laboratory.rawValue
        if body["isPrivateJourney"].bool == true {
            let kit = body.object["testKit"] == nil ? laboratory : body["testKit"].string
            guard let kit, [laboratory, NHSResult.Kit.selfReported.rawValue].contains(kit) else { return nil }
            return Stored(kit: kit, isSpent: false, keys: keys)
        }
        guard case .object = token else { return nil }
        return Stored(kit: token["testKit"].string ?? laboratory, isSpent: true, keys: keys)
    }

    /// The final policy: keys may be sent for what is positive, and nothing has to be confirmed.
    static func allowsSubmission(country: String, result: NHSResult.Verdict) -> Bool {
        result == .positive && ["England", "Wales"].contains(country)
    }

    /// Status of a virology call.
    static func virologyStatus(path: String, body: VectorValue, state: String) -> Int {
        func text(_ name: String) -> String? { body[name].string.flatMap { $0.isEmpty ? nil : $0 } }
        let isSecond = path.contains("/v2/")
        if path.hasSuffix("/order") || path.hasSuffix("/register") { return 200 }
        if path.hasSuffix("/results") {
            guard text("testResultPollingToken") != nil, !isSecond || text("country") != nil else { return 422 }
            return state == "none" ? 404 : state.hasPrefix("available") ? 200 : 204
        }
        guard let code = text("ctaToken"), NHSCode(code) != nil, !isSecond || text("country") != nil else { return 400 }
        if state == "none" || state.hasSuffix("twice already") { return 404 }
        return state.hasPrefix("available") ? 200 : 204
    }
}

/// Codes, results and what they mean.
enum NHSVirology: VectorFamily {
    static let name = "nhs_virology"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "cta_token":
                    let code = NHSCode(try require("token", vector["token"].string))
                    try expect("valid", code != nil, require("valid", vector["valid"].bool))
                case "policy":
                    let result = try require("result", NHSResult.Verdict(rawValue: vector["testResult"].string ?? ""))
                    let country = try require("country", vector["country"].string)
                    try expect(
                        "submission", NHSServerModel.allowsSubmission(country: country, result: result),
                        require("submission", vector["diagnosisKeySubmissionSupported"].bool))
                    try expect("confirmation", vector["requiresConfirmatoryTest"].bool, false)
                case "client_check":
                    let result = NHSResult(
                        try require("result", NHSResult.Verdict(rawValue: vector["testResult"].string ?? "")),
                        try require("kit", NHSResult.Kit(rawValue: vector["testKit"].string ?? "")),
                        needsConfirmation: try require("confirmation", vector["requiresConfirmatoryTest"].bool),
                        confirmationDays: vector["confirmatoryDayLimit"].int,
                        offersFollowUp: try require("follow-up", vector["shouldOfferFollowUpTest"].bool))
                    try expect("sound", result.isSound, vector["outcome"].string == "accepted")
                case "client_status": try status(vector)
                case "confirmatory_window":
                    let result = NHSResult(
                        .positive, .rapid, end: try date(vector["testEndDate"]),
                        confirmationDays: vector["confirmatoryDayLimit"].int)
                    let other = try require("date", date(vector["otherTestEndDate"]))
                    try expect("within", result.isConfirmable(by: other), require("within", vector["within"].bool))
                case "assumed_onset":
                    let onset = NHSResult.assumedOnset(
                        end: try require("end", date(vector["testEndDate"])),
                        isPositive: try require("positive", vector["positive"].bool),
                        selfAssessment: try date(vector["selfAssessmentDate"]), onset: try date(vector["onsetDate"]))
                    try expect("onset", onset?.isoText, vector["assumedOnset"].string)
                case "lifetime": try lifetime(vector)
                case "http": try http(vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    /// A code is used up by 400 and 404; a polling token is kept.
    private static func status(_ vector: VectorValue) throws {
        guard let status = vector["status"].int else {
            return try expect("outcome", vector["outcome"].string, "no connection")
        }
        let outcome = try require("outcome", vector["outcome"].string)
        let reaction = NHSResult.Reaction.of(status: status, isExchange: !outcome.hasPrefix("keep token"))
        let expected: NHSResult.Reaction =
            outcome == "invalid token" ? .invalidCode : outcome.hasPrefix("keep token") ? .askAgain : .retry
        try expect("reaction", reaction, expected)
    }

    private static func lifetime(_ vector: VectorValue) throws {
        let event = try require("event", vector["event"].string)
        let lifetime =
            try event == "order"
            ? .ordered
            : NHSResult.Lifetime.read(
                require("result", NHSResult.Verdict(rawValue: String(event.split(separator: " ").last ?? ""))))
        func seconds(_ name: String) throws -> Int64? {
            guard let text = vector[name].string else { return nil }
            let parts = text.split(separator: " ")
            return try require(name, Int64(parts.first ?? "")) * (parts.last == "d" ? 86_400 : 3_600)
        }
        try expect("order", lifetime.order, seconds("orderToken"))
        try expect("result", lifetime.result, seconds("testResult"))
        try expect("token", lifetime.submissionToken, seconds("submissionToken"))
    }

    private static func http(_ vector: VectorValue) throws {
        let request = vector["request"]
        let status = NHSServerModel.virologyStatus(
            path: request["path"].string ?? "", body: request["body"], state: vector["serverState"].string ?? "")
        try expect("status", status, require("status", vector["status"].int))
        let response = vector["response"]
        guard !response.isNull, response["testResult"].string != nil else { return }
        let words = (vector["serverState"].string ?? "").split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        let result = try NHSResult(Array(JSONEncoder().encode(response)))
        try expect("result", result.verdict.rawValue, words[1])
        try expect("kit", result.kit.rawValue, words[2])
        try expect("day", result.end?.isoText, words[3])
        try expect("token", result.submissionToken, response["diagnosisKeySubmissionToken"].string)
        let isAllowed = response["diagnosisKeySubmissionSupported"].bool ?? (words[1] == "POSITIVE")
        try expect("submission", result.allowsSubmission, isAllowed)
    }
}

/// Whether a warning may be told.
enum NHSCircuitBreakers: VectorFamily {
    static let name = "nhs_circuit_breaker"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "token":
                    let token = vector["pathOfRequest"].string.flatMap { NHSCircuitBreaker.token(inPath: $0) }
                    try expect("token", token, vector["token"].string)
                case "client":
                    let answer = try require("answer", NHSCircuitBreaker.Answer(rawValue: vector["answer"].string ?? ""))
                    let step = NHSCircuitBreaker.Step(answer, isFirst: vector["phase"].string == "initial")
                    try expect("warns", step.warns, require("warns", vector["warnUser"].bool))
                    try expect("keeps", step.keeps, require("keeps", vector["keepEntry"].bool))
                    try expect("stores", step.storesToken, require("stores", vector["storeToken"].bool))
                    try expect("next", step.next?.rawValue, vector["nextCall"].string)
                case "request_body":
                    func moment(_ name: String) throws -> Int64 {
                        let text = try require(name, vector[name].string)
                        let day = try require(name, CivilDate(isoText: String(text.prefix(10)))).dayNumber
                        let clock = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Int64($0) }
                        return day * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
                    }
                    let body = NHSCircuitBreaker.body(
                        keys: Int64(try require("keys", vector["matchedKeyCount"].int)), dayStart: try moment("dayStart"),
                        score: try require("score", vector["maximumRiskScore"].double),
                        version: Int64(try require("version", vector["riskCalculationVersion"].int)), at: try moment("now"))
                    let found = try JSONDecoder().decode(VectorValue.self, from: Data(body))
                    for (name, value) in vector["body"].object { try expect(name, found[name].double, value.double) }
                    try expect("fields", found.object.count, vector["body"].object.count)
                case "answer_field":
                    let read = NHSCircuitBreaker.read(try Array(JSONEncoder().encode(vector["response"])))
                    try expect("token", read.token, vector["token"].string)
                    try expect("answer", read.answer.rawValue, vector["response"]["approval"].string)
                case "server": try server(vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    /// The server's decision, and that its answers are read.
    private static func server(_ vector: VectorValue) throws {
        let request = vector["request"]
        let path = request["path"].string ?? ""
        let body = request["body"]
        var status = 404
        var decision: VectorValue = .null
        if path.hasSuffix("/request"), [NHSCircuitBreaker.requestPath, NHSCircuitBreaker.venuePath].contains(path) {
            let isReadable =
                path == NHSCircuitBreaker.venuePath
                || body["matchedKeyCount"].int != nil && body["daysSinceLastExposure"].int != nil
                    && body["maximumRiskScore"].double != nil
            status = isReadable ? 200 : 422
            decision = vector["configured"]["initial"]
        } else if path.contains("/resolution") {
            status = NHSCircuitBreaker.token(inPath: path) == nil ? 422 : 200
            decision = vector["configured"]["poll"]
        }
        try expect("status", status, require("status", vector["status"].int))
        guard status == 200 else { return }
        let response = vector["response"]
        try expect("decision", response["approval"].string, decision.string ?? "pending")
        let read = NHSCircuitBreaker.read(try Array(JSONEncoder().encode(response)))
        try expect("read", read.answer.rawValue, decision.string ?? "pending")
    }
}
