// SPDX-License-Identifier: Apache-2.0

import Donation
import GAEN
import Matching

/// An encounter as a donation server has it, in one of the forms.
struct SeenWindow: Hashable {
    struct Scan: Hashable {
        /// In dB.
        var typical: Int, least: Int
        let minutes: Int
    }

    /// In days since 1970.
    var day: Int
    let report: Int32, infectiousness: Int32, confidence: Int32
    var scans: [Scan]

    /// What was read from the bytes of a donation.
    init?(_ message: PPANewExposureWindow) {
        guard let window = message.exposureWindow else { return nil }
        day = Int(window.date / 86_400)
        (report, infectiousness) = (window.reportType.rawValue, window.infectiousness.rawValue)
        confidence = window.calibrationConfidence
        scans = window.scanInstances.map {
            Scan(
                typical: Int($0.typicalAttenuation), least: Int($0.minAttenuation),
                minutes: Int($0.secondsSinceLastScan) / 60)
        }
    }
}

/// How an encounter is donated.
package enum RoundingForm: String, Sendable, CaseIterable {
    /// As Corona-Warn-App does it: whole decibels. The seconds are whole minutes there, too, as Exposure Notification has it.
    case raw
    /// As the product does it.
    case rounded
    /// As the product does it, without the least attenuation. Not in the product.
    case withoutLeast = "without-least"
    /// No scans: the minutes below 55 dB, up to 63, up to 73 and above, rounded to fives. Not in the product.
    case minutesByLevel = "minutes-by-level"

    /// The encounter in this form, out of its raw one.
    func seen(_ raw: SeenWindow) -> SeenWindow {
        var window = raw
        switch self {
        case .raw: break
        case .rounded, .withoutLeast:
            window.scans = raw.scans.map {
                let scan = DonatedWindow.Scan(typical: $0.typical, least: $0.least, seconds: $0.minutes * 60)
                return .init(typical: scan.typical, least: self == .rounded ? scan.least : 0, minutes: scan.minutes)
            }
        case .minutesByLevel:
            window.scans = [(0..<55, 50), (55..<63, 59), (63..<73, 68), (73..<256, 78)].map { range, middle in
                let minutes = raw.scans.reduce(0) { $0 + (range.contains($1.typical) ? $1.minutes : 0) }
                return .init(typical: middle, least: 0, minutes: (minutes + 2) / 5 * 5)
            }
        }
        return window
    }
}

extension DonatedWindow {
    /// As the core rounds it.
    init(_ window: ExposureWindow) {
        self.init(
            day: Int64(window.day), report: window.reportType == .selfReport ? .selfReport : .confirmedTest,
            isHighlyInfectious: window.infectiousness == .high, confidence: Int(window.calibrationConfidence.rawValue),
            scans: window.scanInstances.map {
                Scan(typical: $0.typicalAttenuation, least: $0.minimumAttenuation, seconds: $0.secondsSinceLastScan)
            })
    }

    /// The message that would be donated without rounding.
    static func rawMessage(_ window: ExposureWindow) -> PPANewExposureWindow {
        var message = DonatedWindow(window).message
        message.exposureWindow?.scanInstances = window.scanInstances.prefix(maximumScans).map {
            var scan = PPAExposureWindowScanInstance()
            scan.typicalAttenuation = Int32($0.typicalAttenuation)
            scan.minAttenuation = Int32($0.minimumAttenuation)
            scan.secondsSinceLastScan = Int32($0.secondsSinceLastScan)
            return scan
        }
        return message
    }
}
