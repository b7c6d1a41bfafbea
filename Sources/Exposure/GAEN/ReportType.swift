// SPDX-License-Identifier: Apache-2.0

/// The way in which a diagnosis was established, as published with a key (`TemporaryExposureKey.ReportType`); raw
/// values are those of key files.
public enum ReportType: UInt8, Sendable, CaseIterable {
    /// Not stated; the health authority's mapping decides what it counts as.
    case unknown = 0
    /// A laboratory has confirmed the diagnosis by a test.
    case confirmedTest = 1
    /// A doctor made the diagnosis without a laboratory test.
    case clinicalDiagnosis = 2
    /// The person reported the infection without a laboratory or a doctor, for example after a test at home.
    case selfReport = 3
    /// Reserved in the protocol; phones and this firmware skip such keys.
    case recursive = 4
    /// The key was published by mistake, or the diagnosis was withdrawn.
    case revoked = 5

    /// Whether the type of a key that was already matched may change from this type to `next`.
    ///
    /// A self-report may become a clinical diagnosis or a confirmed test, and a clinical diagnosis a confirmed test;
    /// both may be revoked. No other change is allowed. (`ExposureMatchingTracer.isValidTransition`.)
    public func mayBecome(_ next: ReportType) -> Bool {
        switch self {
        case .selfReport: return [.confirmedTest, .clinicalDiagnosis, .revoked].contains(next)
        case .clinicalDiagnosis: return [.confirmedTest, .revoked].contains(next)
        case .unknown, .confirmedTest, .recursive, .revoked: return false
        }
    }
}
