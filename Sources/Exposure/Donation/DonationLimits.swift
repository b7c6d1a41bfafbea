// SPDX-License-Identifier: Apache-2.0

/// How much a donation may hold, by the limits of Corona-Warn-App's server (cwa-ppa-server, `application.yaml`). It has them for Android
/// only; here they hold for all.
package enum DonationLimits {
    /// The most encounters of a donation: more are refused.
    package static let maximumWindows = 2_688
    /// The number of scans of an encounter.
    package static let scanInstances = 1...15
    /// The most risk levels, test results and submissions.
    package static let maximumRisks = 1, maximumTests = 2, maximumSubmissions = 3

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
