// SPDX-License-Identifier: Apache-2.0

/// How often donations are rightly named by somebody who has the true encounters of half the boards, and how much information is in them, by how they are
/// rounded.
package struct RoundingTrial: Sendable {
    /// How many encounters a donation has.
    package enum Size: String, Sendable, CaseIterable {
        case any, one, two
        case more = "three-or-more"

        func contains(_ count: Int) -> Bool {
            switch self {
            case .any: true
            case .one: count == 1
            case .two: count == 2
            case .more: count > 2
            }
        }
    }

    /// What an adversary's names are worth; of donations that have encounters.
    package struct Names: Sendable, Hashable {
        /// Whether it may name boards of the half whose encounters it does not have.
        package let alsoOthers: Bool
        package let size: Size
        /// The rightly named ones among those of the known half, and of the other half.
        package let known: JudgedShare, others: JudgedShare
        /// The wrongly named ones among all; the chance of this share is without meaning.
        package let wrong: JudgedShare
    }

    /// What is left of a person in one form.
    package struct Left: Sendable {
        package let form: RoundingForm
        package let names: [Names]
        /// The bits of one encounter without its day, of one donation with the age of its encounters in days, and of one donation that has one encounter.
        package let window: WindowBits, donation: WindowBits, single: WindowBits
        /// How many other encounters that were donated the same day look the same, in the middle; and how many donations.
        package let windowOthers: Int, donationOthers: Int, singleOthers: Int
    }

    private struct Donation {
        let board: Int, day: Int
        let read: RoundingDonor.Read

        func windows(in form: RoundingForm) -> [SeenWindow] {
            form == .rounded ? read.rounded : read.raw.map(form.seen)
        }
    }

    package let settings: RoundingSettings
    /// The people who published their keys, and the donations with and without encounters.
    package private(set) var positives = 0, donations = 0, emptyDonations = 0
    package private(set) var left: [Left] = []

    private typealias Encounters = [[RoundingDonor.Known]]

    /// Plays it. `progress` is called after each day.
    package init(_ settings: RoundingSettings, progress: (Int) -> Void = { _ in }) throws {
        self.settings = settings
        var random = SeededNumbers(settings.seed, part: 4 << 60)
        let isKnown = Set((0..<settings.boards).shuffled(using: &random).prefix(settings.boards / 2))
        let meetings = Meetings(settings, using: &random)
        positives = meetings.people.count { $0.illness != nil }
        var encounters: Encounters = Array(repeating: [], count: settings.boards)
        var measured: [Int: [RoundingAdversary.Own]] = [:]
        var radio = try MeetingRadio(settings, meetings.people)
        var delays: [Int: Int] = [:]
        for day in 0..<settings.days {
            for contact in meetings.contacts(on: day, using: &random) {
                let known = { (delay: Int) in (meetings.people[contact.source].illness?.diagnosis ?? 0) + delay }
                let pair = contact.source * settings.boards + contact.other
                let delay = delays[pair] ?? (random.chance(0.25) ? 1 : 0)
                delays[pair] = delay
                encounters[contact.other] += try radio.windows(of: contact, heardBy: contact.other).map {
                    .init(window: $0, day: known(delay))
                }
                guard isKnown.contains(contact.source), !isKnown.contains(contact.other) else { continue }
                measured[contact.other, default: []] += try radio.windows(of: contact, heardBy: contact.source).map {
                    .init(window: try RoundingDonor.raw($0), day: known(0))
                }
            }
            progress(day + 1)
        }
        let all = try donate(encounters, using: &random)
        var known: [Int: [RoundingAdversary.Own]] = [:]
        for board in isKnown {
            known[board] = try encounters[board].map { .init(window: try RoundingDonor.raw($0.window), day: $0.day) }
        }
        for form in RoundingForm.allCases {
            let adversary = RoundingAdversary(form, boards: settings.boards, known: known, measured: measured)
            let seen = all.map { $0.windows(in: form) }
            var names: [Names] = []
            for alsoOthers in [false, true] {
                var draw = SeededNumbers(settings.seed, part: 5 << 60)
                let guesses = zip(all, seen).map { adversary.name($1, on: $0.day, alsoOthers: alsoOthers, using: &draw) }
                names += Size.allCases.map { Self.judge($0, alsoOthers, all, guesses, isKnown, settings.boards) }
            }
            left.append(Self.left(form, names, all, seen))
        }
    }

    private mutating func donate(_ encounters: Encounters, using random: inout SeededNumbers) throws -> [Donation] {
        var all: [Donation] = []
        let fresh = try RoundingDonor(settings)
        for board in encounters.indices {
            var donor = fresh
            for day in 1...settings.days where !random.chance(settings.missedShare) {
                if let read = try donor.donate(on: day, encounters[board], using: &random) {
                    all.append(Donation(board: board, day: day, read: read))
                } else {
                    emptyDonations += 1
                }
            }
        }
        donations = all.count
        return all
    }

    private static func judge(
        _ size: Size, _ alsoOthers: Bool, _ all: [Donation], _ guesses: [Int?], _ isKnown: Set<Int>, _ boards: Int
    ) -> Names {
        let chance = 1 / Double(alsoOthers ? boards : isKnown.count)
        let judged = zip(all, guesses).filter { size.contains($0.0.read.raw.count) }
        func share(_ part: [(Donation, Int?)], _ isGood: (Donation, Int?) -> Bool) -> JudgedShare {
            JudgedShare(right: part.count { isGood($0.0, $0.1) }, chances: part.map { _ in chance })
        }
        return Names(
            alsoOthers: alsoOthers, size: size,
            known: share(judged.filter { isKnown.contains($0.0.board) }) { $0.board == $1 },
            others: share(judged.filter { !isKnown.contains($0.0.board) }) { $0.board == $1 },
            wrong: share(judged) { $1 != nil && $0.board != $1 })
    }

    private static func left(
        _ form: RoundingForm, _ names: [Names], _ all: [Donation], _ seen: [[SeenWindow]]
    ) -> Left {
        func aged(_ window: SeenWindow, _ day: Int) -> SeenWindow {
            var window = window
            window.day = day
            return window
        }
        var bags: [[SeenWindow: Int]] = [], windowsByDay: [Int: [SeenWindow]] = [:]
        var bagsByDay: [Int: [[SeenWindow: Int]]] = [:], singlesByDay: [Int: [[SeenWindow: Int]]] = [:]
        var singles: [[SeenWindow: Int]] = []
        for (donation, windows) in zip(all, seen) {
            var bag: [SeenWindow: Int] = [:]
            for window in windows { bag[aged(window, window.day - donation.day), default: 0] += 1 }
            bags.append(bag)
            windowsByDay[donation.day, default: []] += windows
            bagsByDay[donation.day, default: []].append(bag)
            if windows.count == 1 {
                singles.append(bag)
                singlesByDay[donation.day, default: []].append(bag)
            }
        }
        return Left(
            form: form, names: names, window: WindowBits(seen.lazy.flatMap { $0 }.map { aged($0, 0) }),
            donation: WindowBits(bags), single: WindowBits(singles),
            windowOthers: WindowBits.medianOthers(Array(windowsByDay.values)),
            donationOthers: WindowBits.medianOthers(Array(bagsByDay.values)),
            singleOthers: WindowBits.medianOthers(Array(singlesByDay.values)))
    }
}
