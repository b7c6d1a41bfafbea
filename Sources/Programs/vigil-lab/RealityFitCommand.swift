// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ExposureRisk
import JSON
import Reality
import RiskConfiguration

struct RealityFitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit", abstract: "Fits the numbers of rules to some scenes, and scores them on others.",
        discussion: """
            Each scene is left out once: the numbers are fitted on the others and judge the one that was left out. The area compares units \
            of the same scene. docs/fitting-rules.md says which numbers move, and how. --out writes the configuration of the one model \
            of --config, fitted on all scenes, by the one --power. Exit status: 0, or 2 when a file cannot be used.
            """)

    @OptionGroup var options: RealityOptions
    @Option(parsing: .upToNextOption, help: "Risk configurations, as for vigil-lab risk.") var config: [String] = []
    @Flag(help: "Also score this project's own rule.") var own = false
    @Option(help: "Write the fitted configuration into this file.") var out: String?

    func validate() throws {
        guard options.scenes.count > 1 else {
            throw ValidationError("--scenes needs two or more: one is left out each time")
        }
        guard own || !config.isEmpty else { throw ValidationError("give --config, or --own") }
        guard out == nil || (!own && options.powers.count == 1) else {
            throw ValidationError("--out needs one --power, and excludes --own")
        }
    }

    func run() throws {
        let rules = try NamedRule.read(config)
        guard out == nil || rules.count == 1 else { throw ValidationError("--out needs a --config of one model") }
        let fitted = try rules.map { rule in
            try StudyOptions.naming(rule.name) { try FittedRule(rule.configuration, model: rule.model) }
        }
        var sections: [JSON] = []
        for (power, pairs) in try options.pairs() {
            var bar = ProgressBar("fits")
            let all = UInt64((options.scenes.count + 1) * (rules.count + (own ? 1 : 0)))
            var rows: [(name: String, published: RuleVerdicts, fit: LeftOutScenes)] = []
            func fit(_ name: String, _ rule: FittedRule) {
                let done = rows.count * (options.scenes.count + 1)
                let fit = LeftOutScenes(rule, pairs, isNearer: options.isNearer, options.circumstances) {
                    bar.update(UInt64(done + $0), of: all)
                }
                let zeros = [Double](repeating: 0, count: rule.leverCount)
                let asPublished = rule.moved(zeros)?.judge(fit.pairs, options.circumstances) ?? []
                let published = RuleVerdicts(
                    of: asPublished, on: fit.pairs, isNearer: options.isNearer, withinScenes: true)
                rows.append((name, published, fit))
            }
            for (rule, subject) in zip(rules, fitted) { fit("\(rule.name) \(rule.model.rawValue)", subject) }
            if own, let start = AveragedRule() { fit("own rule", FittedRule(start)) }
            if options.json { sections.append(json(power, rows)) } else { show(power, rows) }
            if let out, let subject = fitted.first, let row = rows.first {
                guard let configuration = subject.configuration(row.fit.stepsOfAll) else {
                    throw InputError(file: out, "was not written: the fitted numbers cannot be used")
                }
                try Files.write(configuration.document, to: out)
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

    private func json(_ power: Int, _ rows: [(name: String, published: RuleVerdicts, fit: LeftOutScenes)]) -> JSON {
        [
            "power": .int(Int64(power)),
            "rules": .array(
                rows.map { name, published, fit in
                    [
                        "rule": .string(name), "published": .object(VerdictText.json(published)),
                        "outOfScene": .object(VerdictText.json(fit.together)),
                        "folds": .array(
                            fit.folds.map { fold in
                                [
                                    "scene": .string(fold.scene.rawValue),
                                    "steps": .array(fold.steps.map { .double($0) }),
                                    "verdicts": .object(VerdictText.json(fold.verdicts)),
                                ]
                            }), "stepsOfAll": .array(fit.stepsOfAll.map { .double($0) }),
                    ]
                }),
        ]
    }

    private func show(_ power: Int, _ rows: [(name: String, published: RuleVerdicts, fit: LeftOutScenes)]) {
        guard let first = rows.first else { return }
        print(
            "\(first.published.count) units, \(first.published.positives) positive; attenuation = \(power) - RSSI; area within scenes"
        )
        let columns = VerdictText.columns + TextColumn.right("balance", 18)
        print(TextColumn.left("rule", 44) + columns)
        func line(_ verdicts: RuleVerdicts) -> String {
            VerdictText.line(verdicts) + TextColumn.right(VerdictText.estimate(verdicts.balance), 18)
        }
        for (name, published, fit) in rows {
            print(TextColumn.left(name, 44) + line(published))
            print(TextColumn.left("  fitted, each scene by the others", 44) + line(fit.together))
            for fold in fit.folds {
                let steps = fold.steps.map { Terminal.fixed($0, 2) }.joined(separator: " ")
                print(TextColumn.left("    without \(fold.scene.rawValue): steps \(steps)", 44) + line(fold.verdicts))
            }
        }
        let others = rows.filter { $0.name != "own rule" }
        if own, let mine = rows.last?.fit.together.area, !others.isEmpty {
            let isClear = others.allSatisfy { ($0.published.area?.high ?? 1) < mine.low }
            print(
                isClear
                    ? "The own rule's area lies clear above that of every published rule."
                    : "The own rule's area does not lie clear above that of every published rule.")
        }
        print("")
    }
}
