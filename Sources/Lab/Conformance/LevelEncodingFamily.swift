// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import ExposureRisk
import GAEN
import KeyExport
import KeyLevels

/// From what is stated to what receivers read: filled in, stored, published as codes, decoded.
enum LevelEncodings: VectorFamily {
    static let name = "cwa_risk_encoding"

    private static let filter = PublicationFilter()
    /// The part of the published app configuration that belongs to it.
    private static let decoding = CWASecondParameters.LevelEncoding()

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                switch try require("type", vector["type"].string) {
                case "encode": try encode(vector, .coronaWarnApp)
                case "encode_other_map": try encode(vector, try require("map", encoding(vector["map"])))
                case "encode_error":
                    let level = try level(vector["level"])
                    guard LevelEncoding.coronaWarnApp.code(level: level) == nil else {
                        throw Mismatch(description: "it was encoded")
                    }
                case "encoding_map": try expect("valid", encoding(vector) != nil, require("valid", vector["valid"].bool))
                case "decode", "decode_none": try decode(vector)
                case "onset_to_infectiousness": try infectiousness(vector)
                case "submission": try submission(vector)
                case "federation": try federation(vector)
                case "statement": try statement(vector)
                case "publish_filter": try publishFilter(vector)
                case "derived_onset_round_trip":
                    let code = try require("code", LevelDerivation.daysSinceOnset(level: UInt8(try level(vector["level"]))))
                    try expect("code", Int(code), require("onsetCode", vector["onsetCode"].int))
                    let back = Int(LevelDerivation.level(daysSinceOnset: code))
                    try expect("level", back, require("levelFromCode", vector["levelFromCode"].int))
                case let other: throw Mismatch(description: "nobody knows the type \(other)")
                }
            }
        }
    }

    private static func level(_ json: VectorValue) throws -> Int32 { Int32(clamping: try require("level", json.int)) }

    private static func encoding(_ json: VectorValue) -> LevelEncoding? {
        func map(_ name: String) -> [Int32: Int32] {
            var result: [Int32: Int32] = [:]
            for (level, value) in json[name].object {
                if let level = Int32(level), let value = value.int { result[level] = Int32(clamping: value) }
            }
            return result
        }
        return LevelEncoding(daysSinceOnset: map("daysSinceOnset"), reportType: map("reportType"))
    }

    private static func encode(_ vector: VectorValue, _ encoding: LevelEncoding) throws {
        let level = try level(vector["level"])
        let code = try require("code", encoding.code(level: level))
        try expectCode(code.reportType, code.daysSinceOnset, vector["published"])
        if !vector["decodedLevel"].isNull {
            try expect("decoded", decoded(code.reportType, code.daysSinceOnset), vector["decodedLevel"].int)
        }
    }

    private static func expectCode(_ type: Int32, _ onset: Int32, _ expected: VectorValue) throws {
        try expect("report type", Int(type), require("reportType", expected["reportType"].int))
        try expect("onset", Int(onset), require("daysSinceOnset", expected["daysSinceOnset"].int))
    }

    /// What phones read, by the published mapping {1: standard, 2: high}.
    private static func decoded(_ type: Int32, _ onset: Int32) throws -> Int? {
        let mapping = try require(
            "mapping", DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none))
        let type = try require("report type", ReportType(rawValue: UInt8(clamping: type)))
        return decoding.level(mapping.reportType(type), mapping.infectiousness(daysSinceOnset: onset))
    }

    private static func decode(_ vector: VectorValue) throws {
        let type = try require("report type", ReportType(rawValue: UInt8(clamping: try level(vector["reportType"]))))
        let infectiousness = try require(
            "infectiousness", Infectiousness(rawValue: UInt8(clamping: try level(vector["infectiousness"]))))
        try expect("level", decoding.level(type, infectiousness), vector["level"].int)
    }

    private static func infectiousness(_ vector: VectorValue) throws {
        var days: [Int32: Infectiousness] = [:]
        for (day, value) in vector["map"].object {
            days[try require("day", Int32(day))] = try require(
                "infectiousness", value.int.flatMap { Infectiousness(rawValue: UInt8(clamping: $0)) })
        }
        let missing = try require(
            "when missing", vector["whenMissing"].int.flatMap { Infectiousness(rawValue: UInt8(clamping: $0)) })
        let mapping = try require("mapping", DiagnosisKeyMapping(days: days, whenOnsetMissing: missing))
        let found = mapping.infectiousness(daysSinceOnset: vector["daysSinceOnset"].int.map { Int32(clamping: $0) })
        try expect("infectiousness", Int(found.rawValue), require("infectiousness", vector["infectiousness"].int))
    }

    // MARK: From what is handed in to what is read

    private static func submission(_ vector: VectorValue) throws {
        let sent = vector["submitted"]
        var key = ExportedKey()
        key.reportType = 1
        key.transmissionRiskLevel = Int32(clamping: sent["level"].int ?? 0)
        key.hasOnset = !sent["daysSinceOnset"].isNull
        key.daysSinceOnset = Int32(clamping: sent["daysSinceOnset"].int ?? 0)
        let stored = LevelDerivation.completed(key, hasLevel: !sent["level"].isNull)
        if vector["error"].bool == true {
            guard stored == nil else { throw Mismatch(description: "it was taken") }
            return
        }
        try expectStored(try require("stored key", stored), vector)
    }

    private static func federation(_ vector: VectorValue) throws {
        let received = vector["received"]
        var key = ExportedKey()
        key.reportType = try level(received["reportType"])
        key.rollingStart = try level(received["rollingStart"])
        key.transmissionRiskLevel = Int32(clamping: received["level"].int ?? 0)
        key.hasOnset = !received["daysSinceOnset"].isNull
        key.daysSinceOnset = Int32(clamping: received["daysSinceOnset"].int ?? 0)
        let stored = LevelDerivation.federated(key)
        try expect("accepted", stored != nil, require("accepted", vector["accepted"].bool))
        if let stored {
            try expect("report type", Int(stored.reportType), vector["stored"]["reportType"].int ?? -1)
            try expectStored(stored, vector)
        }
    }

    private static func expectStored(_ stored: ExportedKey, _ vector: VectorValue) throws {
        try expect("level", Int(stored.transmissionRiskLevel), require("stored level", vector["stored"]["level"].int))
        try expect("onset", Int(stored.daysSinceOnset), require("stored onset", vector["stored"]["daysSinceOnset"].int))
        try expectPublished(stored, vector, require("distributed", vector["distributed"].bool))
    }

    private static func expectPublished(_ stored: ExportedKey, _ vector: VectorValue, _ isDistributed: Bool) throws {
        try expect("distributed", filter.admits(level: stored.transmissionRiskLevel), isDistributed)
        guard isDistributed else { return }
        let published = try require("published key", LevelEncoding.coronaWarnApp.published(stored))
        try expectCode(published.reportType, published.daysSinceOnset, vector["published"])
        guard !vector["decodedLevel"].isNull else { return }
        try expect("decoded", decoded(published.reportType, published.daysSinceOnset), vector["decodedLevel"].int)
    }

    private static func statement(_ vector: VectorValue) throws {
        let statement = try require("statement", statement(vector["statement"].string ?? ""))
        var distributed = 0
        for expected in vector["keys"].array {
            let age = try require("age", expected["ageDays"].int)
            var key = ExportedKey()
            key.reportType = 1
            key.hasOnset = true
            key.daysSinceOnset = statement.daysSinceOnset[age]
            // The server's level of the onset alone; phones send a level of their own, which is kept and may differ.
            let stored = try require("stored key", LevelDerivation.completed(key, hasLevel: false))
            try expect("level at age \(age)", Int(stored.transmissionRiskLevel), require("level", expected["level"].int))
            try expect("onset at age \(age)", Int(key.daysSinceOnset), require("onset", expected["onsetCode"].int))
            try expectPublished(stored, expected, !expected["published"].isNull)
            distributed += filter.admits(level: stored.transmissionRiskLevel) ? 1 : 0
        }
        try expect("keys", distributed, require("distributedKeys", vector["distributedKeys"].int))
    }

    private static func statement(_ text: String) -> SymptomStatement? {
        if text.hasPrefix("exact date, ") {
            return text.dropFirst("exact date, ".count).split(separator: " ").first.flatMap { Int($0) }
                .map { .since(daysAgo: $0) }
        }
        let others: [String: SymptomStatement] = [
            "last seven days": .lastSevenDays, "last 7 days": .lastSevenDays, "one to two weeks": .oneToTwoWeeksAgo,
            "more than two weeks": .moreThanTwoWeeksAgo, "no symptoms": .noSymptoms, "no statement": .noStatement,
            "symptoms, no information": .unknownSince, "unknown onset": .unknownSince, "no date": .unknownSince,
        ]
        return others[text]
    }

    private static func publishFilter(_ vector: VectorValue) throws {
        let today: Int64 = 20_000
        let submitted = today - Int64(try require("age", vector["submittedDaysAgo"].int))
        let isPublished = filter.admits(level: try level(vector["level"])) && submitted >= filter.firstDay(today: today)
        try expect("published", isPublished, require("published", vector["published"].bool))
    }
}
