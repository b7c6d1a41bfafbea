// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ExposureRisk
import GAEN
import JSON
import Matching
import RiskConfiguration
import SyncPlan
import Trust

extension VectorValue {
    /// As the reader of documents takes it.
    var document: JSON {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int(value)
        case .number(let value): return .double(value)
        case .string(let text): return .string(text)
        case .array(let values): return .array(values.map(\.document))
        case .object(let members):
            var object = JSON.Object()
            for name in members.keys.sorted() { object[name] = members[name]?.document }
            return .object(object)
        }
    }

    fileprivate var ints: [Int] { array.compactMap(\.int) }
    fileprivate var doubles: [Double] { array.compactMap(\.double) }

    /// Numbers by whole-number names.
    fileprivate var byNumber: [Int: Double] {
        Dictionary(object.compactMap { name, value in Int(name).flatMap { key in value.double.map { (key, $0) } } }) { $1 }
    }
}

// MARK: The Corona-Warn-App's server files

/// Files that the server loads, and files that it does not, with its words for why.
enum CWAConfigFiles: VectorFamily {
    static let name = "cwa_config_invalid"

    private static let messages = [
        "first generation app config": "ApplicationConfiguration", "daily summaries": "DailySummariesConfig",
        "diagnosis keys data mapping": "DiagnosisKeysDataMapping", "corona test parameters": "CoronaTestParameters",
        "risk score parameters": "RiskScoreParameters", "risk score classification": "RiskScoreClassification",
        "attenuation duration": "AttenuationDuration", "risk calculation parameters": "RiskCalculationParameters",
        "presence tracing parameters": "PresenceTracingParameters", "exposure configuration": "ExposureConfiguration",
    ]

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        func file(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
        var folder: [String: VectorValue] = [:]
        for vector in vectors.cases where vector["type"].string == "document" {
            if let path = vector["path"].string { folder[file(path)] = vector["document"] }
        }
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "document": try document(vector, own: file(vector["path"].string ?? ""), folder)
                case "risk_classes": try faults(CWAServerFile.riskClasses(vector["classes"].array), vector)
                case "attenuation_duration":
                    let values = vector["values"]
                    let file: VectorValue = .object([
                        "thresholds": .object(["lower": values["lower"], "upper": values["upper"]]),
                        "weights": .object(["low": values["low"], "mid": values["mid"], "high": values["high"]]),
                        "defaultBucketOffset": values["bucketOffset"],
                        "riskScoreNormalizationDivisor": values["divisor"],
                    ])
                    try faults(CWAServerFile.attenuationDuration(file), vector)
                case "app_version":
                    let latest = try require("latest", vector["latest"].string)
                    try faults(
                        CWAServerFile.appVersion(latest: latest, minimum: require("minimum", vector["minimum"].string)),
                        vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func faults(_ found: [CWAServerFile.Fault], _ vector: VectorValue) throws {
        try expect("errors", found.map(\.code).sorted(), vector["errors"].array.compactMap(\.string).sorted())
        try expect("valid", found.isEmpty, require("valid", vector["valid"].bool))
    }

    private static func document(_ vector: VectorValue, own: String, _ folder: [String: VectorValue]) throws {
        let kind = try require("kind", vector["kind"].string)
        let message = try require("a message for \(kind)", messages[kind])
        let isValid = try require("valid", vector["valid"].bool)
        func include(_ name: String, _ open: [String]) throws -> VectorValue {
            guard !open.contains(name) else { throw YAML.Fault(description: "\(name) includes itself") }
            guard let text = vector["includes"][name].string ?? folder[name]?.string else {
                throw YAML.Fault(description: "there is no file \(name)")
            }
            return try YAML.parse(text) { try include($0, open + [name]) }
        }
        let file: CWAServerFile
        do {
            file = try CWAServerFile(require("document", vector["document"].string), message: message) {
                try include($0, [own])
            }
        } catch let fault as YAML.Fault {
            guard !isValid else { throw Mismatch(description: "it was not loaded: \(fault)") }
            return
        }
        var found: [CWAServerFile.Fault] = []
        switch message {
        case "ApplicationConfiguration": found = CWAServerFile.application(file.content)
        case "RiskScoreParameters": found = CWAServerFile.exposure(file.content)
        case "RiskScoreClassification": found = CWAServerFile.riskClasses(file.content["riskClasses"].array)
        case "AttenuationDuration": found = CWAServerFile.attenuationDuration(file.content)
        default: break
        }
        try expect("valid", found.isEmpty, isValid)
        if !vector["errors"].isNull {
            let expected = vector["errors"].array.map { "\($0[0].string ?? "") \($0[1].string ?? "")" }
            try expect("errors", found.map { "\($0.field) \($0.code)" }.sorted(), expected.sorted())
        }
        if let error = vector["error"].string {
            try expect("error", found.map { "\($0.field) \($0.code)" }, ["\(vector["field"].string ?? "") \(error)"])
        }
        for (name, value) in vector["values"].object {
            let values = file.content.object.values.compactMap { $0.object[name] }
            try expect(name, values, [value])
        }
    }
}

// MARK: NHS COVID-19

/// How its servers sign.
enum NHSSignatures: VectorFamily {
    static let name = "nhs_signature_header"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "verify": try verify(vector)
                case "content":
                    let signed = try content(
                        vector, date: require("date", vector["dateHeader"].string),
                        isStatic: vector["static"].bool == true, path: vector["pathOfRequest"].string ?? "",
                        request: vector)
                    try expect("signed", Base64.string(signed), require("signed", vector["signedBase64"].string))
                case "header":
                    let signature = try vector["signatureHex"].hex("signature")
                    let id = try require("id", vector["keyId"].string)
                    let header = NHSSignature.header(keyID: id, signature: signature)
                    try expect("header", header, require("header", vector["header"].string))
                    let date = try require("date", vector["dateHeader"].string)
                    let read = try require("a signature", NHSSignature(header: header, date: date))
                    try expect(
                        "read", [read.keyID, Hex.string(read.signature), read.dateText], [id, Hex.string(signature), date])
                    try expect(
                        "lines", NHSSignature(lines: NHSSignature.lines(header: header, date: date)), read)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func content(
        _ vector: VectorValue, date: String, isStatic: Bool, path: String, request: VectorValue
    ) throws -> [UInt8] {
        let body = try require("body", vector["bodyBase64"].string.flatMap(Base64.bytes))
        if isStatic { return NHSSignature.content(date: date, body: body) }
        return NHSSignature.content(
            date: date, body: body, requestID: request["requestId"].string,
            method: try require("method", request["method"].string), path: path)
    }

    private static func verify(_ vector: VectorValue) throws {
        let keys = try vector["keys"].array.map { entry in
            let spki = try require("key", entry["spki"].string.flatMap(Base64.bytes))
            return TrustedKey(
                name: KeyName(id: try require("id", entry["id"].string), version: ""), role: .config,
                key: try P256.VerificationKey(pemOrDER: spki))
        }
        let trust = try TrustStore(keys: keys)
        var isAccepted = false
        let headers = vector["headers"]
        if let header = headers[NHSSignature.signatureHeader].string, let date = headers[NHSSignature.dateHeader].string,
            let signature = NHSSignature(header: header, date: date)
        {
            let signed = try content(
                vector, date: date, isStatic: require("mode", vector["mode"].string) == "static",
                path: vector["request"]["path"].string ?? "", request: vector["request"])
            isAccepted = signature.signer(of: signed, trust: trust, time: nil) != nil
            if isAccepted { try expect("a date", signature.date != nil, true) }
        }
        try expect("accepted", isAccepted, require("accept", vector["accept"].bool))
    }
}

/// Its documents.
enum NHSDocuments: VectorFamily {
    static let name = "nhs_config"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let last = vectors.cases.first {
            $0["type"].string == "exposure_document" && $0["usableForVersion2"].bool == true
        }
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let bytes = vector["document"].document.bytes
                switch try require("type", vector["type"].string) {
                case "exposure_document": try exposure(vector)
                case "exposure_invalid":
                    var reasons: [RiskProblem]?
                    do throws(RiskConfigurationError) {
                        _ = try RiskConfiguration(nhsConfiguration: bytes, version: 1)
                    } catch { reasons = error.problems }
                    try expect("a reason", require("a refusal", reasons).isEmpty, false)
                case "infectiousness":
                    let rules = try read(last?["document"] ?? .null)
                    let onset = try require("onset", vector["daysSinceOnset"].int.map(Int32.init))
                    let found = rules.mapping.infectiousness(daysSinceOnset: onset)
                    try expect("infectiousness", Int(found.rawValue), vector["infectiousness"].int)
                    guard case .nhsSecond(let parameters) = rules.models[0] else {
                        throw Mismatch(description: "no second model")
                    }
                    try expect("weight", parameters.infectiousnessWeights[Int(found.rawValue)], vector["weight"].double)
                case "threshold":
                    let risk = try require("risk", vector["risk"].double)
                    let threshold = try require("threshold", vector["riskThreshold"].double)
                    let found = NHSSecondModel.assessment(risks: [(day: 20_000, risk: risk)], threshold: threshold)
                    try expect("risky", found.level == .increased, vector["risky"].bool)
                case "isolation_document": try isolation(vector, bytes)
                case "venue_document":
                    try expect(
                        "days", NHSIsolation.daysToBookATest(bytes), vector["optionToBookATestDays"].int)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    static func read(_ document: VectorValue) throws -> RiskConfiguration {
        try RiskConfiguration(nhsConfiguration: document.document.bytes, version: 1)
    }

    private static func exposure(_ vector: VectorValue) throws {
        let rules = try read(vector["document"])
        try expect("problems", rules.problems.map(\.description), [])
        var second: NHSSecondParameters?
        var first: NHSFirstParameters?
        for model in rules.models {
            if case .nhsSecond(let parameters) = model { second = parameters }
            if case .nhsFirst(let parameters) = model { first = parameters }
        }
        try expect("usable for version 2", second != nil, vector["usableForVersion2"].bool)
        let (v1, v2, score) = (vector["parameters"]["v1"], vector["parameters"]["v2"], vector["parameters"]["score"])
        if !v1.isNull {
            let first = try require("first model", first)
            try expect("minimum", first.exposures.minimumRiskScore, v1["minimumRiskScore"].int)
            let thresholds = [first.exposures.durationThresholds.low, first.exposures.durationThresholds.high]
            try expect("thresholds", thresholds, v1["attenuationDurationThresholds"].ints)
            try expect("levels", first.exposures.transmissionRiskScores, v1["transmissionRiskLevelValues"].ints)
            try expect("weights", first.durationBucketWeights, v1["durationBucketWeights"].doubles)
            try expect("threshold", first.riskThreshold, v1["riskThreshold"].double)
        }
        if !v2.isNull {
            let second = try require("second model", second)
            try expect("threshold", second.riskThreshold, v2["riskThreshold"].double)
            try expect("weights", second.infectiousnessWeights, v2["infectiousnessWeights"].doubles)
            try expect("type", Int(rules.mapping.reportTypeWhenMissing.rawValue), v2["reportTypeWhenMissing"].int)
            for (day, value) in v2["daysSinceOnsetToInfectiousness"].byNumber {
                let found = rules.mapping.infectiousness(daysSinceOnset: Int32(day))
                try expect("day \(day)", Double(found.rawValue), value)
            }
        }
        if !score.isNull {
            let second = try require("second model", second)
            try expect("resolution", second.sampleResolution, score["sampleResolution"].double)
            try expect("distance", second.expectedDistance, score["expectedDistance"].double)
            try expect("minimum", second.minimumDistance, score["minimumDistance"].double)
            try expect("type", second.observationType.rawValue, score["observationType"].string)
        }
    }

    private static func isolation(_ vector: VectorValue, _ bytes: [UInt8]) throws {
        let read = try require("a document", NHSIsolation(bytes))
        try expect("readable by the last apps", read.england != nil && read.wales != nil, vector["readableByLastApps"].bool)
        for (name, days) in [("england", read.england), ("wales", read.wales), ("legacy", read.legacy)] {
            let expected = vector[name]
            guard !expected.isNull else {
                try expect(name, days == nil, true)
                continue
            }
            let days = try require(name, days)
            let found: [String: Int?] = [
                "contactCase": days.contactCase,
                "indexCaseSinceSelfDiagnosisOnset": days.indexCaseSinceSelfDiagnosisOnset,
                "indexCaseSinceSelfDiagnosisUnknownOnset": days.indexCaseSinceSelfDiagnosisUnknownOnset,
                "indexCaseSinceTestResultEndDate": days.indexCaseSinceTestResultEndDate,
                "maxIsolation": days.maxIsolation, "pendingTasksRetentionPeriod": days.pendingTasksRetentionPeriod,
                "testResultPollingTokenRetentionPeriod": days.testResultPollingTokenRetentionPeriod,
            ]
            for (field, value) in found { try expect("\(name).\(field)", value, expected[field].int) }
        }
    }
}

// MARK: Daily summaries

/// EN Express's settings and classes, and what countries made of daily summaries.
enum DailySummaryRules: VectorFamily {
    static let name = "daily_summary_config"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "infectiousness_map":
                    let mapping = EnExpressReading.mapping(try require("text", vector["text"].string))
                    guard !vector["days"].isNull else { return try expect("refused", mapping == nil, true) }
                    try days(require("mapping", mapping), vector["days"], vector["whenMissing"])
                case "enx_document":
                    let read = try EnExpressReading.read(vector["document"].document.bytes)
                    try parameters(read.summaries, read.mapping, vector["parameters"])
                case "classification": try classification(vector)
                case "national_parameters":
                    let (model, mapping) = try national(vector["parameters"])
                    try parameters(model.summaries, mapping, vector["parameters"])
                    if let limit = vector["parameters"]["minimumDailyScore"].double {
                        try expect("limit", model.increasedFrom, limit)
                    }
                case "national_verdict": try verdict(vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func days(_ mapping: DiagnosisKeyMapping, _ expected: VectorValue, _ missing: VectorValue) throws {
        for (day, value) in expected.byNumber {
            try expect("day \(day)", Double(mapping.infectiousness(daysSinceOnset: Int32(day)).rawValue), value)
        }
        try expect("when missing", Int(mapping.infectiousnessWhenOnsetMissing.rawValue), missing.int)
    }

    private static func parameters(
        _ summaries: DailySummariesConfiguration, _ mapping: DiagnosisKeyMapping, _ expected: VectorValue
    ) throws {
        try expect("thresholds", summaries.attenuationThresholds, expected["attenuationBucketThresholdDb"].ints)
        try expect("weights", summaries.attenuationWeights, expected["attenuationBucketWeights"].doubles)
        for (number, weight) in expected["infectiousnessWeights"].byNumber {
            try expect("infectiousness \(number)", summaries.infectiousnessWeights[number], weight)
        }
        for (number, weight) in expected["reportTypeWeights"].byNumber {
            try expect("report type \(number)", summaries.reportTypeWeights[number], weight)
        }
        try expect("days", summaries.daysSinceExposureThreshold, expected["daysSinceExposureThreshold"].int ?? 0)
        try expect("minimum", summaries.minimumWindowScore, expected["minimumWindowScore"].double ?? 0)
        if let type = expected["reportTypeWhenMissing"].int {
            try expect("type when missing", Int(mapping.reportTypeWhenMissing.rawValue), type)
        }
        try days(
            mapping, expected["daysSinceOnsetToInfectiousness"], expected["infectiousnessWhenDaysSinceOnsetMissing"])
    }

    /// Through the reader, as Google's names have it; what is `null` there is what the framework takes then.
    private static func national(_ given: VectorValue) throws -> (DailySummariesParameters, DiagnosisKeyMapping) {
        var config: [String: VectorValue] = [:]
        for name in [
            "attenuationBucketThresholdDb", "attenuationBucketWeights", "infectiousnessWeights", "reportTypeWeights",
        ] {
            config[name] = given[name]
        }
        for name in ["daysSinceExposureThreshold", "minimumWindowScore"] where !given[name].isNull {
            config[name] = given[name]
        }
        let mapping: VectorValue = .object([
            "daysSinceOnsetToInfectiousness": given["daysSinceOnsetToInfectiousness"],
            "infectiousnessWhenDaysSinceOnsetMissing": given["infectiousnessWhenDaysSinceOnsetMissing"],
            "reportTypeWhenMissing": given["reportTypeWhenMissing"].isNull ? .integer(1) : given["reportTypeWhenMissing"],
        ])
        let document: VectorValue = .object(["dailySummariesConfig": .object(config), "diagnosisKeysDataMapping": mapping])
        let rules = try RiskConfiguration(
            dailySummaries: document.document.bytes, measure: .sum,
            increasedFrom: given["minimumDailyScore"].double ?? 900, version: 1)
        guard case .dailySummaries(let parameters)? = rules.models.first else {
            throw Mismatch(description: "another model")
        }
        return (parameters, rules.mapping)
    }

    private static func verdict(_ vector: VectorValue) throws {
        let today: UInt32 = 20_000
        let (parameters, mapping) = try national(vector["parameters"])
        let windows = try vector["windows"].array.map { window in
            let type = try require(
                "report type", ReportType(rawValue: UInt8(clamping: window["reportType"].int ?? 0)))
            return ExposureWindow(
                day: today, firstSighting: 0, reportType: mapping.reportType(type),
                infectiousness: mapping.infectiousness(daysSinceOnset: window["daysSinceOnset"].int.map(Int32.init)),
                calibrationConfidence: .high,
                scanInstances: window["scans"].array.map {
                    ScanInstance(
                        typicalAttenuation: $0[0].int ?? 0, minimumAttenuation: $0[0].int ?? 0,
                        secondsSinceLastScan: $0[1].int ?? 0)
                })
        }
        let model = DailySummariesModel(parameters)
        let found = model.assess(RiskEvidence(windows: windows), today: today)
        let scores = windows.flatMap {
            model.assess(RiskEvidence(windows: [$0]), today: today).days.flatMap { $0.contributions.map(\.score) }
        }
        try expect("scores of windows", scores, vector["windowScores"].doubles)
        try expect("score of the day", found.days.first?.verdict.score ?? 0, vector["dayScore"].double)
        try expect("warns", found.level == .increased, vector["warn"].bool)
    }

    private static func classification(_ vector: VectorValue) throws {
        let today: UInt32 = 20_000
        let given = vector["thresholds"].array.sorted { ($0["index"].int ?? 0) < ($1["index"].int ?? 0) }
        let classes = given.map { entry in
            var made = ExposureClass()
            for limit in ExposureClass.limits { made[keyPath: limit.path] = entry[limit.name].double ?? 0 }
            return made
        }
        let days = try vector["days"].array.map { day in
            var total = ExposureScores()
            total.sum = day["total"]["sum"].double ?? 0
            total.maximum = day["total"]["max"].double ?? 0
            total.weightedDurationSum = day["total"]["weightedDuration"].double ?? 0
            var sums: [ReportType: Double] = [:]
            for (number, sum) in day["byReportType"].byNumber {
                sums[try require("report type", ReportType(rawValue: UInt8(clamping: number)))] = sum
            }
            return ClassifiedDay(
                day: today - UInt32(try require("age", day["daysAgo"].int)), total: total, sums: sums)
        }
        let found = ClassifiedDay.classification(of: days, by: classes)
        try expect(
            "class", found.flatMap { given[$0.index]["index"].int }, vector["result"]["classification"].int)
        try expect("age", found.map { Int(today - $0.day) }, vector["result"]["daysAgo"].int)
    }
}

// MARK: SwissCovid

/// Its rule, its document, its tags.
enum SwissCovidRules: VectorFamily {
    static let name = "swisscovid_rule"

    private static let today: UInt32 = 20_000

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "minutes":
                    let model = try model(vector["parameters"])
                    let minutes = model.weightedMinutes(vector["minutes"].ints.map { $0 * 60 })
                    try expect("warns", minutes >= model.parameters.triggerThreshold, vector["warn"].bool)
                case "seconds":
                    let model = try model(vector["parameters"])
                    let seconds = vector["seconds"].ints
                    try expect("minutes", seconds.map { ($0 + 59) / 60 }, vector["minutes"].ints)
                    try expect(
                        "warns", model.weightedMinutes(seconds) >= model.parameters.triggerThreshold, vector["warn"].bool)
                case "windows": try windows(vector)
                case "document": try document(vector)
                case "key_tag": try tag(vector)
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func model(_ json: VectorValue) throws -> SwissCovidModel { SwissCovidModel(try parameters(json)) }

    private static func parameters(_ json: VectorValue) throws -> SwissCovidParameters {
        var result = SwissCovidParameters()
        result.lowerThreshold = try require("lower", json["lowerThreshold"].int)
        result.higherThreshold = try require("higher", json["higherThreshold"].int)
        result.factorLow = try require("low", json["factorLow"].double)
        result.factorHigh = try require("high", json["factorHigh"].double)
        result.triggerThreshold = try require("trigger", json["triggerThreshold"].double)
        return result
    }

    private static func windows(_ vector: VectorValue) throws {
        let model = try model(vector["parameters"])
        let windows = vector["days"].array.flatMap { day in
            day["windows"].array.map { scans in
                ExposureWindow(
                    day: today - UInt32(day["daysAgo"].int ?? 0), firstSighting: 0, reportType: .confirmedTest,
                    infectiousness: .high, calibrationConfidence: .high,
                    scanInstances: scans.array.map {
                        // The nearest moment of a scan plays no part.
                        ScanInstance(
                            typicalAttenuation: $0[0].int ?? 0, minimumAttenuation: 0, secondsSinceLastScan: $0[1].int ?? 0)
                    })
            }
        }
        let found = model.assess(RiskEvidence(windows: windows), today: today)
        for expected in vector["result"].array where !expected.isNull {
            let age = try require("age", expected["daysAgo"].int)
            let day = found.days.first { Int(today - $0.day) == age }
            guard let warns = expected["warn"].bool else { continue }
            let ofDay = windows.filter { Int(today - $0.day) == age }.map(model.seconds(of:))
            let seconds = ofDay.reduce([0, 0, 0]) { zip($0, $1).map(+) }
            if !expected["seconds"].isNull { try expect("seconds", seconds, expected["seconds"].ints) }
            if let sum = expected["sum"].double { try expect("sum", day?.verdict.score, sum) }
            try expect("warns", day?.verdict.level == .increased, warns)
        }
    }

    private static func document(_ vector: VectorValue) throws {
        let platform: SwissCovidPublished.Platform = vector["platform"].string == "ios" ? .iOS : .android
        let bytes = vector["document"].document.bytes
        guard !vector["parameters"].isNull else {
            guard (try? SwissCovidPublished(bytes, platform: platform, version: 1)) == nil else {
                throw Mismatch(description: "it was read")
            }
            return
        }
        let read = try SwissCovidPublished(bytes, platform: platform, version: 1)
        try expect("rule", read.configuration.models, [.swissCovid(parameters(vector["parameters"]))])
        try expect("off", read.isSwitchedOff, vector["tracing"].string == "stop")
    }

    private static func tag(_ vector: VectorValue) throws {
        let now = try require("now", vector["nowMs"].int.map(Int64.init))
        let bucket = try require("bucket", vector["bucketMs"].int.map(Int64.init))
        let tag = vector["lastKeyBundleTag"].int.map(Int64.init)
        let answer = KeyBundleTag.answer(to: tag, now: now, bucket: bucket)
        let expected = vector["status"].string ?? vector["status"].int.map { "\($0)" } ?? ""
        let words: String =
            switch answer {
            case .notMultiple: "400"
            case .future: "404"
            case .keys(_, let hasNew): hasNew ? "200 or 204" : "204 (nothing newer)"
            }
        try expect("status", words, expected)
        if case .keys(let next, _) = answer {
            try expect("next tag", "\(next)", vector["nextTag"].string ?? vector["nextTag"].int.map { "\($0)" } ?? "")
        }
    }
}
