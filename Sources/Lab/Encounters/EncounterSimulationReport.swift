// SPDX-License-Identifier: Apache-2.0

/// The result of a simulation, as it is written to a JSON file.
public struct EncounterSimulationReport: Codable, Sendable, Equatable {
    /// A requirement, and whether it holds.
    public struct Check: Codable, Sendable, Equatable {
        /// The requirement that was checked, in English.
        public var claim: String
        /// The violation, in English; `nil` if the claim holds.
        public var problem: String?
    }

    /// The quality with which encounters are found under one threshold.
    public struct Row: Codable, Sendable, Equatable {
        /// The threshold's distance in metres, more than 0.
        public var metres: Double
        /// The threshold's length in minutes, more than 0.
        public var minutes: Double
        /// Attenuation up to which a scan counts as within `metres`, in dB.
        public var attenuation: Int
        /// The number of encounters by geometry: near enough for long enough, with both boards on; 0 or more.
        public var real = 0
        /// The number of encounters that the windows give: enough minutes at most at that attenuation; 0 or more.
        public var found = 0
        /// The number of encounters that are such by geometry and by the windows, 0 or more.
        public var right = 0
        /// The number of real encounters that were not found, by reason; reasons that did not occur are absent, so each is 1 or more.
        public var missed: [String: Int] = [:]
        /// The number of encounters that were found and are none, by their true kind; 1 or more, a kind that did not occur
        /// is absent.
        public var wrong: [String: Int] = [:]
        /// The number of encounters by geometry that are none because one of the two boards was off for too much of them; 0 or more. Not counted in
        /// `real`.
        public var boardOff = 0

        /// Share of what was found that is real, 0 to 1; `nil` when nothing was found.
        public var precision: Double? { found > 0 ? Double(right) / Double(found) : nil }
        /// Share of what is real that was found, 0 to 1; `nil` when nothing is real.
        public var recall: Double? { real > 0 ? Double(right) / Double(real) : nil }
    }

    /// The difference between measured attenuations and those that the distance gives, for one class of distances.
    public struct AttenuationError: Codable, Sendable, Equatable {
        /// Metres up to which sightings are in this class; `nil` for all beyond.
        public var metres: Double?
        /// The number of scans of this class that were compared; 1 or more in a report.
        public var scans = 0
        /// Mean difference, in dB; positive when attenuation is overstated; 0 without scans.
        public var mean = 0.0
        /// Standard deviation of the difference, in dB, 0 or more.
        public var deviation = 0.0
    }

    /// The name of the file's form, with its version at the end.
    public var format = "vigil-simulation-report-1"
    /// The number of participants, places included; 0 or more.
    public var people: Int
    /// The number of days of virtual time that were simulated, 0 or more.
    public var days: Int
    /// The seed of everything random; with the same scenario it gives the same report.
    public var seed: UInt64
    /// The number of diagnoses whose keys were released, 0 or more.
    public var diagnosed: Int
    /// The number of keys that were published first, each counted once, later changes of theirs not; 0 or more.
    public var publishedKeys: Int
    /// The number of key files that were given to boards, counted for each board; 0 or more.
    public var filesGiven: Int
    /// The number of scans that all boards made over all days, 0 or more.
    public var scans: UInt64
    /// The number of identifiers that all boards stored, counted once per scan; 0 or more.
    public var sightings: UInt64
    /// The number of kills of processes that the scenario and its generator have, 0 or more; those that come during calls are not among them.
    public var kills: Int
    /// The number of power cuts that the scenario and its generator have, boards switched off included; 0 or more. Those that come during calls are
    /// not among them.
    public var powerCuts: Int
    /// The number of matches that all boards have: one per key met; 0 or more.
    public var matches: Int
    /// One row for each threshold, over observer, published person and UTC day: matches are known by key, as only the
    /// laboratory knows them; empty without any.
    public var encounters: [Row]
    /// One row for each threshold, over wearer and UTC day: what the windows of a day say together, without knowing of
    /// whom; empty without any.
    public var wearerDays: [Row]
    /// Errors of attenuation by distance, from near to far; classes without scans are left out. Empty without any.
    public var attenuationErrors: [AttenuationError]
    /// The number of pairs and days that were near enough for long enough that no luck is needed, 0 or more.
    public var certain: Int
    /// The number of the ``certain`` pairs and days that were found, 0 or more.
    public var certainFound: Int
    /// The number of the certain ones that the wearer's own application is told of, 0 or more.
    public var certainTold: Int
    /// The number of the certain ones that it is not told of because they were revoked or are too long ago, 0 or more.
    public var certainTakenBack: Int
    /// The number of calls with files during which the power was cut or the process killed, 0 or more.
    public var interruptedCalls: Int
    /// Deviation of shadowing between devices, in dB, 0 or more.
    public var shadowing: Double
    /// The number of steps that the boards' watchdogs took, by the step's name; 1 or more, steps never taken are absent.
    public var ladder: [String: UInt64]
    /// All checks, in the order in which they were made.
    public var checks: [Check]

    /// Whether all checks hold: none has a problem.
    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
