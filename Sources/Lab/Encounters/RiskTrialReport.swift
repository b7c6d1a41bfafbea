// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The verdicts of boards under several rules, beside the true encounters; as it is written to a JSON file.
public struct RiskTrialReport: Codable, Sendable, Equatable {
    /// A board's answer to its wearer under one set of rules.
    public struct Verdict: Codable, Sendable, Equatable {
        /// The state that the wearer saw.
        public var state: Risk1.State
        /// The verdict of the day with the highest number, or of all days together where the model judges them so; `nil` without an encounter.
        public var verdict: Risk1.Verdict?
        /// The unit of the verdict's number; `nil` without an encounter.
        public var unit: Risk1.Unit?
    }

    /// One observer, with the true distances to the published people.
    public struct Observer: Codable, Sendable, Equatable {
        /// The person's name in reports; unique.
        public var name: String
        /// Distance from the nearest published person at the nearest moment, in metres; up to 0.05 m too large.
        public var nearest: Double
        /// Minutes within ``RiskTrial/nearMetres``, of all published people together; 0 or more.
        public var nearMinutes: Double
        /// Minutes within ``RiskTrial/farMetres``, of all published people together; 0 or more.
        public var farMinutes: Double
        /// The board's answers, one under each of ``RiskTrialReport/rules``, in their order.
        public var verdicts: [Verdict] = []
        /// The board's answer at the end of the scenario, when the keys were revoked if the scenario does so; `nil` before.
        public var afterRevocation: Verdict?
    }

    /// The name of the file's form, with its version at the end.
    public var format = "vigil-risk-trial-1"
    /// Names of the rules, in the order in which boards had them; empty without any.
    public var rules: [String]
    /// The people who were not diagnosed and are no place; empty without any.
    public var observers: [Observer]
    /// The number of times that other rules or days turned a warning on or off, over all observers; 0 or more.
    public var turned: Int
    /// The number of times that boards had to tell their wearers of news, over all observers; 0 or more. ``checks`` says whether they did.
    public var announced: Int
    /// All checks, in the order in which they were made.
    public var checks: [EncounterSimulationReport.Check]

    /// Whether all checks hold: none has a problem.
    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
