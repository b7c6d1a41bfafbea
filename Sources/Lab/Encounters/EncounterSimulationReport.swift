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

    /// How well encounters are found under one threshold.
    public struct Row: Codable, Sendable, Equatable {
        /// The distance of the threshold in metres, above 0.
        public var metres: Double
        /// The time of the threshold in minutes, above 0.
        public var minutes: Double
        /// The attenuation in dB up to which a scan counts as within `metres`.
        public var attenuation: Int
        /// The number of encounters by geometry, near enough for long enough, during which both boards were on; 0 or more.
        public var real = 0
        /// The number of encounters by the exposure windows, with enough minutes at or below that attenuation; 0 or more.
        public var found = 0
        /// The number of encounters both by geometry and by the windows, 0 or more.
        public var right = 0
        /// The number of real encounters that were not found, by reason. Each is 1 or more; reasons that did not occur are
        /// absent.
        public var missed: [String: Int] = [:]
        /// The number of encounters that were found and are not real, by what they are instead. Each is 1 or more; kinds
        /// that did not occur are absent.
        public var wrong: [String: Int] = [:]
        /// The number of encounters by geometry that do not count as real because one of the boards was off for too
        /// long; 0 or more, and always 0 in ``EncounterSimulationReport/wearerDays``.
        public var boardOff = 0

        /// The share of the found encounters that are real, 0 to 1; `nil` if none was found.
        public var precision: Double? { found > 0 ? Double(right) / Double(found) : nil }
        /// The share of the real encounters that were found, 0 to 1; `nil` if none is real.
        public var recall: Double? { real > 0 ? Double(right) / Double(real) : nil }
    }

    /// The error of measured attenuations against those that follow from the distance, for one class of distances.
    public struct AttenuationError: Codable, Sendable, Equatable {
        /// The largest distance of the class in metres; `nil` for all distances above the other classes.
        public var metres: Double?
        /// The number of compared scans in this class; 1 or more in a report.
        public var scans = 0
        /// The mean error in dB, positive when the measured attenuation is too high; 0 without scans.
        public var mean = 0.0
        /// The standard deviation of the error in dB, 0 or more.
        public var deviation = 0.0
    }

    /// The name and version of the file's format.
    public var format = "vigil-simulation-report-1"
    /// The number of participants, places included; 0 or more.
    public var people: Int
    /// The number of days of virtual time that were simulated, 0 or more.
    public var days: Int
    /// The seed of everything random; with the same scenario it gives the same report.
    public var seed: UInt64
    /// The number of diagnoses whose keys were released, 0 or more.
    public var diagnosed: Int
    /// The number of published keys, 0 or more. Each counts once; later changes of a key are not counted.
    public var publishedKeys: Int
    /// The number of key files given to boards, counted for each board; 0 or more.
    public var filesGiven: Int
    /// The number of scans that all boards made over all days, 0 or more.
    public var scans: UInt64
    /// The number of identifiers that all boards stored, counted once per scan; 0 or more.
    public var sightings: UInt64
    /// The number of planned kills of processes, by the scenario and its generator, 0 or more; those during calls are not
    /// counted.
    public var kills: Int
    /// The number of planned power cuts, by the scenario and its generator, 0 or more, boards that are switched off
    /// included; those during calls are not counted.
    public var powerCuts: Int
    /// The number of matches of all boards, one for each key that was met; 0 or more.
    public var matches: Int
    /// The results by observer, published person and UTC day, one row for each threshold. Matches are assigned by key,
    /// which only the laboratory can do.
    public var encounters: [Row]
    /// The results by wearer and UTC day, one row for each threshold: all windows of a day together, without knowing whose
    /// they are.
    public var wearerDays: [Row]
    /// The errors of attenuation by distance, from near to far; classes without scans are left out.
    public var attenuationErrors: [AttenuationError]
    /// The number of pairs and days that must be found, 0 or more: within 8 m (27 dB above the sensitivity), with
    /// both boards on, for a whole scan period and 10 seconds without a break.
    public var certain: Int
    /// The number of the ``certain`` pairs and days that were found, 0 or more.
    public var certainFound: Int
    /// The number of the ``certain`` pairs and days that the wearer's application is told of, 0 or more.
    public var certainTold: Int
    /// The number of the ``certain`` pairs and days that the wearer's application is not told of because they were revoked
    /// or are too old, 0 or more.
    public var certainTakenBack: Int
    /// The number of calls with files during which the power was cut or the process killed, 0 or more.
    public var interruptedCalls: Int
    /// The standard deviation of shadowing between devices in dB, 0 or more.
    public var shadowing: Double
    /// The number of steps that the boards' watchdogs took, by the step's name. Each is 1 or more; steps that were never
    /// taken are absent.
    public var ladder: [String: UInt64]
    /// All checks, in the order in which they were made.
    public var checks: [Check]

    /// Whether all checks hold: none has a problem.
    public var isSound: Bool { checks.allSatisfy { $0.problem == nil } }
}
