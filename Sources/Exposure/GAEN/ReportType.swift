// SPDX-License-Identifier: Apache-2.0

/// The way in which a diagnosis was established, as published with a key (`TemporaryExposureKey.ReportType`); raw
/// values are those of key files.
public enum ReportType: UInt8, Sendable, CaseIterable {
    /// Not stated: the health authority's mapping says what it counts as.
    case unknown = 0
    /// A laboratory has confirmed the diagnosis by a test.
    case confirmedTest = 1
    /// A doctor made the diagnosis, without a laboratory's test.
    case clinicalDiagnosis = 2
    /// The person reported themselves, as by a test at home.
    case selfReport = 3
    /// Reserved in the protocol; phones skip such keys, and so do we.
    case recursive = 4
    /// The key was published by mistake or the diagnosis withdrawn.
    case revoked = 5

    /// Whether a key already matched may move from this type to `next`.
    ///
    /// Self-reports may be confirmed by test or clinically, clinical diagnoses by test; both may be revoked; nothing else
    /// moves. (`ExposureMatchingTracer.isValidTransition`.)
    public func mayBecome(_ next: ReportType) -> Bool {
        switch self {
        case .selfReport: return [.confirmedTest, .clinicalDiagnosis, .revoked].contains(next)
        case .clinicalDiagnosis: return [.confirmedTest, .revoked].contains(next)
        case .unknown, .confirmedTest, .recursive, .revoked: return false
        }
    }
}
