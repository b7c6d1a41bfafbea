// SPDX-License-Identifier: Apache-2.0

/// What a simulation came to.
public struct EncounterSimulationReport: Codable, Sendable, Equatable {
    /// Something that has to hold.
    public struct Check: Codable, Sendable, Equatable {
        public var claim: String
        /// Absent if it holds.
        public var problem: String?
    }

    /// How well encounters are found under one threshold.
    public struct Row: Codable, Sendable, Equatable {
        public var metres: Double
        public var minutes: Double
        /// dB up to which a scan counts as within `metres`.
        public var attenuation: Int
        /// What geometry calls an encounter.
        public var real = 0
        /// What the windows call one.
        public var found = 0
        /// Both.
        public var right = 0
        /// By reason.
        public var missed: [String: Int] = [:]
        /// By what they really were.
        public var wrong: [String: Int] = [:]
        /// Encounters of people of whom one had the board switched off for too much of it; not counted in `real`.
        public var boardOff = 0

        /// Share of what was found that is real; `nil` when nothing was found.
        public var precision: Double? { found > 0 ? Double(right) / Double(found) : nil }
        /// Share of what is real that was found; `nil` when nothing is real.
        public var recall: Double? { real > 0 ? Double(right) / Double(real) : nil }
    }

    /// How far attenuations are from what the distance gives.
    public struct AttenuationError: Codable, Sendable, Equatable {
        /// Metres up to which sightings are in this class; absent for all beyond.
        public var metres: Double?
        public var scans = 0
        /// dB.
        public var mean = 0.0
        public var deviation = 0.0
    }

    public var format = "vigil-simulation-report-1"
    public var people: Int
    public var days: Int
    public var seed: UInt64
    public var diagnosed: Int
    public var publishedKeys: Int
    public var filesGiven: Int
    public var scans: UInt64
    /// Identifiers heard, counted once per scan.
    public var sightings: UInt64
    public var kills: Int
    public var powerCuts: Int
    /// Matches of all boards: one per key met.
    public var matches: Int
    /// Observer, published person and UTC day: matches are known by key, as only the laboratory knows them.
    public var encounters: [Row]
    /// Wearer and UTC day: what the windows of a day say together, without knowing of whom.
    public var wearerDays: [Row]
    public var attenuationErrors: [AttenuationError]
    /// Pairs and days that were near enough for long enough that no luck is needed, and how many were found.
    public var certain: Int
    public var certainFound: Int
    /// How many of them the wearer's own application is told of, and how many it is not because they were revoked or are too long ago.
    public var certainTold: Int
    public var certainTakenBack: Int
    /// Calls with files during which the power was cut or the process killed.
    public var interruptedCalls: Int
    /// dB.
    public var shadowing: Double
    /// Steps of the boards' watchdogs, by name.
    public var ladder: [String: UInt64]
    public var checks: [Check]

    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
