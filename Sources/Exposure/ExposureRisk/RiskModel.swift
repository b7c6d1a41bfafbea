// SPDX-License-Identifier: Apache-2.0

public import Matching

/// The risk models that authorities have used; the raw value is their name in configurations and interfaces.
public enum RiskModelName: String, Sendable, CaseIterable {
    /// Google's and Apple's daily summaries, with a limit on one of their scores.
    case dailySummaries
    /// Corona-Warn-App until 2020: one combined score for all exposures.
    case cwaFirst
    /// Corona-Warn-App since 2020: weighted minutes of exposure windows and days.
    case cwaSecond
    /// NHS COVID-19's fallback: weighted seconds of a first-generation exposure.
    case nhsFirst
    /// NHS COVID-19: a distance estimated from the scans of an exposure window.
    case nhsSecond
    /// SwissCovid (DP-3T): minutes of a day at two ranges of distance.
    case swissCovid
}

/// The kind of evidence that a model judges.
public enum RiskInput: Hashable, Sendable {
    /// Exposure windows, which are the second generation.
    case windows
    /// First-generation exposures, scored under these parameters.
    case exposuresV1(ExposureConfigurationV1)
}

/// The evidence of encounters with published people, in the form that a model takes.
public struct RiskEvidence: Hashable, Sendable {
    /// The exposure windows in any order and of any infectiousness, including ``Infectiousness/none``; may be empty.
    /// Models of the first generation ignore them.
    public var windows: [ExposureWindow]
    /// The first-generation exposures in any order; may be empty. Models of the second generation ignore them.
    public var exposures: [ExposureV1]

    /// Creates evidence from these parts, in any order; both may be empty.
    public init(windows: [ExposureWindow] = [], exposures: [ExposureV1] = []) {
        self.windows = windows
        self.exposures = exposures
    }
}

/// A model that judges encounters with published people. It is a value: the same evidence on the same day gives the
/// same answer, whatever the order of the evidence. It accepts any evidence and takes at most linear time in the
/// seconds that the evidence covers.
public protocol RiskModel: Sendable {
    /// The name of the model, by which parameters and assessments refer to it.
    var name: RiskModelName { get }
    /// The kind of evidence that the model judges; the caller fills that part of ``RiskEvidence``.
    var input: RiskInput { get }

    /// Judges the evidence as of `today`, in days since 1970, UTC. Evidence of later days is treated like that of
    /// today. Never throws: parameters with problems result in no level rather than a wrong one.
    func assess(_ evidence: RiskEvidence, today: UInt32) -> RiskAssessment
}
