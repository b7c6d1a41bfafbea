// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ExposureRisk
import JSON
import Reality

struct RealityVerdictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verdicts", abstract: "Judges who met whom by risk models, and compares with where everybody stood.",
        discussion: """
            A unit is one phone that heard another while both were seen for at least eight minutes. Positive: a quarter of an hour within \
            --metres. The area is the chance that a positive unit scores above another. Intervals are of a bootstrap over pairs of \
            people, or over people. With --compare, by how much each rule's area lies above that of each other one, in the same \
            resamples; a star where the interval leaves out 0. All scenes together, then each by itself, by each --power. Exit status: 0, or 2 when a file cannot be used.
            """)

    @OptionGroup var options: RealityOptions
    @Option(
        parsing: .upToNextOption,
        help: "Risk configurations, as for vigil-lab risk, such as docs/examples/authorities/*.json.")
    var config: [String]
    @Flag(help: "Compare the areas of rules with each other.") var compare = false
    @Flag(help: "Compare units of the same scene only, for areas.") var withinScenes = false
    @Flag(help: "Draw people for intervals, not pairs: wider, because each person is in many pairs.") var byPeople = false

    func run() throws {
        let rules = try NamedRule.read(config)
        var sections: [JSON] = []
        for (power, pairs) in try options.pairs() {
            let judged = rules.map { Rule.model($0.parameters).judge(pairs, options.circumstances) }
            let everybody = Rule.everybody.judge(pairs)
            let groups = [options.scenes] + (options.scenes.count > 1 ? options.scenes.map { [$0] } : [])
            for scenes in groups {
                let units = pairs.indices.filter { scenes.contains(pairs[$0].scene.rawValue) }
                let subset = units.map { pairs[$0] }
                func verdicts(_ judged: [(score: Double, isAlarm: Bool)]) -> RuleVerdicts {
                    RuleVerdicts(
                        of: units.map { judged[$0] }, on: subset, isNearer: options.isNearer, withinScenes: withinScenes,
                        resampling: byPeople ? .people : .pairs)
                }
                let constant = verdicts(everybody)
                let rows = zip(rules, judged).map { ($0, verdicts($1)) }
                if options.json {
                    sections.append(json(power, scenes, constant, rows))
                } else {
                    show(power, scenes, constant, rows)
                }
            }
        }
        if options.json {
            print(
                JSON.object([
                    "metres": .double(options.metres), "infectiousness": .string(options.infectiousness),
                    "tables": .array(sections),
                ]))
        }
    }

    private func json(
        _ power: Int, _ scenes: [String], _ constant: RuleVerdicts, _ rows: [(NamedRule, RuleVerdicts)]
    ) -> JSON {
        [
            "power": .int(Int64(power)), "scenes": .array(scenes.map { .string($0) }),
            "everybody": .object(VerdictText.json(constant)),
            "rules": .array(
                rows.map { rule, verdicts in
                    var row = VerdictText.json(verdicts)
                    row["rule"] = .string(rule.name)
                    row["model"] = .string(rule.model.rawValue)
                    if compare {
                        row["areaAbove"] = .array(
                            rows.map { other in
                                verdicts.areaDifference(from: other.1).map {
                                    .array([.double($0.value), .double($0.low), .double($0.high)])
                                } ?? .null
                            })
                    }
                    return .object(row)
                }),
        ]
    }

    /// A line for each two rules, whose areas differ at all.
    private func showComparison(_ rows: [(NamedRule, RuleVerdicts)]) {
        print("area of one rule above that of another, in the same resamples")
        for (index, row) in rows.enumerated() {
            for other in rows[(index + 1)...] {
                guard let difference = row.1.areaDifference(from: other.1), difference.low < difference.high else {
                    continue
                }
                let isClear = difference.low > 0 || difference.high < 0
                print(
                    (isClear ? "* " : "  ")
                        + TextColumn.left("\(row.0.name) \(row.0.model.rawValue)", 38)
                        + TextColumn.left("\(other.0.name) \(other.0.model.rawValue)", 38)
                        + VerdictText.estimate(difference))
            }
        }
    }

    private func show(
        _ power: Int, _ scenes: [String], _ constant: RuleVerdicts, _ rows: [(NamedRule, RuleVerdicts)]
    ) {
        print(
            "\(scenes.joined(separator: ", ")): \(constant.count) units, \(constant.positives) positive; attenuation = \(power) - RSSI"
        )
        print(TextColumn.left("rule", 26) + TextColumn.left("model", 16) + VerdictText.columns)
        print(TextColumn.left("everybody warned", 42) + VerdictText.line(constant))
        for (rule, verdicts) in rows {
            print(
                TextColumn.left(rule.name, 26) + TextColumn.left(rule.model.rawValue, 16) + VerdictText.line(verdicts))
        }
        if compare { showComparison(rows) }
        print("")
    }
}
