// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// What rules made of encounters, beside what they really were.
public struct RiskTrialReport: Codable, Sendable, Equatable {
    /// What a board told its wearer under one set of rules.
    public struct Verdict: Codable, Sendable, Equatable {
        public var state: Risk1.State
        /// Of the day with the highest number, or of all days together where the model judges them so; `nil` without an encounter.
        public var verdict: Risk1.Verdict?
        public var unit: Risk1.Unit?
    }

    /// One observer, and how near the published people were in truth.
    public struct Observer: Codable, Sendable, Equatable {
        public var name: String
        /// Metres, at the nearest moment.
        public var nearest: Double
        /// Minutes within ``RiskTrial/nearMetres`` and ``RiskTrial/farMetres``.
        public var nearMinutes: Double
        public var farMinutes: Double
        /// One for each of ``RiskTrialReport/rules``.
        public var verdicts: [Verdict] = []
        /// What it said when the keys were revoked.
        public var afterRevocation: Verdict?
    }

    public var format = "vigil-risk-trial-1"
    /// What the rules are called, in the order in which boards had them.
    public var rules: [String]
    public var observers: [Observer]
    /// Verdicts that other rules turned, and how often wearers were told that there is news.
    public var turned: Int
    public var announced: Int
    public var checks: [EncounterSimulationReport.Check]

    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
