// SPDX-License-Identifier: Apache-2.0

public import Matching

/// The models of the field; the raw value is what configurations and interfaces call them.
public enum RiskModelName: String, Sendable, CaseIterable {
    /// Google's and Apple's daily summaries, with a limit on one of their numbers.
    case dailySummaries
    /// Corona-Warn-App until 2020: one combined score of all exposures.
    case cwaFirst
    /// Corona-Warn-App from 2020 on: weighted minutes of windows and days.
    case cwaSecond
    /// NHS COVID-19's fallback: weighted seconds of an exposure.
    case nhsFirst
    /// NHS COVID-19: distance estimated from the scans of a window.
    case nhsSecond
    /// SwissCovid (DP-3T): minutes of a day at two distances.
    case swissCovid
}

/// The kind of evidence that a model judges.
public enum RiskInput: Hashable, Sendable {
    /// Exposure windows, the second generation.
    case windows
    /// First-generation exposures, scored under these parameters.
    case exposuresV1(ExposureConfigurationV1)
}

/// The evidence about published people, in the form that a model takes.
public struct RiskEvidence: Hashable, Sendable {
    /// Exposure windows in any order, perhaps none; of any infectiousness, ``Infectiousness/none`` included. Models of
    /// the first generation ignore them.
    public var windows: [ExposureWindow]
    /// First-generation exposures in any order, perhaps none. Models of the second generation ignore them.
    public var exposures: [ExposureV1]

    /// Evidence of these parts, in any order; both may be empty.
    public init(windows: [ExposureWindow] = [], exposures: [ExposureV1] = []) {
        self.windows = windows
        self.exposures = exposures
    }
}

/// Judges what was heard of published people. A value: the same evidence on the same day gives the same answer, whatever the order of the evidence.
/// Defined for every evidence there can be; never takes longer than linear time in the seconds it covers.
public protocol RiskModel: Sendable {
    /// The name of the model, by which parameters and assessments refer to it.
    var name: RiskModelName { get }
    /// The evidence that the model judges; the caller fills that part of ``RiskEvidence``.
    var input: RiskInput { get }

    /// Judges the evidence as of `today`, in days since 1970, UTC. Evidence of days after it is judged like that of today.
    /// Never throws: parameters with problems give no level rather than a wrong one.
    func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment
}
