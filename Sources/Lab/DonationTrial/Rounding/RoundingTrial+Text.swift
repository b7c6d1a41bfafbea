// SPDX-License-Identifier: Apache-2.0

package import JSON

extension RoundingTrial {
    /// The numbers; shares from 0 to 1, intervals of 95 % by Wilson, entropies in bits.
    package var json: JSON {
        [
            "boards": .int(Int64(settings.boards)), "days": .int(Int64(settings.days)), "seed": .string("\(settings.seed)"),
            "positives": .int(Int64(positives)), "donations": .int(Int64(donations)),
            "emptyDonations": .int(Int64(emptyDonations)),
            "forms": .array(left.map(Self.json)),
        ]
    }

    private static func json(_ left: Left) -> JSON {
        [
            "form": .string(left.form.rawValue),
            "names": .array(
                left.names.map { names in
                    [
                        "alsoOthers": .bool(names.alsoOthers), "windows": .string(names.size.rawValue),
                        "known": names.known.json,
                        "others": names.others.json, "wrong": names.wrong.json,
                    ]
                }),
            "window": json(left.window, left.windowOthers), "donation": json(left.donation, left.donationOthers),
            "single": json(left.single, left.singleOthers),
        ]
    }

    private static func json(_ bits: WindowBits, _ others: Int) -> JSON {
        [
            "count": .int(Int64(bits.count)), "distinct": .int(Int64(bits.distinct)), "plugIn": .double(bits.plugIn),
            "corrected": .double(bits.corrected), "collision": bits.collision.map { .double($0) } ?? .null,
            "medianOthers": .int(Int64(others)),
        ]
    }

    /// The numbers for people.
    package var lines: [String] {
        var lines = [
            "\(settings.boards) boards, \(settings.days) days, seed \(settings.seed): \(positives) people published keys; "
                + "\(donations) donations with encounters, \(emptyDonations) without"
        ]
        for left in left {
            lines += ["", "\(left.form.rawValue)"]
            for names in left.names {
                let who = names.alsoOthers ? "names all boards" : "names known half"
                var line =
                    "  \(who), encounters \(names.size.rawValue): right \(Self.text(names.known)) of the known half's"
                if names.alsoOthers { line += ", \(Self.text(names.others)) of the others'" }
                lines.append(line + "; wrong \(Self.text(names.wrong)); chance \(Self.percent(names.known.chance))")
            }
            for (title, bits, others) in [
                ("an encounter", left.window, left.windowOthers), ("a donation", left.donation, left.donationOthers),
                ("a donation of one encounter", left.single, left.singleOthers),
            ] {
                lines.append(
                    "  \(title): \(bits.count), \(bits.distinct) different; \(Self.tenths(bits.corrected)) bits (plug-in \(Self.tenths(bits.plugIn)), "
                        + "collision \(bits.collision.map { Self.tenths($0) } ?? "none seen")); others of that day that look the same: \(others)"
                )
            }
        }
        return lines + [
            "", "intervals: 95 %, Wilson; entropies by Miller and Madow, still too low where most are different",
        ]
    }

    private static func text(_ share: JudgedShare) -> String {
        "\(percent(share.share)) (\(percent(share.interval.lowerBound)) to \(percent(share.interval.upperBound)); \(share.count))"
    }

    private static func percent(_ share: Double) -> String { tenths(share * 100) + " %" }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
