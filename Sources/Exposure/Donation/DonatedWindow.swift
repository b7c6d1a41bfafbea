// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// An encounter as coarsely as it is donated: levels of attenuation of ten decibels, whole minutes, at most ``maximumScans`` scans. Raw values would
/// recognise an encounter, and so a device, in two donations (docs/donation.md).
public struct DonatedWindow: Sendable, Hashable {
    /// The most scans of an encounter: Corona-Warn-App's server takes 15.
    public static let maximumScans = 15
    /// The levels that an attenuation is rounded down to, in decibels; whatever is below the first counts as the first.
    public static let attenuations: ClosedRange<Int> = 30...90
    /// The distance between two levels, in decibels.
    public static let attenuationStep = 10
    /// The longest time between two scans, in minutes; a longer one counts as this.
    public static let maximumMinutes = 5

    /// How the infection is known.
    public enum Report: Int32, Sendable, CaseIterable {
        case confirmedTest = 1, clinicalDiagnosis = 2, selfReport = 3
    }

    /// One scan.
    public struct Scan: Sendable, Hashable {
        /// The typical attenuation, in decibels: one of the levels.
        public let typical: Int
        /// The least attenuation, in decibels: one of the levels.
        public let least: Int
        /// The minutes since the scan before, 0 to ``DonatedWindow/maximumMinutes``.
        public let minutes: Int

        /// Rounds the values of a scan; any numbers are taken.
        public init(typical: Int, least: Int, seconds: Int) {
            self.typical = DonatedWindow.level(typical)
            self.least = DonatedWindow.level(least)
            minutes = min(max(seconds, 0) / 60, DonatedWindow.maximumMinutes)
        }
    }

    /// The day of UTC, in days since 1970.
    public let day: Int64
    /// How the infection is known.
    public let report: Report
    /// Whether the person was highly infectious that day.
    public let isHighlyInfectious: Bool
    /// The confidence in the signal strengths, 0 to 3.
    public let confidence: Int32
    /// The scans in their order, at most ``maximumScans``.
    public let scans: [Scan]

    /// Creates an encounter; of more than ``maximumScans`` scans the first ones are kept, and `confidence` is limited to 0 to 3.
    public init(day: Int64, report: Report, isHighlyInfectious: Bool, confidence: Int, scans: [Scan]) {
        self.day = day
        self.report = report
        self.isHighlyInfectious = isHighlyInfectious
        self.confidence = Int32(min(max(confidence, 0), 3))
        self.scans = Array(scans.prefix(Self.maximumScans))
    }

    private static func level(_ attenuation: Int) -> Int {
        let limited = min(max(attenuation, attenuations.lowerBound), attenuations.upperBound)
        return limited / attenuationStep * attenuationStep
    }

    /// The encounter in Corona-Warn-App's form. The level of transmission and the weighted time are absent: boards of several models have neither.
    package var message: PPANewExposureWindow {
        var window = PPAExposureWindow()
        window.date = day * 86_400
        window.reportType = PPAReportType(rawValue: report.rawValue) ?? .unknown
        window.infectiousness = isHighlyInfectious ? .high : .standard
        window.calibrationConfidence = confidence
        window.scanInstances = scans.map { scan in
            var instance = PPAExposureWindowScanInstance()
            instance.typicalAttenuation = Int32(scan.typical)
            instance.minAttenuation = Int32(scan.least)
            instance.secondsSinceLastScan = Int32(scan.minutes) * 60
            return instance
        }
        var message = PPANewExposureWindow()
        message.exposureWindow = window
        return message
    }

    /// What this encounter is remembered by once it was donated: the beginning of a digest of its day and scans. What a mapping makes of it does not count,
    /// so that another mapping makes no other encounter of it. Two of a day with the same scans have the same mark.
    package var mark: String {
        let numbers = [day] + scans.flatMap { [Int64($0.typical), Int64($0.least), Int64($0.minutes)] }
        let bytes = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return Hex.string(Array(SHA256.digest(of: bytes).prefix(6)))
    }
}
