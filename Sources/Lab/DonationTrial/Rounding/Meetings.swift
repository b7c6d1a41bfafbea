// SPDX-License-Identifier: Apache-2.0

import GAEN

/// People who live together, work together and meet by chance, and which of them fall ill. Days count from the first of the trial, seconds from midnight.
struct Meetings {
    /// Time that two people spend at one distance.
    struct Stretch {
        let seconds: Range<Double>
        let metres: Double
    }

    /// All that a person has of one who is contagious on one day.
    struct Contact {
        let source: Int, other: Int, day: Int
        var stretches: [Stretch]
    }

    /// A person, and the board that they wear.
    struct Person {
        let home: Int, seat: Int
        /// Where they work; `nil` if nowhere.
        let work: Int?
        /// How much louder the board sends than it says, and hears than it should, in dB.
        let sendError: Double, hearError: Double
        let confidence: CalibrationConfidence
        var illness: Illness?
    }

    struct Illness {
        /// The day on whose evening the keys are published, and that on which symptoms began.
        let diagnosis: Int, onset: Int
        let report: ReportType

        /// Whether meetings of this day count: before the diagnosis, and contagious.
        func counts(on day: Int) -> Bool { day <= diagnosis && Meetings.contagious.contains(day - onset) }
    }

    /// The days since onset that have an infectiousness, and those with a high one: our own choice.
    static let contagious = -3...8, highlyContagious = -2...3

    let people: [Person]
    private let homes: [[Int]], works: [[Int]]
    private static let confidences: [CalibrationConfidence] = [.high, .high, .high, .medium, .low]

    init(_ settings: RoundingSettings, using random: inout SeededNumbers) {
        homes = Self.groups(Array(0..<settings.boards), 1...4, using: &random)
        works = Self.groups((0..<settings.boards).filter { _ in random.chance(0.7) }, 3...8, using: &random)
        var people = [Person?](repeating: nil, count: settings.boards)
        let work = Dictionary(uniqueKeysWithValues: works.enumerated().flatMap { number, all in all.map { ($0, number) } })
        for (home, all) in homes.enumerated() {
            for (seat, person) in all.enumerated() {
                people[person] = Person(
                    home: home, seat: seat, work: work[person], sendError: random.gaussian(2),
                    hearError: random.gaussian(2), confidence: Self.confidences.randomElement(using: &random) ?? .high)
            }
        }
        var settled = people.compactMap { $0 }
        for person in settled.indices where random.chance(settings.positiveShare) {
            let diagnosis = Int.random(in: min(3, settings.days - 1)..<settings.days, using: &random)
            settled[person].illness = Illness(
                diagnosis: diagnosis, onset: diagnosis - .random(in: 1...4, using: &random),
                report: random.chance(0.85) ? .confirmedTest : .selfReport)
        }
        self.people = settled
    }

    private static func groups(
        _ all: [Int], _ size: ClosedRange<Int>, using random: inout SeededNumbers
    ) -> [[Int]] {
        var (groups, rest) = ([[Int]](), all.shuffled(using: &random)[...])
        while !rest.isEmpty {
            groups.append(Array(rest.prefix(.random(in: size, using: &random))))
            rest = rest.dropFirst(groups.last?.count ?? 1)
        }
        return groups
    }

    // MARK: A day

    /// What people have on a day of those whose keys are published later or that evening.
    func contacts(on day: Int, using random: inout SeededNumbers) -> [Contact] {
        var met: [(Int, Int, [Stretch])] = []
        let isWeekend = day % 7 >= 5
        for home in homes {
            forEachPair(home) { met.append(($0, $1, Self.home(isWeekend, using: &random))) }
        }
        if !isWeekend {
            for work in works {
                let spacing = Double.random(in: 1.5...3, using: &random)
                forEachPair(work) { one, other in
                    guard isOut(one, day), isOut(other, day) else { return }
                    met.append((one, other, Self.work(spacing * .random(in: 1...3, using: &random), using: &random)))
                }
            }
        }
        // Each person meets two a day by chance: on a bus, in a shop.
        for one in people.indices {
            let other = Int.random(in: people.indices, using: &random)
            let stretch = Self.chance(using: &random)
            if one != other, isOut(one, day), isOut(other, day) { met.append((one, other, [stretch])) }
        }
        var contacts: [Int: Contact] = [:]
        for (one, other, stretches) in met {
            for (source, other) in [(one, other), (other, one)] where people[source].illness?.counts(on: day) ?? false {
                contacts[
                    source * people.count + other, default: Contact(source: source, other: other, day: day, stretches: [])
                ].stretches += stretches
            }
        }
        return contacts.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Who has a diagnosis stays at home from the next day on.
    private func isOut(_ person: Int, _ day: Int) -> Bool { people[person].illness.map { day <= $0.diagnosis } ?? true }

    private func forEachPair(_ group: [Int], _ body: (Int, Int) -> Void) {
        for (number, one) in group.enumerated() { for other in group[(number + 1)...] { body(one, other) } }
    }

    private static func home(_ isWeekend: Bool, using random: inout SeededNumbers) -> [Stretch] {
        func at(_ hours: Double) -> Double { hours * 3_600 + .random(in: -600...600, using: &random) }
        let (bed, up, down) = (Double.random(in: 1...3, using: &random), at(6.8), at(22.6))
        var stretches = [Stretch(seconds: 0..<up, metres: bed), Stretch(seconds: down..<86_400, metres: bed)]
        stretches.append(Stretch(seconds: up + 300..<up + 1_500, metres: 0.9))
        for hour in isWeekend ? [9, 10, 11, 12, 19, 20] : [19, 20] {
            let start = at(Double(hour) + 0.3)
            stretches.append(
                Stretch(
                    seconds: start..<start + .random(in: 600...2_400, using: &random),
                    metres: .random(in: 0.8...4, using: &random)))
        }
        return stretches
    }

    private static func work(_ metres: Double, using random: inout SeededNumbers) -> [Stretch] {
        func at(_ hours: Double) -> Double { hours * 3_600 + .random(in: -900...900, using: &random) }
        var stretches = [
            Stretch(seconds: at(8.8)..<at(11.7), metres: metres), Stretch(seconds: at(13.2)..<at(16.5), metres: metres),
        ]
        // Not everybody eats with everybody.
        if random.chance(0.5) { stretches.append(Stretch(seconds: 43_300..<45_600, metres: 1.1)) }
        return stretches
    }

    /// Three to forty minutes, short ones more often.
    private static func chance(using random: inout SeededNumbers) -> Stretch {
        let draw = Double.random(in: 0..<1, using: &random)
        let start = Double.random(in: 8...20, using: &random) * 3_600
        return Stretch(
            seconds: start..<start + 180 + 2_220 * draw * draw, metres: .random(in: 0.7...5, using: &random))
    }
}
