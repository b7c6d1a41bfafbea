// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import GAEN
import Glibc
import JSON
import Matching
import Testing

@testable import RiskConfiguration

/// What the tests begin with.
enum Samples {
    static func scores() throws -> ExposureConfigurationV1 {
        try #require(
            ExposureConfigurationV1(
                minimumRiskScore: 11, attenuationScores: [0, 2, 2, 2, 2, 2, 2, 2], daysScores: [5, 5, 5, 5, 5, 5, 5, 5],
                durationScores: [0, 0, 0, 1, 1, 1, 1, 1], transmissionRiskScores: [0, 0, 3, 4, 5, 6, 7, 8],
                durationThresholds: (55, 63)))
    }

    static func cwaFirst() throws -> CWAFirstParameters {
        var parameters = CWAFirstParameters(exposures: try scores())
        parameters.classes = [.init(level: .low, min: 0, max: 15), .init(level: .increased, min: 15, max: 9_999)]
        return parameters
    }

    /// cwa-server `risk-calculation-parameters-1.15.yaml`, and the values of the app that belong to it.
    static var cwaSecond: CWASecondParameters {
        var parameters = CWASecondParameters()
        parameters.minutesAtAttenuationWeights = [
            .init(attenuationRange: .init(max: 63, maxExclusive: true), weight: 0.8),
            .init(attenuationRange: .init(min: 63, max: 73, maxExclusive: true), weight: 1),
            .init(attenuationRange: .init(min: 73, max: 79, maxExclusive: true), weight: 0.1),
        ]
        parameters.normalizedTimePerEWToRiskLevelMapping = [
            .init(normalizedTimeRange: .init(max: 9, maxExclusive: true), riskLevel: .low),
            .init(normalizedTimeRange: .init(min: 9, max: 9_999), riskLevel: .increased),
        ]
        parameters.normalizedTimePerDayToRiskLevelMapping = [
            .init(normalizedTimeRange: .init(min: 5, max: 9, maxExclusive: true), riskLevel: .low),
            .init(normalizedTimeRange: .init(min: 9, max: 99_999), riskLevel: .increased),
        ]
        parameters.transmissionRiskValueMapping = [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6]
        parameters.maxEncounterAgeInDays = 10
        return parameters
    }

    static func dailySummaries() throws -> DailySummariesParameters {
        DailySummariesParameters(
            summaries: try #require(
                DailySummariesConfiguration(
                    attenuationThresholds: [40, 53, 60], attenuationWeights: [1, 1, 0.5, 0],
                    reportTypeWeights: [0, 1, 0.9, 0.5, 0, 0], infectiousnessWeights: [0, 0.3, 1], minimumWindowScore: 60,
                    daysSinceExposureThreshold: 14)))
    }

    /// The Corona-Warn-App's.
    static func mapping() throws -> DiagnosisKeyMapping {
        try #require(DiagnosisKeyMapping(days: [1: .standard, 2: .high], whenOnsetMissing: .none))
    }

    /// All five models, every field used.
    static func full() throws -> RiskConfiguration {
        var second = cwaSecond
        second.minutesAtAttenuationFilters = [
            .init(
                attenuationRange: .init(max: 79, maxExclusive: true),
                dropIfMinutesInRange: .init(minExclusive: true, max: 5, maxExclusive: true))
        ]
        second.trlFilters = [.init(min: 1, max: 2)]
        second.transmissionRiskLevelMultiplier = 0.2
        return RiskConfiguration(
            version: 7, validFrom: 1_795_219_200,
            models: [
                .cwaSecond(second), .nhsSecond(NHSSecondParameters()), .dailySummaries(try dailySummaries()),
                .cwaFirst(try cwaFirst()), .nhsFirst(NHSFirstParameters(exposures: try scores())),
            ], mapping: try mapping(),
            service: .ended(
                eraseOn: try #require(CivilDate(year: 2_027, month: 1, day: 31)), words: "Danke, auf Wiedersehen."))
    }

    /// The Corona-Warn-App's last release.
    static func plain(version: Int64 = 1, validFrom: Int64? = nil) throws -> RiskConfiguration {
        RiskConfiguration(version: version, validFrom: validFrom, models: [.cwaSecond(cwaSecond)], mapping: try mapping())
    }

    static func json() throws -> JSON { try JSON(parsing: full().document) }

    static func problems(_ bytes: [UInt8]) -> [RiskProblem] {
        do throws(RiskConfigurationError) {
            _ = try RiskConfiguration(parsing: bytes)
            return []
        } catch { return error.problems }
    }

    // MARK: Files

    static let root = #filePath.split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/\($1)" }

    static func file(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen("\(root)/\(path)", "r"), "\(path) is not there")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1_000_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        return Array(bytes[..<count])
    }

    static func vector(_ name: String) throws -> JSON {
        try JSON(parsing: file("Tests/Vectors/risk-configuration/\(name).json"))
    }
}

extension JSON {
    /// The value with another one at `path`, such as `models/0/cwaSecond`; `nil` removes it.
    func with(_ path: String, _ value: JSON?) -> JSON { with(path.split(separator: "/").map(String.init)[...], value) }

    private func with(_ path: ArraySlice<String>, _ new: JSON?) -> JSON {
        guard let name = path.first else { return new ?? .null }
        let rest = path.dropFirst()
        switch self {
        case .object(var object):
            object[name] = rest.isEmpty ? new : object[name]?.with(rest, new)
            return .object(object)
        case .array(var elements):
            guard let index = Int(name), index <= elements.count else { return self }
            if index == elements.count {
                if let new { elements.append(new) }
            } else if rest.isEmpty, new == nil {
                elements.remove(at: index)
            } else {
                elements[index] = elements[index].with(rest, new)
            }
            return .array(elements)
        default: return self
        }
    }
}
