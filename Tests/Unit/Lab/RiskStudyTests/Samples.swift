// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Glibc
import Matching
import RiskConfiguration
import Testing

@testable import RiskStudy

/// What the tests begin with.
enum Samples {
    static let root = #filePath.split(separator: "/").dropLast(5).reduce("") { "\($0)/\($1)" }

    static func file(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen("\(root)/\(path)", "r"), "\(path) is not there")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func configuration() throws -> RiskConfiguration {
        try StudyConfiguration.read(file("docs/examples/risk.json"))
    }

    /// One window: so many scans of five minutes at one attenuation.
    static func window(
        _ attenuation: Int, scans: Int = 6, day: Int = 0, confidence: CalibrationConfidence = .high, level: UInt8? = nil
    ) -> StudyWindow {
        StudyWindow(
            day: day, reportType: .confirmedTest, infectiousness: .standard, transmissionRiskLevel: level,
            calibrationConfidence: confidence,
            scanInstances: Array(
                repeating: ScanInstance(
                    typicalAttenuation: attenuation, minimumAttenuation: attenuation, secondsSinceLastScan: 300),
                count: scans))
    }

    static func evaluate(
        _ cases: [StudyCase], _ model: RiskModelName, calibration: CalibrationError = .standard, today: Int? = nil
    ) throws -> Evaluation {
        let configuration = try configuration()
        return Evaluation(
            StudyDataset(cases: cases), models: try configuration.studied(model.rawValue), mapping: configuration.mapping,
            today: today, calibration: calibration)
    }

    /// First-generation scores in which levels from 3 on count.
    static func first() throws -> CWAFirstParameters {
        var parameters = CWAFirstParameters(
            exposures: try #require(
                ExposureConfigurationV1(
                    minimumRiskScore: 11, attenuationScores: [0, 2, 2, 2, 2, 2, 2, 2],
                    daysScores: [5, 5, 5, 5, 5, 5, 5, 5], durationScores: [0, 0, 0, 1, 1, 1, 1, 1],
                    transmissionRiskScores: [0, 0, 3, 4, 5, 6, 7, 8], durationThresholds: (55, 63))))
        parameters.classes = [.init(level: .low, min: 0, max: 15), .init(level: .increased, min: 15, max: 9_999)]
        return parameters
    }
}
