// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import JSON
import RiskConfiguration
import RiskStudy

/// What risk models say of encounters, for those who choose models and their numbers.
struct RiskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "risk", abstract: "Judges recorded or simulated encounters by risk models, for studies.",
        discussion: "docs/risk-study.md has the format of datasets and an example of everything.",
        subcommands: [RiskEvaluateCommand.self, RiskSweepCommand.self])
}

/// What both commands are told.
struct StudyOptions: ParsableArguments {
    @Option(help: "Risk configuration: Vigil's document, the NHS's JSON, or export.bin of the Corona-Warn-App.")
    var config: String

    @Option(
        parsing: .upToNextOption,
        help: "Datasets: vigil-windows-1 (JSON), or a table with a line for each scan (CSV). /dev/stdin works, too.")
    var windows: [String]

    @Option(help: "The day of judgement, from the study's day 0. If not given, the day of each case's latest window.")
    var today: Int?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print comma-separated values, for spreadsheets.")
    var csv = false

    @Option(help: "Draw a picture into this file.")
    var svg: String?

    func validate() throws {
        guard !windows.isEmpty else { throw ValidationError("--windows needs at least one file") }
        guard !json || !csv else { throw ValidationError("--json and --csv exclude each other") }
        if let today, !Evaluation.todays.contains(today) {
            let range = Evaluation.todays
            throw ValidationError(
                "--today must be from \(range.lowerBound) to \(range.upperBound), days from the study's day 0")
        }
    }

    func readConfiguration() throws -> RiskConfiguration {
        try Self.naming(config) {
            try StudyConfiguration.read(Files.read(config, limit: StudyConfiguration.maximumByteCount))
        }
    }

    func readDataset() throws -> StudyDataset {
        let datasets = try windows.map { path in
            try Self.naming(path) { try StudyDataset(reading: Files.read(path, limit: StudyDataset.maximumByteCount)) }
        }
        return StudyDataset.joined(datasets)
    }

    /// Errors of a study with the file they are about.
    static func naming<Value>(_ file: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as StudyError { throw InputError(file: file, error.description) }
    }

    func print(text: [String], csv table: String, json document: JSON, picture: @autoclosure () -> String) throws {
        if let svg { try Files.write(Array(picture().utf8), to: svg) }
        if json {
            Swift.print(document)
        } else if csv {
            Swift.print(table, terminator: "")
        } else {
            for line in text { Swift.print(line) }
        }
    }
}

/// Case by case.
struct RiskEvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Judges every case of a dataset, and says how sure that is.",
        discussion: """
            Scores come with the lowest and highest that they could be if the loudness of the other devices is not what it was \
            taken for. “either way”: within that the verdict changes. Exit status: 0 when it was judged, 2 when a file cannot be used.
            """)

    @OptionGroup var options: StudyOptions

    @Option(
        help:
            "Only this model: dailySummaries, cwaFirst, cwaSecond, nhsFirst, nhsSecond or swissCovid. All that the configuration has if not given."
    )
    var model: String?

    @Option(help: "Error of the calibration in dB: one number, or four for lowest, low, medium and high (8,6,4,2).")
    var calibration: String?

    func validate() throws {
        if let calibration, CalibrationError(calibration) == nil {
            throw ValidationError(
                "--calibration must be one number or four with commas, each from 0 to 40 dB, such as 6 or 8,6,4,2")
        }
    }

    func run() throws {
        let configuration = try options.readConfiguration()
        let models = try StudyOptions.naming(options.config) { try configuration.studied(model) }
        let dataset = try options.readDataset()
        var bar = ProgressBar("cases")
        let evaluation = Evaluation(
            dataset, models: models, mapping: configuration.mapping, today: options.today,
            calibration: calibration.flatMap(CalibrationError.init) ?? .standard
        ) { bar.update(UInt64($0), of: UInt64($1)) }
        try options.print(
            text: evaluation.text, csv: evaluation.csv, json: evaluation.json, picture: evaluation.picture)
    }
}

/// What other numbers in the configuration would change.
struct RiskSweepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep", abstract: "Varies one or two numbers of a configuration and counts who would be warned.",
        discussion: """
            Paths are those of Vigil's document, in which every configuration can be written: \
            --vary 'models[0].cwaSecond.minutesAtAttenuationWeights[1].weight=0:2:0.1'. Values that make the configuration invalid \
            are shown as such. Exit status: 0 when it was judged, 2 when a file, path or range cannot be used.
            """)

    @OptionGroup var options: StudyOptions

    @Option(help: "PATH=FROM:TO:STEP; once or twice.")
    var vary: [String]

    @Option(help: "The model that judges. The one that --vary leads to, or the configuration's first, if not given.")
    var model: String?

    func run() throws {
        let configuration = try options.readConfiguration()
        let dataset = try options.readDataset()
        var bar = ProgressBar("values")
        let sweep = try StudyOptions.naming(options.config) {
            try Sweep(
                dataset, configuration: configuration, variations: vary.map { try Variation($0) }, model: model,
                today: options.today
            ) { bar.update(UInt64($0), of: UInt64($1)) }
        }
        try options.print(text: sweep.text, csv: sweep.csv, json: sweep.json, picture: sweep.picture)
    }
}
