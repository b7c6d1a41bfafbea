// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// How much a donation may hold, by the limits of Corona-Warn-App's server (cwa-ppa-server, `application.yaml`). It has them for Android
/// only; here they hold for all.
package enum DonationLimits {
    /// The most encounters of a donation: more are refused.
    package static let maximumWindows = 2_688
    /// The number of scans of an encounter.
    package static let scanInstances = 1...15
    /// The most risk levels, test results and submissions.
    package static let maximumRisks = 1, maximumTests = 2, maximumSubmissions = 3

    /// The bytes of a tag of the configuration, which may be absent; boards of this release send none.
    package static let tagByteCount = 4
    /// How many days before a donation comes its oldest encounter can have been: the days of a book's memory, and one for a clock that is behind.
    static let oldestEncounter = DonationBook.memoryDays + 1

    /// Whether a board can have written a donation that keeps the limits and comes on `today`.
    static func canBeOfBoard(_ donation: PPADataDevice, on today: UTCDay) -> Bool {
        // Not now, and what the format has for it.
        let absent: ClosedRange<Int64> = -1...0
        let days = today.number - oldestEncounter...today.number
        let areRisksBare = donation.exposureRiskMetadataSet.allSatisfy { risk in
            !risk.riskLevelChangedComparedToPreviousSubmission && !risk.dateChangedComparedToPreviousSubmission
                && !risk.ptRiskLevelChangedComparedToPreviousSubmission && !risk.ptDateChangedComparedToPreviousSubmission
                && risk.ptRiskLevel == .unknown && absent.contains(risk.mostRecentDateAtRiskLevel)
                && absent.contains(risk.ptMostRecentDateAtRiskLevel)
        }
        return areRisksBare && donation.testResultMetadataSet.isEmpty && donation.keySubmissionMetadataSet.isEmpty
            && donation.userMetadata == nil
            && [0, tagByteCount].contains(donation.clientMetadata?.configTag.count ?? 0)
            && donation.newExposureWindows.allSatisfy { canBeOfBoard($0, days) }
    }

    private static func canBeOfBoard(_ new: PPANewExposureWindow, _ days: ClosedRange<Int64>) -> Bool {
        guard new.transmissionRiskLevel == 0, new.normalizedTime.bitPattern == 0, let window = new.exposureWindow,
            window.date.isMultiple(of: UTCDay.seconds), days.contains(window.date / UTCDay.seconds),
            DonatedWindow.Report(rawValue: window.reportType.rawValue) != nil, window.infectiousness != .none,
            (0...3).contains(window.calibrationConfidence)
        else { return false }
        return window.scanInstances.allSatisfy { scan in
            // What a scan is rounded to, it stays.
            let rounded = DonatedWindow.Scan(
                typical: Int(scan.typicalAttenuation), least: Int(scan.minAttenuation),
                seconds: Int(scan.secondsSinceLastScan))
            return rounded.typical == Int(scan.typicalAttenuation) && rounded.least == Int(scan.minAttenuation)
                && rounded.minutes * 60 == Int(scan.secondsSinceLastScan)
        }
    }

    /// Whether a donation keeps all limits.
    package static func areKept<Client>(by donation: PPAData<Client>) -> Bool {
        let windows =
            donation.newExposureWindows
            + donation.testResultMetadataSet.flatMap {
                $0.exposureWindowsAtTestRegistration + $0.exposureWindowsUntilTestResult
            }
        return windows.count <= maximumWindows && donation.exposureRiskMetadataSet.count <= maximumRisks
            && donation.testResultMetadataSet.count <= maximumTests
            && donation.keySubmissionMetadataSet.count <= maximumSubmissions
            && windows.allSatisfy { window in
                window.exposureWindow.map { scanInstances.contains($0.scanInstances.count) } ?? false
            }
    }
}
