// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import GAEN
import KeyArchive
import KeyExport
import Matching

enum MatchingScenarios: VectorFamily {
    static let name = "matching"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") { try run(vector) }
        }
    }

    private static func run(_ vector: VectorValue) throws {
        let mapping = try mapping(vector["mapping"])
        let (sightings, positions) = try sightings(vector["sightings"])
        let keys = try vector["keys"].array.map(key)
        let index = SightingIndex(sightings)
        let now = ENIN((keys.map(\.end.number).max() ?? 0) + ENIN.perDay)
        for kernel in MatchKernel.available {
            // One run per key: the vectors state each key's outcome by itself.
            for (key, expected) in zip(keys, vector["expected"].array) {
                let matcher = Matcher(index: index, now: now, kernel: kernel)
                matcher.add(key)
                let match = matcher.finish().first
                if let skipped = expected["skipped"].string {
                    let type = match?.reportType(under: mapping) ?? key.reportType
                    try expect("skipped", "\(type)", skipped)
                    try expect("exposures of a skipped key", match?.exposureWindows(under: mapping).count ?? 0, 0)
                    continue
                }
                try compare(match?.sightings ?? [], expected["valid_sightings"].array, positions)
                try compare(match?.exposureWindows(under: mapping) ?? [], expected["exposure_windows"].array)
                if !expected["v1_exposures"].isNull {
                    let now = Int64(try require("now", vector["now"].int))
                    let configuration = try configuration(vector["v1_config"])
                    try compare(
                        match?.exposuresV1(configuration: configuration, mapping: mapping, now: now) ?? [],
                        expected["v1_exposures"].array)
                }
            }
        }
    }

    private static func mapping(_ json: VectorValue) throws -> DiagnosisKeyMapping {
        let entries = json["map"].array.compactMap { $0.int.flatMap { Infectiousness(rawValue: UInt8($0)) } }
        return try require(
            "mapping",
            DiagnosisKeyMapping(
                infectiousness: entries,
                whenOnsetMissing: require("when_missing", Infectiousness(rawValue: UInt8(json["when_missing"].int ?? 9))),
                reportTypeWhenMissing: require(
                    "report_type_when_missing", ReportType(rawValue: UInt8(json["report_type_when_missing"].int ?? 9)))))
    }

    private static func key(_ json: VectorValue) throws -> DiagnosisKey {
        try require(
            "key",
            DiagnosisKey(
                data: require("key", Block(json["key"].hex("key"))),
                rollingStart: ENIN(UInt32(require("rolling_start", json["rolling_start"].int))),
                rollingPeriod: UInt32(json["rolling_period"].int ?? 144),
                transmissionRiskLevel: UInt8(json["transmission_risk"].int ?? 0),
                reportType: require("report_type", ReportType(rawValue: UInt8(json["report_type"].int ?? 0))),
                daysSinceOnset: json["days_since_onset"].int.map(Int32.init)))
    }

    /// Sightings whose metadata has four bytes, and where each stood; others are refused on the air already.
    private static func sightings(_ json: VectorValue) throws -> ([Sighting], [Int]) {
        var sightings: [Sighting] = []
        var positions: [Int] = []
        for (position, entry) in json.array.enumerated() {
            guard let metadata = AssociatedEncryptedMetadata(try entry["aem"].hex("aem")) else { continue }
            sightings.append(
                Sighting(
                    identifier: try require("rpi", RollingProximityIdentifier(entry["rpi"].hex("rpi"))),
                    metadata: metadata, time: UInt32(try require("t", entry["t"].int)),
                    previousScan: UInt32(try require("prev", entry["prev"].int)),
                    rssi: Int8(try require("rssi", entry["rssi"].int))))
            positions.append(position)
        }
        return (sightings, positions)
    }

    private static func configuration(_ json: VectorValue) throws -> ExposureConfigurationV1 {
        func list(_ name: String) -> [Int] { json[name].array.compactMap(\.int) }
        let thresholds = list("duration_at_attenuation_thresholds")
        return try require(
            "v1_config",
            ExposureConfigurationV1(
                minimumRiskScore: json["minimum_risk_score"].int ?? 0, attenuationScores: list("attenuation_scores"),
                daysScores: list("days_scores"), durationScores: list("duration_scores"),
                transmissionRiskScores: list("transmission_risk_scores"),
                durationThresholds: thresholds.count == 2
                    ? (thresholds[0], thresholds[1]) : ExposureConfigurationV1.standardDurationThresholds))
    }

    private static func compare(_ all: [MatchedSighting], _ expected: [VectorValue], _ positions: [Int]) throws {
        let found = all.filter(\.isBelievable)
        try expect("valid sightings", found.map { positions[Int($0.position)] }, expected.compactMap { $0["index"].int })
        try expect("intervals", found.map { Int($0.interval.number) }, expected.compactMap { $0["interval"].int })
        try expect("attenuations", found.map(\.attenuation), expected.compactMap { $0["attenuation"].int })
        try expect("powers", found.map { Int($0.transmitPower) }, expected.compactMap { $0["tx"].int })
    }

    private static func compare(_ found: [ExposureWindow], _ expected: [VectorValue]) throws {
        try expect("windows", found.count, expected.count)
        for (window, expected) in zip(found, expected) {
            try expect("date", Int(window.day) * 86_400_000, expected["date_ms"].int)
            try expect("first sighting", Int(window.firstSighting), expected["first_epoch"].int)
            try expect("report type", Int(window.reportType.rawValue), expected["report_type"].int)
            try expect("infectiousness", Int(window.infectiousness.rawValue), expected["infectiousness"].int)
            try expect(
                "confidence", Int(window.calibrationConfidence.rawValue), expected["calibration_confidence"].int)
            let scans = expected["scan_instances"].array
            try expect(
                "typical", window.scanInstances.map(\.typicalAttenuation),
                scans.compactMap { $0["typical_attenuation_db"].int })
            try expect(
                "minimum", window.scanInstances.map(\.minimumAttenuation), scans.compactMap { $0["min_attenuation_db"].int }
            )
            try expect(
                "seconds", window.scanInstances.map(\.secondsSinceLastScan),
                scans.compactMap { $0["seconds_since_last_scan"].int })
        }
    }

    private static func compare(_ found: [ExposureV1], _ expected: [VectorValue]) throws {
        try expect("v1 durations", found.map(\.duration), expected.compactMap { $0["duration_seconds"].int })
        try expect("v1 attenuations", found.map(\.attenuation), expected.compactMap { $0["attenuation_value"].int })
        try expect(
            "v1 attenuation durations", found.map(\.attenuationDurations),
            expected.map { $0["attenuation_durations_s"].array.compactMap(\.int) })
        try expect("v1 scores", found.map(\.riskScore), expected.compactMap { $0["risk_score"].int })
    }
}

enum MatchingDemo: VectorFamily {
    static let name = "matching_demo"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let sightings = try vectors.json["sightings"].array.map { row in
            Sighting(
                identifier: try require("rpi", RollingProximityIdentifier(row[0].hex("rpi"))),
                metadata: try require("aem", AssociatedEncryptedMetadata(row[1].hex("aem"))),
                time: UInt32(try require("time", row[2].int)), rssi: Int8(try require("rssi", row[3].int)))
        }
        let bytes = try UnsignedKeyFile.exportBin(path: vectors.path("export/demo_dks.zip"))
        var decoder = ExportDecoder()
        var keys: [ExportedKey] = []
        try bytes.withUnsafeBytes { try decoder.decode($0) { keys += $0 } }
        _ = try decoder.finish { keys += $0 }
        let index = SightingIndex(sightings)
        let now = try require("now", ENIN(unixSeconds: Int64(sightings.map(\.time).max() ?? 0)))
        let expected = vectors.json["expected"].array
        for kernel in MatchKernel.available {
            let matcher = Matcher(index: index, now: now, kernel: kernel)
            for key in keys.compactMap(\.diagnosisKey) { matcher.add(key) }
            let matches = matcher.finish()
            check.check("matched keys, \(kernel.name)") {
                try expect("keys", matches.map { Hex.string($0.key.data.bytes) }, expected.compactMap { $0["key"].string })
            }
            for (match, expected) in zip(matches, expected) {
                check.check("key \(expected["key_index"].int ?? -1), \(kernel.name)") { try compare(match, expected) }
            }
        }
    }

    private static func compare(_ match: Match, _ expected: VectorValue) throws {
        try expect(
            "sightings", match.sightings.map { Int($0.position) }.sorted(),
            expected["valid_sightings"].array.compactMap(\.int).sorted())
        try expect(
            "intervals", Set(match.sightings.map { Int($0.interval.number) }),
            Set(expected["intervals"].array.compactMap(\.int)))
        try expect(
            "powers", Set(match.sightings.map { Int($0.transmitPower) }), Set(expected["tx"].array.compactMap(\.int)))
        try expect("least attenuation", match.sightings.map(\.attenuation).min(), expected["attenuation_min"].int)
        try expect("most attenuation", match.sightings.map(\.attenuation).max(), expected["attenuation_max"].int)
        try expect("windows", match.exposureWindows(under: .standard).count, expected["window_count"].int)
    }
}

enum FirstGenerationArithmetic: VectorFamily {
    static let name = "v1_arithmetic"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for (index, vector) in vectors.cases.enumerated() {
            let operation = vector["op"].string ?? "?"
            check.check("\(index) \(operation)") {
                func number(_ name: String) throws -> Int { try require(name, vector[name].int) }
                let found: Int
                switch operation {
                case "weighted_attenuation":
                    let points = try vector["points"].array.map {
                        (time: try require("time", $0[0].int), attenuation: try require("attenuation", $0[1].int))
                    }
                    found = ExposureArithmeticV1.weightedAttenuation(points, scanInterval: try number("scan_interval"))
                case "bucket_duration_seconds": found = ExposureArithmeticV1.bucketedDuration(span: try number("span"))
                case "attenuation":
                    found = Attenuation.decibels(
                        transmitPower: Int8(try number("tx")), rssi: Int8(try number("rssi")))
                case "calibrate_rssi":
                    found = Int(Attenuation.calibrated(rssi: Int8(try number("raw")), correction: try number("offset")))
                default: throw Mismatch(description: "unknown operation")
                }
                try expect("result", found, try number("expected"))
            }
        }
    }
}

enum DailySummaryVectors: VectorFamily {
    static let name = "daily_summary"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let config = vector["config"]
                func numbers(_ name: String) -> [Double] { config[name].array.compactMap(\.double) }
                let configuration = try require(
                    "config",
                    DailySummariesConfiguration(
                        attenuationThresholds: config["attenuation_thresholds"].array.compactMap(\.int),
                        attenuationWeights: numbers("attenuation_weights"),
                        reportTypeWeights: numbers("report_type_weights"),
                        infectiousnessWeights: numbers("infectiousness_weights"),
                        minimumWindowScore: config["minimum_window_score"].double ?? 0,
                        daysSinceExposureThreshold: config["days_since_exposure_threshold"].int ?? 0))
                let windows = try vector["windows"].array.map(window)
                let today = vector["today"].int.map { UInt32($0) } ?? (windows.map(\.day).max() ?? 0)
                let found = DailySummary.summaries(of: windows, configuration: configuration, today: today)
                try compare(found, vector["expected"].array)
            }
        }
    }

    private static func window(_ json: VectorValue) throws -> ExposureWindow {
        ExposureWindow(
            day: UInt32(try require("date_ms", json["date_ms"].int) / 86_400_000),
            firstSighting: UInt32(try require("first_epoch", json["first_epoch"].int)),
            reportType: try require("report_type", json["report_type"].int.flatMap { ReportType(rawValue: UInt8($0)) }),
            infectiousness: try require(
                "infectiousness", json["infectiousness"].int.flatMap { Infectiousness(rawValue: UInt8($0)) }),
            calibrationConfidence: try require(
                "calibration_confidence",
                json["calibration_confidence"].int.flatMap { CalibrationConfidence(rawValue: UInt8($0)) }),
            scanInstances: try json["scan_instances"].array.map {
                ScanInstance(
                    typicalAttenuation: try require("typical", $0["typical_attenuation_db"].int),
                    minimumAttenuation: try require("minimum", $0["min_attenuation_db"].int),
                    secondsSinceLastScan: try require("seconds", $0["seconds_since_last_scan"].int))
            })
    }

    private static func compare(_ found: [DailySummary], _ expected: [VectorValue]) throws {
        try expect("days", found.map { Int($0.day) }, expected.compactMap { $0["day"].int }.sorted())
        for expected in expected {
            let summary = try require("day", found.first { Int($0.day) == expected["day"].int })
            for type in ReportType.allCases {
                try compare(
                    summary.byReportType[type] ?? ExposureScores(), expected["by_report_type"]["\(type.rawValue)"],
                    "day \(summary.day), \(type)")
            }
            try compare(summary.total, expected["total"], "day \(summary.day)")
        }
    }

    private static func compare(_ found: ExposureScores, _ expected: VectorValue, _ what: String) throws {
        // Sums of doubles may be taken in another order.
        func near(_ name: String, _ value: Double) throws {
            let target = try require(name, expected[name].double)
            guard abs(value - target) <= 1e-9 * max(1, abs(target)) else {
                throw Mismatch(description: "\(what), \(name): \(value) where \(target) is expected")
            }
        }
        try near("maximum_score", found.maximum)
        try near("score_sum", found.sum)
        try near("weighted_duration_sum", found.weightedDurationSum)
    }
}
