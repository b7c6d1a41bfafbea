// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// What rules made of encounters, beside what they really were; as it is written to a JSON file.
public struct RiskTrialReport: Codable, Sendable, Equatable {
    /// What a board told its wearer under one set of rules.
    public struct Verdict: Codable, Sendable, Equatable {
        /// The state that the wearer saw.
        public var state: Risk1.State
        /// The verdict of the day with the highest number, or of all days together where the model judges them so; `nil` without an encounter.
        public var verdict: Risk1.Verdict?
        /// What the verdict's number counts; `nil` without an encounter.
        public var unit: Risk1.Unit?
    }

    /// One observer, and how near the published people were in truth.
    public struct Observer: Codable, Sendable, Equatable {
        /// What reports call the person.
        public var name: String
        /// Distance at the nearest moment, in metres, to a decimetre.
        public var nearest: Double
        /// Minutes within ``RiskTrial/nearMetres``, of all published people together.
        public var nearMinutes: Double
        /// Minutes within ``RiskTrial/farMetres``, of all published people together.
        public var farMinutes: Double
        /// One for each of ``RiskTrialReport/rules``, in their order.
        public var verdicts: [Verdict] = []
        /// What it said at the end, when the keys were revoked if the scenario does so; `nil` before.
        public var afterRevocation: Verdict?
    }

    /// Names the form of the file and its version.
    public var format = "vigil-risk-trial-1"
    /// What the rules are called, in the order in which boards had them.
    public var rules: [String]
    /// Everybody who was not diagnosed and is no place.
    public var observers: [Observer]
    /// How often other rules or days turned a warning on or off.
    public var turned: Int
    /// How often wearers were told that there is news.
    public var announced: Int
    /// Everything that has to hold, in the order in which it was checked.
    public var checks: [EncounterSimulationReport.Check]

    /// Whether all checks hold: none has a problem.
    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
