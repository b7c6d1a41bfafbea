// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GAEN
public import VirtualAir

/// A plan of some days with people, their boards and their infections: a JSON file (docs/simulation.md,
/// docs/schemas/simulation.schema.json).
public struct PeopleScenario: Decodable, Sendable {
    /// One person with a board. For a person that the generator makes, the members given here replace the generated ones.
    public struct Person: Decodable, Sendable {
        /// The number of the person, 1 or more; unique.
        public var id: Int
        /// The person's name in reports, at most 40 bytes; `nil` means "person" and the number.
        public var name: String?
        /// The profile of the board: `token`, or `kiosk` for a place, whose risk is not judged. `nil` means `token`.
        public var profile: String?
        /// The lead of the board's clocks in seconds, -3,600 to 3,600; `nil` means 0, or the generated one.
        public var clockError: Double?
        /// The power at the antenna in dBm, -128 to 127; `nil` means 0, or the generated one.
        public var tx: Int8?
        /// The loss through the wearer's body in dB, -100 to 100; `nil` means 0, or the generated one.
        public var body: Double?
        /// The waypoints, each of three numbers: seconds of the air (0 to 100,000,000), and two coordinates in metres
        /// (-10,000,000 to 10,000,000). The person moves in straight lines between them; without any, the person rests at
        /// the origin. `nil` only for people that the generator makes.
        public var path: [[Double]]?
    }

    /// The settings of the generator, which makes people with plausible days.
    public struct Generator: Decodable, Sendable {
        /// The number of people, 1 to 500.
        public var people: Int
        /// The least and the greatest number of people in a household, 1 to 50; `nil` means 1 to 4.
        public var households: [Int]?
        /// The least and the greatest number of people in an office, 1 to 50; `nil` means 3 to 8.
        public var offices: [Int]?
        /// The share of people who take the bus, 0 to 1; `nil` means 0.6.
        public var bus: Double?
        /// The share of evenings on which a person goes shopping, 0 to 1; `nil` means 0.4.
        public var shopping: Double?
        /// The largest error of clocks in seconds, in both directions, 0 to 3,600; `nil` means 30.
        public var clockError: Double?
        /// The number of interruptions for each board and day, 0 to 10: boards are switched off for hours, killed or lose
        /// power. `nil` means 0.05.
        public var interruptions: Double?
        /// The number of people who are diagnosed, at most all of them; `nil` means an eighth of them, at least one.
        public var diagnoses: Int?
    }

    /// An event that happens to a board.
    public struct Event: Decodable, Sendable {
        /// The kinds of events that can happen to a board.
        public enum Kind: String, Decodable, Sendable, CaseIterable {
            /// The power is cut as for ``powerCut``, for an hour if `seconds` is `nil`: the wearer takes the battery out.
            case off
            /// The process is killed, and is started again after `seconds`.
            case kill
            /// The power is cut between two moments of the air, and returns after `seconds`, 5 if that is `nil`. What was
            /// not synced may be lost.
            case powerCut
        }
        /// The number of the person whose board it is, who must be in the scenario.
        public var person: Int
        /// The day of the simulation, from 0, below ``PeopleScenario/days``.
        public var day: Int
        /// The hours since the beginning of the day, 0 or more and less than 24.
        public var hour: Double
        /// The kind of the event.
        public var what: Kind
        /// The duration in seconds, 0 to 10,000,000; `nil` means an hour for `off` and 5 otherwise.
        public var seconds: Double?

        /// Seconds of the air.
        var time: Double { Double(day) * 86_400 + hour * 3_600 }
    }

    /// The diagnosis of a person, whose keys are published on the evening of that day.
    public struct Diagnosis: Decodable, Sendable {
        /// The number of the person who is diagnosed, not one that stands for a place.
        public var person: Int
        /// The day of the simulation on which the keys are released, from 0, below ``PeopleScenario/days``.
        public var day: Int
        /// The report type: `confirmedTest`, `clinicalDiagnosis` or `selfReport`; `nil` means `confirmedTest`.
        public var reportType: String?
        /// The day of the simulation on which symptoms began, -60 or more (negative: before the first day), below
        /// ``PeopleScenario/days``; with `nil` no onset is published.
        public var onset: Int?
        /// The published transmission risk level for receivers of the first generation, 1 to 8; with `nil` none is
        /// published.
        public var transmissionRiskLevel: Int?
        /// The day of the simulation, after ``day``, on which the keys are revoked; `nil` for never. Refused for a
        /// ``reportType`` whose revocation receivers do not accept, such as `confirmedTest` (docs/matching.md).
        public var revokedOn: Int?
        /// The report type with which the keys are published again on ``changedOn``: `confirmedTest`, `clinicalDiagnosis`
        /// or `selfReport`, if receivers accept the change (docs/matching.md). `nil` for no change.
        public var changesTo: String?
        /// The day of the simulation, after ``day``, on which the report type changes; `nil` if and only if ``changesTo``
        /// is.
        public var changedOn: Int?

        /// Creates a diagnosis without further details. `person` is the number of the person, from 1; `day` counts from 0,
        /// the first day of the scenario; for `reportType` see the property. Nothing is checked before
        /// ``PeopleScenario/check()``.
        public init(person: Int, day: Int, reportType: String? = nil) {
            self.person = person
            self.day = day
            self.reportType = reportType
        }
    }

    /// The distance and time from which two people count as having met.
    public struct Threshold: Decodable, Sendable, Hashable {
        /// The largest distance in metres, 1 to 30.
        public var metres: Double
        /// The least time within that distance in minutes, 1 to 600.
        public var minutes: Double
    }

    static let format = "vigil-simulation-1"

    /// The format of the file; must be `vigil-simulation-1`, anything else is refused.
    public var format: String
    /// The UTC midnight at which the scenario begins, in Unix seconds, 0 to 4,000,000,000; `nil` means 2026-11-21. Any
    /// other time of day is refused.
    public var epoch: Int64?
    /// The number of days of the simulation, 1 to 60.
    public var days: Int
    /// The seed of everything random; `nil` means 1.
    public var seed: UInt64?
    /// The changes to the air's environment; with `nil` it is as measured by NIST, with 5 dB of shadowing if there is a
    /// ``generator``.
    public var environment: Scenario.EnvironmentChange?
    /// The settings of the generator; `nil` if all people are given in ``people``.
    public var generator: Generator?
    /// The people that are given, and the members that replace those of generated people; `nil` for none.
    public var people: [Person]?
    /// The events that happen to boards in addition to those of the generator; `nil` for none.
    public var events: [Event]?
    /// The diagnoses; with `nil` the generator makes them, and there are none without a generator.
    public var diagnoses: [Diagnosis]?
    /// The thresholds of an encounter in the report, in this order; `nil` means six usual ones.
    public var thresholds: [Threshold]?

    /// Reads a scenario from the bytes of a JSON file and checks it. Throws `invalidScenario` with the first fault; an
    /// unknown member is a fault.
    public init(json: [UInt8]) throws(EncountersError) {
        do {
            let decoder = JSONDecoder()
            self = try decoder.decode(Self.self, from: Data(json))
            if let stranger = try decoder.decode(MemberNames.self, from: Data(json)).stranger(to: Self.members) {
                throw EncountersError(.invalidScenario, "there is no member \(stranger)")
            }
        } catch let error as EncountersError {
            throw error
        } catch {
            throw EncountersError(.invalidScenario, JSONProblem.text(error))
        }
        try check()
    }

    /// Checks the scenario; to be called again after a change. Throws `invalidScenario` with the first fault.
    public func check() throws(EncountersError) {
        func require(_ holds: Bool, _ text: String) throws(EncountersError) {
            if !holds { throw EncountersError(.invalidScenario, text) }
        }
        try require(format == Self.format, "format is not \(Self.format)")
        try require((1...60).contains(days), "days takes 1 to 60")
        try require((0...4_000_000_000).contains(epoch ?? 0) && (epoch ?? 0) % 86_400 == 0, "epoch is no UTC midnight")
        do throws(VirtualAirError) { try environment?.check() } catch {
            throw EncountersError(.invalidScenario, "environment: \(error)")
        }
        if let generator {
            try require((1...500).contains(generator.people), "generator.people takes 1 to 500")
            for (name, range) in [("households", generator.households), ("offices", generator.offices)] {
                guard let range else { continue }
                try require(
                    range.count == 2 && range[0] >= 1 && range[0] <= range[1] && range[1] <= 50,
                    "generator.\(name) takes least and most, 1 to 50")
            }
            for (name, share) in [("bus", generator.bus), ("shopping", generator.shopping)] {
                try require((0...1).contains(share ?? 0), "generator.\(name) takes 0 to 1")
            }
            try require((0...3_600).contains(generator.clockError ?? 0), "generator.clockError takes 0 to 3600 seconds")
            try require((0...10).contains(generator.interruptions ?? 0), "generator.interruptions takes 0 to 10")
            try require((0...generator.people).contains(generator.diagnoses ?? 0), "generator.diagnoses: more than people")
        }
        let made = generator?.people ?? 0
        var known = Set(1..<(made + 1))
        var seen: Set<Int> = []
        for person in people ?? [] {
            let name = "person \(person.id)"
            try require(person.id >= 1 && seen.insert(person.id).inserted, "\(name): numbers begin at 1 and are used once")
            try require(person.id <= made || person.path != nil, "\(name) has no path")
            try require((person.name ?? "").utf8.count <= 40, "\(name): name takes 40 bytes")
            try require(["token", "kiosk"].contains(person.profile ?? "token"), "\(name): profile is token or kiosk")
            try require((-3_600...3_600).contains(person.clockError ?? 0), "\(name): clockError takes an hour at most")
            try require((-100...100).contains(person.body ?? 0), "\(name): body takes -100 to 100 dB")
            for point in person.path ?? [] {
                try require(
                    point.count == 3 && (0...1e8).contains(point[0]) && abs(point[1]) <= 1e7 && abs(point[2]) <= 1e7,
                    "\(name): a point has seconds, metres, metres")
            }
            known.insert(person.id)
        }
        try require(!known.isEmpty, "there are no people")
        for event in events ?? [] {
            try require(known.contains(event.person), "events: there is no person \(event.person)")
            try require((0..<days).contains(event.day) && (0..<24).contains(event.hour), "events: day or hour out of range")
            try require((0...1e7).contains(event.seconds ?? 0), "events: seconds out of range")
        }
        for diagnosis in diagnoses ?? [] {
            let name = "diagnoses: person \(diagnosis.person)"
            let isPlace = (people ?? []).contains { $0.id == diagnosis.person && $0.profile == "kiosk" }
            try require(!isPlace, "\(name) is a place, which does not fall ill")
            try require(known.contains(diagnosis.person), "\(name) does not exist")
            try require((0..<days).contains(diagnosis.day), "\(name): day out of range")
            let type = Self.reportType(diagnosis.reportType ?? "confirmedTest")
            try require(type != nil, "\(name): reportType is confirmedTest, clinicalDiagnosis or selfReport")
            try require((-60..<days).contains(diagnosis.onset ?? 0), "\(name): onset out of range")
            try require(
                (1...8).contains(diagnosis.transmissionRiskLevel ?? 1), "\(name): transmissionRiskLevel takes 1 to 8")
            try require((diagnosis.changesTo == nil) == (diagnosis.changedOn == nil), "\(name): changesTo and changedOn")
            for (day, next) in [
                (diagnosis.changedOn, diagnosis.changesTo.map(Self.reportType)), (diagnosis.revokedOn, .some(.revoked)),
            ] {
                guard let day else { continue }
                try require(day > diagnosis.day && day < days, "\(name): a change comes on a later day")
                guard let next, let next, let type, type.mayBecome(next) else {
                    throw EncountersError(
                        .invalidScenario, "\(name): receivers take no such change (docs/matching.md)")
                }
            }
        }
        for threshold in thresholds ?? [] {
            try require(
                (1...30).contains(threshold.metres) && (1...600).contains(threshold.minutes),
                "thresholds: 1 to 30 metres, 1 to 600 minutes")
        }
    }

    static func reportType(_ name: String) -> ReportType? {
        switch name {
        case "confirmedTest": .confirmedTest
        case "clinicalDiagnosis": .clinicalDiagnosis
        case "selfReport": .selfReport
        default: nil
        }
    }
}
