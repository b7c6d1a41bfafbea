// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The verdicts of boards under several sets of rules, with the true encounters, in the form of a JSON file.
public struct RiskTrialReport: Codable, Sendable, Equatable {
    /// A board's answer to its wearer under one set of rules.
    public struct Verdict: Codable, Sendable, Equatable {
        /// The state that the wearer saw.
        public var state: Risk1.State
        /// The verdict for the day with the highest number, or for all days together if the model judges them together;
        /// `nil` without an encounter.
        public var verdict: Risk1.Verdict?
        /// The unit of the verdict's number; `nil` without an encounter.
        public var unit: Risk1.Unit?
    }

    /// A person who observes, with the true distances to the people who published keys.
    public struct Observer: Codable, Sendable, Equatable {
        /// The person's name in reports; unique.
        public var name: String
        /// The smallest distance to a person who published, in metres; up to 0.05 m too large.
        public var nearest: Double
        /// The minutes within ``RiskTrial/nearMetres`` of people who published, summed over them; 0 or more.
        public var nearMinutes: Double
        /// The minutes within ``RiskTrial/farMetres`` of people who published, summed over them; 0 or more.
        public var farMinutes: Double
        /// The board's answers, one for each of ``RiskTrialReport/rules``, in the same order.
        public var verdicts: [Verdict] = []
        /// The board's answer at the end of the scenario, after the keys were revoked if the scenario says so; `nil` before
        /// the end.
        public var afterRevocation: Verdict?
    }

    /// The name and version of the file's format.
    public var format = "vigil-risk-trial-1"
    /// The names of the rules, in the order in which boards got them.
    public var rules: [String]
    /// The people who were not diagnosed and are not places.
    public var observers: [Observer]
    /// The number of times that new rules or a new day turned a warning on or off, over all observers; 0 or more.
    public var turned: Int
    /// The number of times that boards had to announce news to their wearers, over all observers; 0 or more. ``checks``
    /// says whether they did.
    public var announced: Int
    /// The checks, in the order in which they were made.
    public var checks: [EncounterSimulationReport.Check]

    /// Whether all checks hold: none has a problem.
    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
