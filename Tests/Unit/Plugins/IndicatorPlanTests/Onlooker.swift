// SPDX-License-Identifier: Apache-2.0

import IndicatorPlan

/// Somebody who sees that there is light and that there is none, and nothing of its colour; who comes at any moment, and counts.
struct Onlooker {
    /// What a group of flashes looks like.
    enum Seen: Hashable {
        /// Short and long flashes of one group, with darkness before and behind.
        case group([Bool])
        /// An even blinking without a pause: how long the light is, in tenths of a second.
        case even(tenths: Int)
        case steady
        case dark
    }

    /// What was seen from `start` for `span` milliseconds; `nil` while that is not enough to tell.
    static func look(_ isLit: (Int) -> Bool, from start: Int, for span: Int) -> Seen? {
        var flashes: [(start: Int, length: Int)] = []
        var begin: Int?
        for moment in start..<(start + span) {
            if isLit(moment) {
                if begin == nil { begin = moment }
            } else if let first = begin {
                flashes.append((first, moment - first))
                begin = nil
            }
        }
        if begin == start { return .steady }
        // One that was under way at the beginning, or is at the end, has an unknown length.
        if isLit(start) { flashes = Array(flashes.dropFirst()) }
        guard let first = flashes.first else { return isLit(start) || begin != nil ? nil : .dark }
        var groups: [[(start: Int, length: Int)]] = [[first]]
        for flash in flashes.dropFirst() {
            if let last = groups.last?.last, flash.start - (last.start + last.length) > 600 {
                groups.append([flash])
            } else {
                groups[groups.count - 1].append(flash)
            }
        }
        let end = start + span
        // Whole: with darkness before, and behind.
        let whole = groups.first {
            guard let first = $0.first, let last = $0.last else { return false }
            return first.start - start > 600 && end - (last.start + last.length) > 600 && !overlaps($0, begin)
        }
        if let whole { return .group(whole.map { $0.length > 120 }) }
        if groups.count == 1, groups[0].count >= 4, Set(groups[0].map(\.length)).count == 1 {
            return .even(tenths: groups[0][0].length / 100)
        }
        return nil
    }

    private static func overlaps(_ group: [(start: Int, length: Int)], _ begin: Int?) -> Bool {
        guard let begin, let last = group.last else { return false }
        return begin - (last.start + last.length) <= 600
    }
}
