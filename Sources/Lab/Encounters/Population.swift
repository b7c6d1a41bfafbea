// SPDX-License-Identifier: Apache-2.0

import GAEN
import Radio
import VirtualAir

/// Everybody and everything of a simulation, settled: what the scenario says and what its generator made.
struct Population {
    struct Member {
        let id: Int
        var name: String?
        var profile = BoardProfile.token
        /// Seconds.
        var clockError = 0.0
        var transmitPower: Int8 = 0
        var bodyLoss = 0.0
        var track: Track
    }

    struct Diagnosis {
        let person: Int
        let day: Int
        let reportType: ReportType
        let onset: Int?
        /// 0 to 8; 0 is not published.
        let transmissionRiskLevel: UInt8
        /// Later publications of the same keys.
        let changes: [(day: Int, type: ReportType)]
    }

    private(set) var members: [Member] = []
    private(set) var events: [PeopleScenario.Event] = []
    private(set) var diagnoses: [Diagnosis] = []

    init(_ scenario: PeopleScenario, seed: UInt64) {
        var all = scenario.diagnoses ?? []
        events = scenario.events ?? []
        if let generator = scenario.generator {
            var planner = DayPlanner(generator, days: scenario.days, seed: seed)
            members = planner.members()
            events += planner.events()
            if scenario.diagnoses == nil { all = planner.diagnoses() }
        }
        for person in scenario.people ?? [] {
            let track = person.path.map { Track($0.map { Track.Point(time: $0[0], x: $0[1], y: $0[2]) }) }
            var member = members.first { $0.id == person.id } ?? Member(id: person.id, track: track ?? Track([]))
            if let track { member.track = track }
            member.name = person.name
            if person.profile == "kiosk" { member.profile = .kiosk }
            member.clockError = person.clockError ?? member.clockError
            member.transmitPower = person.tx ?? member.transmitPower
            member.bodyLoss = person.body ?? member.bodyLoss
            if let place = members.firstIndex(where: { $0.id == person.id }) {
                members[place] = member
            } else {
                members.append(member)
            }
        }
        members.sort { $0.id < $1.id }
        diagnoses = all.map { entry in
            var changes: [(Int, ReportType)] = []
            if let day = entry.changedOn, let type = entry.changesTo.flatMap(PeopleScenario.reportType) {
                changes.append((day, type))
            }
            if let day = entry.revokedOn { changes.append((day, .revoked)) }
            return Diagnosis(
                person: entry.person, day: entry.day,
                reportType: entry.reportType.flatMap(PeopleScenario.reportType) ?? .confirmedTest, onset: entry.onset,
                transmissionRiskLevel: UInt8(entry.transmissionRiskLevel ?? 0), changes: changes)
        }
    }
}
