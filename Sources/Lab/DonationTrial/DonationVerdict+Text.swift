// SPDX-License-Identifier: Apache-2.0

package import JSON

extension JudgedShare {
    /// The numbers, shares from 0 to 1.
    var json: JSON {
        func pair(_ range: ClosedRange<Double>) -> JSON { [.double(range.lowerBound), .double(range.upperBound)] }
        return [
            "count": .int(Int64(count)), "right": .int(Int64(right)), "share": .double(share), "interval": pair(interval),
            "chance": .double(chance), "chanceInterval": pair(chanceInterval), "difference": .double(difference.value),
            "differenceInterval": pair(difference.interval), "isBetterThanChance": .bool(isBetterThanChance),
        ]
    }
}

extension DonationJudge.Verdict {
    /// The numbers, shares from 0 to 1; intervals of shares by Wilson, of 95 %.
    package var json: JSON {
        [
            "all": all.json, "byDay": byDay.json, "sure": sure.json, "digests": digests.json,
            "digestsOfAll": digestsOfAll.json, "pairs": pairs.json, "guesses": .int(Int64(guesses)),
            "aboutNothing": .int(Int64(aboutNothing)), "isBetterThanChance": .bool(isBetterThanChance),
        ]
    }

    /// The verdict in one line.
    package var sentence: String {
        guard isBetterThanChance else { return "no better than chance" }
        let shares = [
            ("all donations", all), ("those it is sure of", sure), ("all digests", digests),
            ("all pairs of a digest and a donation", pairs),
        ]
        let (what, share) = shares.first { $0.1.isBetterThanChance } ?? shares[0]
        let points = share.difference.interval
        return
            "better than chance: of \(what) \(Self.percent(share.share)) are right, chance gives \(Self.percent(share.chance)); "
            + "the difference is \(Self.points(points.lowerBound)) to \(Self.points(points.upperBound)) percentage points (95 %, Wilson)"
    }

    /// The verdict for people; the last line is ``sentence``.
    package var lines: [String] {
        func interval(_ range: ClosedRange<Double>) -> String {
            "\(Self.percent(range.lowerBound)) to \(Self.percent(range.upperBound))"
        }
        func line(_ title: String, _ chance: String, _ share: JudgedShare) -> [String] {
            let points = share.difference
            return [
                "\(title): \(share.right) of \(share.count) right, \(Self.percent(share.share)) (\(interval(share.interval)))",
                "  chance, \(chance): \(Self.percent(share.chance)) (\(interval(share.chanceInterval))); difference "
                    + "\(Self.points(points.value)) (\(Self.points(points.interval.lowerBound)) to \(Self.points(points.interval.upperBound))) percentage points",
            ]
        }
        var lines = line("all donations", "1 of those of the same hour", all)
        lines += [line("", "1 of those of the same day", byDay)[1]]
        lines += sure.count == 0 ? ["sure: none"] : line("sure", "1 of those of the same hour", sure)
        if digests.count > 0 {
            lines += line("digests of a survey", "1 of those of the same day", digests)
            lines += [line("", "1 of all that sent one", digestsOfAll)[1]]
            lines += line("a donation of the device that sent a digest", "1 of all donations", pairs)
        }
        lines.append("\(guesses) guesses, \(aboutNothing) of them about exchanges that stored nothing")
        lines.append("intervals: 95 %, shares by Wilson")
        return lines + [sentence]
    }

    private static func percent(_ share: Double) -> String { points(share) + " %" }

    /// Hundredths of a percentage point.
    private static func points(_ share: Double) -> String {
        let hundredths = Int((abs(share) * 10_000).rounded())
        let rest = hundredths % 100
        return (share < 0 && hundredths > 0 ? "-" : "") + "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
