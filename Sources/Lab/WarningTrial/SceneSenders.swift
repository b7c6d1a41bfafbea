// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import VirtualAir

/// What the persons of a scene have on air, and what receivers hear of it.
struct SceneSenders {
    /// Somebody who has keys on air.
    struct Sender {
        let name: String
        /// Of each key, from 00:00 UTC of the day of submission on.
        let intervals: [Range<Int64>]
    }

    private let name: String
    private let persons: [Sender]
    private let meetings: [Scene.Meeting]
    private let number: Int
    /// Interval of 00:00 UTC of the day of submission.
    private let midnight: Int64

    /// `number` makes the keys of this scene its own; `day` is that of the submission, counted from 1970, UTC.
    init(_ scene: Scene, number: Int, day: Int64) {
        self.init(
            of: scene.name, persons: scene.persons.map { Sender(name: $0.name, intervals: $0.keys.map(\.intervals)) },
            meetings: scene.meetings, number: number, day: day)
    }

    /// The same for whoever is met in a scene of another kind; `name` is that of the scene.
    init(of name: String, persons: [Sender], meetings: [Scene.Meeting], number: Int, day: Int64) {
        self.name = name
        self.persons = persons
        self.meetings = meetings
        self.number = number
        midnight = day * Int64(ENIN.perDay)
    }

    /// The secret of a person's key.
    func secret(_ person: Scene.Person, _ key: Int) -> Block { secret(of: person.name, key) }

    /// The same by the person's name.
    func secret(of person: String, _ key: Int) -> Block {
        let place = persons.firstIndex { $0.name == person } ?? 0
        var generator = SplitMix64(seed: UInt64(number * 100 + place) &* 0x9E37_79B9 &+ UInt64(key))
        return Block(low: generator.next(), high: generator.next())
    }

    /// The key and the interval that are on air at the receiver's second `time`: the first key that holds the interval of the sender's clock.
    /// No key where none does.
    private func onAir(_ meeting: Scene.Meeting, _ person: Sender, at time: Int64) -> (key: Int?, interval: Int64) {
        if let stuck = meeting.stuck, stuck.count == 2 { return (Int(stuck[0]), stuck[1]) }
        // Towards the past, also before the day of submission.
        let shifted = time + (meeting.offset ?? 0) + 100 * UTCDay.seconds
        let interval = shifted / 600 - 100 * 144
        return (person.intervals.firstIndex { $0.contains(interval) }, interval)
    }

    /// Everything the receiver heard, in order; persons who were heard in one scan are in one.
    ///
    /// Throws when the table says that something else was on air.
    func scans() throws -> [HeardScan] {
        var senders: [Int64: [HeardScan.Sender]] = [:]
        var before: [Int64: Int64?] = [:]
        for meeting in meetings {
            guard let person = persons.first(where: { $0.name == meeting.person }) else {
                throw WarningFailure("\(name): \(meeting.person) is nobody")
            }
            var runs: [[Int64?]] = []
            for scan in meeting.scans {
                let (key, interval) = onAir(meeting, person, at: scan.time)
                if let last = runs.last, last[0] == key.map(Int64.init), last[1] == interval {
                    runs[runs.count - 1][2] = (last[2] ?? 0) + 1
                } else {
                    runs.append([key.map(Int64.init), interval, 1])
                }
                before[scan.time] = scan.secondsSinceLastScan
                // What nobody publishes is on air all the same.
                let onAir = key.map { secret(of: person.name, $0) } ?? Block(low: UInt64(bitPattern: scan.time), high: 1)
                senders[scan.time, default: []].append(
                    HeardScan.Sender(
                        key: onAir, interval: ENIN(UInt32(midnight + interval)),
                        typicalAttenuation: scan.typicalAttenuation, minimumAttenuation: scan.minimumAttenuation))
            }
            guard runs == meeting.sent else {
                throw WarningFailure("\(name): \(runs) was on air and not \(meeting.sent)")
            }
        }
        return senders.keys.sorted().map {
            HeardScan(
                time: midnight * ENIN.seconds + $0, secondsSinceLastScan: before[$0] ?? nil, senders: senders[$0] ?? [])
        }
    }
}
