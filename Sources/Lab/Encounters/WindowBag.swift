// SPDX-License-Identifier: Apache-2.0

import GAEN
import Interfaces
import Matching

/// Windows without their order, which means nothing: answers are shuffled.
struct WindowBag: Equatable {
    private var counts: [String: Int] = [:]

    init(_ windows: [Exposure1.ExposureWindow] = []) {
        for window in windows { counts[Self.text(window), default: 0] += 1 }
    }

    var count: Int { counts.values.reduce(0, +) }

    mutating func add(_ other: WindowBag) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// `nil` when not all of `other` is there.
    func without(_ other: WindowBag) -> WindowBag? {
        var rest = self
        for (text, count) in other.counts {
            guard let left = rest.counts[text], left >= count else { return nil }
            rest.counts[text] = left == count ? nil : left - count
        }
        return rest
    }

    private static func text(_ window: Exposure1.ExposureWindow) -> String {
        let scans = window.scanInstances.map { "\($0.typicalAttenuation),\($0.minAttenuation),\($0.secondsSinceLastScan)" }
        return "\(window.day) \(window.reportType.rawValue) \(window.infectiousness.rawValue) "
            + "\(window.calibrationConfidence.rawValue) \(scans.joined(separator: ";"))"
    }
}

extension ExposureWindow {
    /// As the interface says it; written down a second time, so that a mistake of the core's own translation shows.
    var asAnswer: Exposure1.ExposureWindow {
        let types: [ReportType: Exposure1.ReportType] = [
            .clinicalDiagnosis: .confirmedClinicalDiagnosis, .selfReport: .selfReport,
        ]
        let levels: [Exposure1.Infectiousness] = [.none, .standard, .high]
        let confidences: [Exposure1.CalibrationConfidence] = [.lowest, .low, .medium, .high]
        return Exposure1.ExposureWindow(
            day: Int(day), reportType: types[reportType] ?? .confirmedTest,
            infectiousness: levels[Int(infectiousness.rawValue)],
            calibrationConfidence: confidences[Int(calibrationConfidence.rawValue)],
            scanInstances: scanInstances.map {
                Exposure1.ScanInstance(
                    typicalAttenuation: $0.typicalAttenuation, minAttenuation: $0.minimumAttenuation,
                    secondsSinceLastScan: $0.secondsSinceLastScan)
            })
    }
}
