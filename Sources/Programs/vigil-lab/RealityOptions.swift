// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ExposureRisk
import GAEN
import JSON
import Reality
import RiskConfiguration
import RiskStudy

/// What commands are told that judge who met whom.
struct RealityOptions: ParsableArguments {
    @Argument(help: "The folder exp34-epfl-soldiers of DP-3T/bt-measurements.") var folder: String
    @Option(parsing: .upToNextOption, help: "Scenes: lunch, train, office, movement.") var scenes = [
        "lunch", "train", "office",
    ]
    @Option(help: "Positive is a quarter of an hour within so many metres: 2 or 1.5.") var metres = 2.0
    @Option(
        parsing: .unconditionalSingleValue,
        help:
            "Attenuation is this less the signal strength; may be given more than once. -21 as on the day and -29 by Google's later tables if not given."
    )
    var power: [Int] = []
    @Option(help: "How infectious everybody was: standard or high.") var infectiousness = "standard"
    @Flag(help: "Print JSON.") var json = false

    var powers: [Int] { power.isEmpty ? [-21, -29] : power }
    var isNearer: Bool { metres == 1.5 }
    var circumstances: Circumstances {
        var circumstances = Circumstances()
        if infectiousness == "high" { circumstances.infectiousness = .high }
        return circumstances
    }

    func validate() throws {
        guard metres == 2 || metres == 1.5 else { throw ValidationError("--metres must be 2 or 1.5") }
        guard powers.count <= 4, powers.allSatisfy((-50...20).contains) else {
            throw ValidationError("--power must be from -50 to 20 dBm, at most four times")
        }
        guard !scenes.isEmpty, Set(scenes).count == scenes.count,
            scenes.allSatisfy({ ScenePositions.Name(rawValue: $0) != nil })
        else { throw ValidationError("--scenes must be of lunch, train, office and movement, each once") }
        guard ["standard", "high"].contains(infectiousness) else {
            throw ValidationError("--infectiousness must be standard or high")
        }
    }

    /// The units for each of ``powers``. Throws for a folder that cannot be used.
    func pairs() throws -> [(power: Int, pairs: [MetPair])] {
        var bar = ProgressBar("captures and scenes")
        let names = scenes.compactMap(ScenePositions.Name.init)
        let captures = RecordedAfternoon.phones.count
        let all = UInt64(captures + names.count * powers.count)
        let soldiers = try RecordedAfternoon(folder: folder) { bar.update(UInt64($0), of: all) }
        return try powers.enumerated().map { index, power in
            let pairs = try soldiers.pairs(names, .init(transmitPower: Int8(power), correction: 0)) {
                bar.update(UInt64(captures + index * names.count + $0), of: all)
            }
            return (power, pairs)
        }
    }
}

/// A model of a configuration, by the name of its file.
struct NamedRule {
    let name: String
    let model: RiskModelName
    let configuration: RiskConfiguration
    let parameters: RiskModelParameters

    /// The most rules of one run.
    static let most = 40

    /// All models of the configurations at `paths`. A file of several models makes several rules.
    static func read(_ paths: [String]) throws -> [NamedRule] {
        let rules = try paths.flatMap { path in
            let configuration = try StudyOptions.naming(path) {
                try StudyConfiguration.read(Files.read(path, limit: StudyConfiguration.maximumByteCount))
            }
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let name = file.hasSuffix(".json") ? String(file.dropLast(5)) : file
            return configuration.models.map {
                NamedRule(name: name, model: $0.name, configuration: configuration, parameters: $0)
            }
        }
        guard rules.count <= most else { throw ValidationError("--config has \(rules.count) models; \(most) is the most") }
        return rules
    }
}

/// Figures of verdicts in lines and in JSON.
enum VerdictText {
    static let columns =
        TextColumn.right("alarms", 7) + TextColumn.right("precision", 18) + TextColumn.right("recall", 18)
        + TextColumn.right("area (95 %)", 18)

    static func estimate(_ value: Estimate?) -> String {
        guard let value else { return "-" }
        func hundredths(_ value: Double) -> String { Terminal.fixed((value * 100).rounded() / 100, 2) }
        return "\(hundredths(value.value)) (\(hundredths(value.low))-\(hundredths(value.high)))"
    }

    static func line(_ verdicts: RuleVerdicts) -> String {
        TextColumn.right("\(verdicts.alarms)", 7)
            + [verdicts.precision, verdicts.recall, verdicts.area].map { TextColumn.right(estimate($0), 18) }.joined()
    }

    static func json(_ verdicts: RuleVerdicts) -> JSON.Object {
        var row: JSON.Object = [
            "units": .int(Int64(verdicts.count)), "positives": .int(Int64(verdicts.positives)),
            "alarms": .int(Int64(verdicts.alarms)), "hits": .int(Int64(verdicts.hits)),
        ]
        for (name, value) in [
            ("precision", verdicts.precision), ("recall", verdicts.recall), ("balance", verdicts.balance),
            ("area", verdicts.area),
        ] {
            row[name] = value.map { .array([.double($0.value), .double($0.low), .double($0.high)]) }
        }
        return row
    }
}
