// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching

enum CWARiskNovember2020: VectorFamily {
    static let name = "risk-v2-exposure-windows-2020-11"
    static func run(_ vectors: Vectors, _ check: inout Checks) throws { try CWARiskWindows.run(vectors, &check) }
}

enum CWARiskMarch2021: VectorFamily {
    static let name = "risk-v2-exposure-windows-2021-03"
    static func run(_ vectors: Vectors, _ check: inout Checks) throws { try CWARiskWindows.run(vectors, &check) }
}

enum CWARiskMarch2022: VectorFamily {
    static let name = "risk-v2-exposure-windows-2022-03"
    static func run(_ vectors: Vectors, _ check: inout Checks) throws { try CWARiskWindows.run(vectors, &check) }
}

/// One configuration, many fortnights.
private enum CWARiskWindows {
    private static let today: UInt32 = 20_000

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let parameters = try parameters(vectors.json["defaultRiskCalculationConfiguration"])
        let model = CWASecondModel(parameters)
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") { try run(vector, model) }
        }
    }

    private static func run(_ vector: VectorValue, _ model: CWASecondModel) throws {
        let windows = try vector["exposureWindows"].array.map(window)
        let found = model.assess(RiskEvidence(windows: windows), today: today)
        try expect("total level", (found.level?.rawValue).map(Int.init), vector["expTotalRiskLevel"].int)
        for (level, word) in [(RiskLevel.low, "Low"), (.increased, "High")] {
            let days = found.days.filter { $0.verdict.level == level }
            try expect("days of \(word)", days.count, vector["expNumberOfDaysWith\(word)Risk"].int)
            try expect(
                "age of the last day of \(word)", days.last.map { Int(today - $0.day) },
                vector["expAgeOfMostRecentDateWith\(word)Risk"].int)
            try expect(
                "encounters of \(word)", found.days.reduce(0) { $0 + ($1.encounters?[level] ?? 0) },
                vector["expTotalMinimumDistinctEncountersWith\(word)Risk"].int)
        }
    }

    private static func window(_ json: VectorValue) throws -> ExposureWindow {
        ExposureWindow(
            day: today - UInt32(try require("ageInDays", json["ageInDays"].int)), firstSighting: 0,
            reportType: try require("reportType", json["reportType"].int.flatMap { ReportType(rawValue: UInt8($0)) }),
            infectiousness: try require(
                "infectiousness", json["infectiousness"].int.flatMap { Infectiousness(rawValue: UInt8($0)) }),
            calibrationConfidence: try require(
                "calibrationConfidence",
                json["calibrationConfidence"].int.flatMap { CalibrationConfidence(rawValue: UInt8($0)) }),
            scanInstances: try json["scanInstances"].array.map {
                ScanInstance(
                    typicalAttenuation: try require("typicalAttenuation", $0["typicalAttenuation"].int),
                    minimumAttenuation: try require("minAttenuation", $0["minAttenuation"].int),
                    secondsSinceLastScan: try require("secondsSinceLastScan", $0["secondsSinceLastScan"].int))
            })
    }

    private static func parameters(_ json: VectorValue) throws -> CWASecondParameters {
        var result = CWASecondParameters()
        result.minutesAtAttenuationFilters = json["minutesAtAttenuationFilters"].array.map {
            .init(
                attenuationRange: range($0["attenuationRange"]),
                dropIfMinutesInRange: range($0["dropIfMinutesInRange"]))
        }
        result.trlFilters = json["trlFilters"].array.map { range($0["dropIfTrlInRange"]) }
        result.minutesAtAttenuationWeights = try json["minutesAtAttenuationWeights"].array.map {
            .init(attenuationRange: range($0["attenuationRange"]), weight: try require("weight", $0["weight"].double))
        }
        func mapping(_ name: String) -> [CWASecondParameters.LevelMapping] {
            json[name].array.map {
                .init(
                    normalizedTimeRange: range($0["normalizedTimeRange"]),
                    riskLevel: $0["riskLevel"].int.flatMap { RiskLevel(rawValue: UInt8($0)) })
            }
        }
        result.normalizedTimePerEWToRiskLevelMapping = mapping("normalizedTimePerEWToRiskLevelMapping")
        result.normalizedTimePerDayToRiskLevelMapping = mapping("normalizedTimePerDayToRiskLevelMapping")
        func offset(_ name: String) -> Int { json["trlEncoding"][name].int ?? 0 }
        result.trlEncoding.infectiousnessOffsetStandard = offset("infectiousnessOffsetStandard")
        result.trlEncoding.infectiousnessOffsetHigh = offset("infectiousnessOffsetHigh")
        result.trlEncoding.reportTypeOffsetRecursive = offset("reportTypeOffsetRecursive")
        result.trlEncoding.reportTypeOffsetSelfReport = offset("reportTypeOffsetSelfReport")
        result.trlEncoding.reportTypeOffsetConfirmedClinicalDiagnosis =
            offset("reportTypeOffsetConfirmedClinicalDiagnosis")
        result.trlEncoding.reportTypeOffsetConfirmedTest = offset("reportTypeOffsetConfirmedTest")
        result.transmissionRiskLevelMultiplier = json["transmissionRiskLevelMultiplier"].double ?? 0
        for entry in json["transmissionRiskValueMapping"].array {
            let level = try require("transmissionRiskLevel", entry["transmissionRiskLevel"].int)
            result.transmissionRiskValueMapping[level] = entry["transmissionRiskValue"].double ?? 0
        }
        result.maxEncounterAgeInDays = json["maxEncounterAgeInDays"].int ?? 0
        return result
    }

    private static func range(_ json: VectorValue) -> CWASecondParameters.Range {
        .init(
            min: json["min"].double ?? 0, minExclusive: json["minExclusive"].bool ?? false,
            max: json["max"].double ?? 0, maxExclusive: json["maxExclusive"].bool ?? false)
    }
}

enum CWAFirstScores: VectorFamily {
    static let name = "v1-risk-score"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch vector["kind"].string {
                case "score", "score-and-class", "worked-example": try combined(vector)
                case "total-risk-score": try total(vector)
                default: throw Mismatch(description: "unknown kind")
                }
            }
        }
    }

    private static func configuration(_ values: [Int], minimum: Int) throws -> ExposureConfigurationV1 {
        let lists = values.map { [Int](repeating: $0, count: 8) }
        return try require(
            "values",
            ExposureConfigurationV1(
                minimumRiskScore: minimum, attenuationScores: lists[0], daysScores: lists[1], durationScores: lists[2],
                transmissionRiskScores: lists[3]))
    }

    private static func combined(_ vector: VectorValue) throws {
        var parameters = CWAFirstParameters(exposures: try configuration([1, 1, 1, 1], minimum: 0))
        parameters.weights = vector["weights"].array.compactMap(\.double)
        parameters.offset = try require("offset", vector["offset"].double)
        parameters.divisor = try require("divisor", vector["divisor"].double)
        parameters.capMinutes = try require("capMinutes", vector["capMinutes"].double)
        parameters.classes = try vector["riskClasses"].array.map {
            .init(
                level: try require("label", ["LOW": .low, "HIGH": .increased][$0["label"].string ?? ""]),
                min: try require("min", $0["min"].double), max: try require("max", $0["max"].double))
        }
        let model = CWAFirstModel(parameters)
        let score = model.score(
            maximumRiskScore: try require(
                "maximumRiskScore", vector["maximumRiskScore"].int ?? vector["totalRiskScore"].int),
            minutes: vector["attenuationMinutes"].array.compactMap(\.double))
        let expected = try require("expScore", vector["expScore"].double)
        guard abs(score - expected) <= 1e-9 * max(1, abs(expected)) else {
            throw Mismatch(description: "score: \(score) where \(expected) is expected")
        }
        guard !vector["riskClasses"].isNull else { return }
        let names: [RiskLevel: String] = [.low: "LOW", .increased: "HIGH"]
        try expect("class", model.level(of: score).flatMap { names[$0] }, vector["expClass"].string)
    }

    private static func total(_ vector: VectorValue) throws {
        let values = try ["attenuationValue", "daysValue", "durationValue", "transmissionValue"].map {
            try require($0, vector[$0].int)
        }
        let minimum = try require("minimumRiskScore", vector["minimumRiskScore"].int)
        func score(minimum: Int) throws -> Int {
            ExposureArithmeticV1.riskScore(
                attenuation: 50, days: 5, duration: 900, transmissionRiskLevel: 1,
                configuration: try configuration(values, minimum: minimum))
        }
        try expect("total risk score", score(minimum: 0), vector["expTotalRiskScore"].int)
        try expect("counts", score(minimum: minimum) > 0, vector["expCounts"].bool)
    }
}
