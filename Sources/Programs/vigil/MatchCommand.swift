// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import GAEN
import Glibc
import KeyExport
import KeyIntake
import Matching

struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Finds out whether anybody who was heard has since been diagnosed.",
        discussion: """
            Compares signed key files with recorded sightings, offline, and prints the exposure windows. Every file must carry \
            a valid signature by a key given with --verify; a refused file has no effect and makes the exit status 1.
            """)

    @Option(name: .customLong("keys"), parsing: .upToNextOption, help: "Diagnosis key files (zip).")
    var keyFiles: [String]

    @Option(
        parsing: .upToNextOption,
        help:
            "Public keys (PEM) that may sign, as ID-VERSION=FILE. A bare FILE may sign under any name (implies --any-key).")
    var verify: [String]

    @Flag(help: "Accept a signature by any given key, whatever the file calls it, as the Corona-Warn-App does.")
    var anyKey = false

    @Option(help: "Recorded sightings (CSV: time,previous_scan,rssi,rpi,aem).")
    var sightings: String

    @Option(help: "Mapping and parameters (JSON, docs/schemas/match-config.schema.json).")
    var config: String?

    @Option(help: "The present, in Unix seconds; decides which keys are too old. The system's clock when not given.")
    var now: Int64?

    @Option(help: "Which kernel derives identifiers; the result does not depend on it.")
    var kernel: String?

    @Option(help: "Give up after this many seconds; nothing is matched then.")
    var timeout: Int?

    @Flag(help: "Print JSON (docs/schemas/match-report.schema.json).")
    var json = false

    func run() throws {
        let configuration = try config.map { try MatchConfiguration.read(path: $0) } ?? .standard
        let keys = try VerificationKeys(arguments: verify, anyKey: anyKey)
        let heard = try SightingsFile.read(path: sightings)
        let clock = ContinuousClock()
        let start = clock.now
        let deadline = timeout.map { start + .seconds($0) }
        var run = MatchRun(
            index: SightingIndex(heard), trust: keys.trust, policy: keys.policy, time: now ?? Int64(time(nil)),
            program: try Unpacking.program(), kernel: try chosenKernel())
        var report = MatchReport()
        report.sightings = heard.count
        for path in keyFiles {
            do {
                var bar = ProgressBar(path)
                let outcome = try run.add(path: path) { done, total in
                    bar.update(done, of: total)
                    return deadline.map { clock.now < $0 } ?? true
                }
                report.add(path, outcome)
            } catch let error as KeyExportError {
                Terminal.error("vigil: \(path): \(error)\n")
                report.add(path, refused: error)
            } catch let error as IntakeFailure {
                throw InputError(file: path, "\(error)")
            }
        }
        Unpacking.mention(isConfined: run.isConfined)
        report.keysExamined = run.statistics.keys
        report.keysTooOld = run.statistics.expired
        report.keysWithoutPossibleSighting = run.statistics.impossible
        for (flaw, count) in run.flaws { report.keysRefused[flaw.rawValue] = count }
        let matches: [Match]
        do {
            matches = try run.finish().matches
        } catch {
            Terminal.error("vigil: \(error)\n")
            throw ExitStatus.refused
        }
        report.matchedKeyCount = matches.count
        var generator = SystemRandomNumberGenerator()
        report.set(ExposureWindow.released(from: matches, mapping: configuration.mapping, using: &generator))
        if let v1 = configuration.v1 {
            report.set(
                ExposureSummaryV1(
                    matches, configuration: v1, mapping: configuration.mapping, now: now ?? Int64(time(nil))))
        }
        let elapsed = clock.now - start
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        if json { print(try report.json()) } else { print(report.text(seconds: seconds), terminator: "") }
        if !report.refusedFiles.isEmpty { throw ExitStatus.refused }
    }

    private func chosenKernel() throws -> MatchKernel {
        guard let kernel else { return .best }
        guard let chosen = MatchKernel(name: kernel), chosen.isAvailable else {
            let names = MatchKernel.available.map(\.name).joined(separator: ", ")
            throw ValidationError("this machine has no kernel '\(kernel)'; it has \(names)")
        }
        return chosen
    }
}
