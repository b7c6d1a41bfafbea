// SPDX-License-Identifier: Apache-2.0

/// Somebody who has the true encounters of half the boards, knows when keys were published, and says of a donation which board it is from.
///
/// It takes a board that has all encounters of the donation, and of several the one of which the donation has all that was new; a tie is broken at
/// random. If there is none it may take a board of the other half: one of which the known boards have measured, at the other end, what comes nearest.
struct RoundingAdversary {
    /// A board of the known half: each encounter, by its number in ``RoundingAdversary/numbers``, and the day on which the board learns of it.
    struct Own {
        let window: SeenWindow
        let day: Int
    }

    /// What differs between two boards' measurements of one meeting: standard deviations of the mean attenuation in dB and of the minutes; and what an encounter
    /// too many or too few costs, in the logarithm of likelihood. Our own choice, by the model of the meetings.
    private static let levelError = 4.0, minutesError = 4.0, excess = 6.0
    /// A board of the other half is named if the cost of an encounter is not above this.
    private static let worst = 4.0

    private let form: RoundingForm
    private var numbers: [SeenWindow: Int] = [:]
    /// Of each known board the encounters, how often each, and from which day on.
    private var own: [Int: [Int: [Int]]] = [:]
    private var new: [Int: [Int: Int]] = [:]
    private var holders: [Int: Set<Int>] = [:]
    /// What the known boards measured of the others, by the day on which those learn of it.
    private let measured: [Int: [Int: [SeenWindow]]]
    private let boards: Int

    /// Takes raw encounters: those of known boards, and by board of the other half what known ones measured at the other end.
    init(_ form: RoundingForm, boards: Int, known: [Int: [Own]], measured: [Int: [Own]]) {
        (self.form, self.boards) = (form, boards)
        var others: [Int: [Int: [SeenWindow]]] = [:]
        for (board, windows) in measured {
            for one in windows { others[one.day, default: [:]][board, default: []].append(form.seen(one.window)) }
        }
        self.measured = others
        for (board, windows) in known {
            for one in windows {
                let number = number(form.seen(one.window))
                own[board, default: [:]][number, default: []].append(one.day)
                new[one.day * boards + board, default: [:]][number, default: 0] += 1
                holders[number, default: []].insert(board)
            }
        }
    }

    private mutating func number(_ window: SeenWindow) -> Int {
        if let number = numbers[window] { return number }
        numbers[window] = numbers.count
        return numbers.count - 1
    }

    /// The board that a donation of `day` is from; `nil` for none that it knows.
    func name(
        _ windows: [SeenWindow], on day: Int, alsoOthers: Bool, using random: inout SeededNumbers
    ) -> Int? {
        let seen = windows.map { numbers[$0] }
        var counts: [Int: Int] = [:]
        for number in seen { if let number { counts[number, default: 0] += 1 } }
        if !seen.contains(nil) {
            let best = candidates(counts, before: day).map { board in
                let new = new[(day - 1) * boards + board] ?? [:]
                let common = counts.reduce(0) { $0 + min($1.value, new[$1.key] ?? 0) }
                return (board: board, cost: Double(windows.count + new.values.reduce(0, +) - 2 * common))
            }
            if let board = Self.cheapest(best, using: &random)?.board { return board }
        }
        guard alsoOthers, let measured = measured[day - 1] else { return nil }
        let costs = measured.sorted { $0.key < $1.key }.map { (board: $0.key, cost: Self.cost($0.value, windows)) }
        guard let best = Self.cheapest(costs, using: &random), best.cost <= Self.worst * Double(windows.count) else {
            return nil
        }
        return best.board
    }

    /// The known boards that have all of these.
    private func candidates(_ counts: [Int: Int], before day: Int) -> [Int] {
        let rarest = counts.keys.compactMap { holders[$0] }.min { $0.count < $1.count } ?? []
        return rarest.sorted().filter { board in
            counts.allSatisfy { number, count in (own[board]?[number] ?? []).count { $0 < day } >= count }
        }
    }

    private static func cheapest(
        _ all: [(board: Int, cost: Double)], using random: inout SeededNumbers
    ) -> (board: Int, cost: Double)? {
        guard let least = all.map(\.cost).min() else { return nil }
        return all.filter { $0.cost == least }.randomElement(using: &random)
    }

    // MARK: The other end

    private struct Kind: Hashable {
        let day: Int
        let report: Int32, infectiousness: Int32, confidence: Int32
    }

    /// How unlikely it is that both are of the same meetings: encounters of one day and person are paired in the order of their attenuation.
    private static func cost(_ measured: [SeenWindow], _ donated: [SeenWindow]) -> Double {
        let (mine, theirs) = (byKind(measured), byKind(donated))
        return Set(mine.keys).union(theirs.keys).reduce(0) { sum, kind in
            let (one, other) = (mine[kind] ?? [], theirs[kind] ?? [])
            return zip(one, other).reduce(sum + excess * Double(abs(one.count - other.count))) { sum, pair in
                let level = (pair.0.level - pair.1.level) / levelError
                let minutes = (pair.0.minutes - pair.1.minutes) / minutesError
                return sum + min(2 * excess, (level * level + minutes * minutes) / 2)
            }
        }
    }

    private static func byKind(_ windows: [SeenWindow]) -> [Kind: [(level: Double, minutes: Double)]] {
        Dictionary(grouping: windows) {
            Kind(day: $0.day, report: $0.report, infectiousness: $0.infectiousness, confidence: $0.confidence)
        }.mapValues { windows in
            windows.map { window in
                let minutes = Double(window.scans.reduce(0) { $0 + $1.minutes })
                let weighted = window.scans.reduce(0) { $0 + $1.minutes * $1.typical }
                return (minutes > 0 ? Double(weighted) / minutes : 0, minutes)
            }.sorted { $0.0 < $1.0 }
        }
    }
}
