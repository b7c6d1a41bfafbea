// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import GAEN
import Matching

/// Scores of whole series of scans, by the library's own rules (typical attenuations, windows of a pair one after the other).
private func score(_ scans: VectorValue, _ configuration: VectorValue) throws -> Double {
    var scorer = DistanceScorer(try NHSSecondParameters(vector: configuration))
    return try require("score", scorer.score(scans.array.map(DistanceScorer.Scan.init(vector:)))?.minutes)
}

enum NHSScores: VectorFamily {
    static let name = "risk_score"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                try Near.expect(
                    "score", score(vector["scanInstances"], vectors.json["config"]),
                    require("score", vector["score"].double),
                    like: vector)
            }
        }
    }
}

enum NHSConfiguredScores: VectorFamily {
    static let name = "risk_score_config"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                try Near.expect(
                    "score", score(vector["scanInstances"], vector["config"]), require("score", vector["score"].double),
                    like: vector)
            }
        }
    }
}

enum NHSScenarioScores: VectorFamily {
    static let name = "risk_score_scenarios"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Double { try require(name, vector[name].double) }
                let found = try score(vector["scanInstances"], vectors.json["config"])
                try Near.expect("score", found, number("derivedScore"), absolute: number("derivedTolerance"))
                let published = try number("publishedScore")
                try Near.expect(
                    "published score", found, published,
                    absolute: abs(published) * number("publishedRelativeTolerance"))
            }
        }
    }
}

enum NHSFieldScores: VectorFamily {
    static let name = "risk_score_field"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                try Near.expect(
                    "score", score(vector["scanInstances"], vectors.json["config"]),
                    require("score", vector["score"].double),
                    like: vector)
            }
        }
    }
}

/// The first model's scale of exposures; only what it does with them is of interest.
private func firstModel(weights: [Double] = [1, 0.5, 0]) throws -> NHSFirstModel {
    let ones = [Int](repeating: 1, count: 8)
    var parameters = NHSFirstParameters(
        exposures: try require(
            "configuration",
            ExposureConfigurationV1(
                minimumRiskScore: 0, attenuationScores: ones, daysScores: ones, durationScores: ones,
                transmissionRiskScores: ones)))
    parameters.durationBucketWeights = weights
    return NHSFirstModel(parameters)
}

enum NHSFirstInfectiousness: VectorFamily {
    static let name = "v1_infectiousness"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let model = try firstModel()
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let days = try require("daysFromOnset", vector["daysFromOnset"].int)
                try Near.expect(
                    "factor", model.infectiousness(level: 7 - abs(days)), require("factor", vector["factor"].double),
                    absolute: 1e-12)
            }
        }
    }
}

enum NHSFirstScores: VectorFamily {
    static let name = "v1_risk_score"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let model = try firstModel(weights: vector["durationBucketWeights"].array.compactMap(\.double))
                let level = try require("transmissionRiskLevel", vector["transmissionRiskLevel"].int)
                let found =
                    model.weightedSeconds(vector["attenuationDurations"].array.compactMap(\.int))
                    * model.infectiousness(level: level)
                let expected = try require("score", vector["score"].double)
                try Near.expect("score", found, expected, absolute: 1e-12 * max(1, expected))
            }
        }
    }
}

enum NHSInfectiousness: VectorFamily {
    static let name = "v2_infectiousness"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let entries = vectors.json["daysSinceOnsetToInfectiousness"].array.compactMap {
            $0.int.flatMap { Infectiousness(rawValue: UInt8($0)) }
        }
        var parameters = NHSSecondParameters()
        parameters.infectiousnessWeights = vectors.json["infectiousnessWeights"].array.compactMap(\.double)
        // What a missing onset counts as differs between the phones and their backend; the vectors state days only.
        let mapping = try require("mapping", DiagnosisKeyMapping(infectiousness: entries, whenOnsetMissing: .none))
        let model = NHSSecondModel(parameters)
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let days = try require("daysSinceOnset", vector["daysSinceOnset"].int)
                let infectiousness = mapping.infectiousness(daysSinceOnset: Int32(days))
                try expect("infectiousness", infectiousness, Infectiousness(vector: vector["infectiousness"]))
                let window = ExposureWindow(
                    day: 0, firstSighting: 0, reportType: .confirmedTest, infectiousness: infectiousness,
                    calibrationConfidence: .high, scanInstances: [])
                try expect("weight", model.contribution(of: window, today: 0).factor, vector["weight"].double)
            }
        }
    }
}

enum NHSWindowRisks: VectorFamily {
    static let name = "v2_window_risk"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") { try run(vector, vectors.json["config"]) }
        }
    }

    private static func run(_ vector: VectorValue, _ configuration: VectorValue) throws {
        var parameters = try NHSSecondParameters(vector: configuration)
        parameters.riskThreshold = try require("riskThreshold", vector["riskThreshold"].double)
        parameters.contactCaseDays = try require("contactCaseIsolationDays", vector["contactCaseIsolationDays"].int)
        let model = NHSSecondModel(parameters)
        let today = try day(vector["today"])
        let windows = try vector["windows"].array.map(window)
        for (index, window) in windows.enumerated() {
            let found = model.contribution(of: window, today: today)
            if let expected = vector["risks"][index].double {
                try Near.expect("risk \(index)", found.score, expected, like: vector)
            } else {
                try expect("risk \(index)", found.outcome, .empty)
            }
            try expect("risky \(index)", found.level == .increased, vector["consideredRisky"][index].bool)
        }
        let found = model.assess(RiskEvidence(windows: windows), today: today)
        guard let best = vector["mostRelevantIndex"].int else {
            try expect("most relevant day", found.mostRelevantDay, nil)
            return
        }
        try expect("most relevant day", found.mostRelevantDay, windows[best].day)
        let score = found.days.first { $0.day == windows[best].day }?.verdict.score
        try Near.expect(
            "highest risk", require("day", score), require("risk", vector["risks"][best].double), like: vector)
    }

    private static func window(_ json: VectorValue) throws -> ExposureWindow {
        ExposureWindow(
            day: try day(json["date"]), firstSighting: 0, reportType: .confirmedTest,
            infectiousness: try require("infectiousness", Infectiousness(vector: json["infectiousness"])),
            calibrationConfidence: .high,
            scanInstances: try json["scanInstances"].array.map {
                ScanInstance(
                    typicalAttenuation: try require("typicalAttenuation", $0["typicalAttenuation"].int),
                    minimumAttenuation: try require("minAttenuation", $0["minAttenuation"].int),
                    secondsSinceLastScan: try require("secondsSinceLastScan", $0["secondsSinceLastScan"].int))
            })
    }
}

enum NHSMostRelevant: VectorFamily {
    static let name = "v2_most_relevant"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let risks = try vector["windows"].array.map {
                    (day: try day($0["date"]), risk: try require("risk", $0["risk"].double))
                }
                // All windows of these vectors are risky.
                let found = NHSSecondModel.assessment(risks: risks, threshold: risks.map(\.risk).min() ?? 1)
                let expected = vector["expected"]
                guard !expected.isNull else {
                    try expect("most relevant day", found.mostRelevantDay, nil)
                    return
                }
                try expect("most relevant day", found.mostRelevantDay, day(expected["date"]))
                try expect(
                    "risk", found.days.first { $0.day == found.mostRelevantDay }?.verdict.score, expected["risk"].double)
            }
        }
    }
}

extension Infectiousness {
    fileprivate init?(vector json: VectorValue) {
        switch json.string {
        case "NONE": self = .none
        case "STANDARD": self = .standard
        case "HIGH": self = .high
        default: return nil
        }
    }
}

/// Days since 1970 of a date as in 2021-02-20.
private func day(_ json: VectorValue) throws -> UInt32 {
    UInt32(try require("date", json.string.flatMap { CivilDate(isoText: $0) }).dayNumber)
}
