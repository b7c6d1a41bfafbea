// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much information is in things of which some are equal.
package struct WindowBits: Sendable, Hashable {
    /// The things, and the different ones among them.
    package let count: Int, distinct: Int
    /// The entropy of the shares that were seen, in bits: too low, and never above log2 of ``count``.
    package let plugIn: Double
    /// The same with the correction of Miller and Madow, (distinct - 1) / (2 count): still too low where most are seen once.
    package let corrected: Double
    /// The bits of the chance that two of them are equal (Rényi's entropy of order 2), estimated without bias of that chance; `nil` if no two were. Never above the
    /// entropy.
    package let collision: Double?

    /// Counts things.
    init<Thing: Hashable>(_ things: some Sequence<Thing>) {
        var counts: [Thing: Int] = [:]
        for thing in things { counts[thing, default: 0] += 1 }
        let number = counts.values.reduce(0, +)
        (count, distinct) = (number, counts.count)
        plugIn = max(
            0, counts.values.map(Double.init).sorted().reduce(0) { $0 - $1 / Double(number) * log2($1 / Double(number)) })
        corrected = number == 0 ? 0 : plugIn + Double(distinct - 1) / (2 * Double(number)) / log(2)
        let pairs = counts.values.reduce(0) { $0 + $1 * ($1 - 1) }
        collision = pairs == 0 ? nil : log2(Double(number) * Double(number - 1) / Double(pairs))
    }

    /// Of how many others each is not to be told apart, in the middle: things are equal only within a group, such as those of one day.
    static func medianOthers<Thing: Hashable>(_ groups: [[Thing]]) -> Int {
        var others: [Int] = []
        for group in groups {
            var counts: [Thing: Int] = [:]
            for thing in group { counts[thing, default: 0] += 1 }
            others += group.map { (counts[$0] ?? 1) - 1 }
        }
        others.sort()
        return others.isEmpty ? 0 : others[(others.count - 1) / 2]
    }
}
