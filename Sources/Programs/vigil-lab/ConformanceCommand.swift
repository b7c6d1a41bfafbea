// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Conformance

struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Runs test vectors: every family found under the folders given.",
        discussion: """
            A family is a vector file's name without its ending, or a data folder's name. A family that nobody implemented \
            fails. The last line is "N passed, M failed"; the exit status is 1 when anything failed.
            """)

    @Argument(help: "Folders with vectors.")
    var folders: [String]

    @Option(parsing: .upToNextOption, help: "Run these families only.")
    var only: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    private struct Report: Encodable {
        struct Family: Encodable {
            let name: String
            let passed: Int
            let failed: Int
        }
        struct Failure: Encodable {
            let family: String
            let name: String
            let reason: String
        }
        let passed: Int
        let failed: Int
        let families: [Family]
        let failures: [Failure]
    }

    func run() throws {
        var found: [ConformanceSuite.Found] = []
        for folder in folders {
            do {
                found += try ConformanceSuite.families(under: folder)
            } catch {
                throw InputError(file: folder, "is not a readable folder")
            }
        }
        if !only.isEmpty { found = found.filter { only.contains($0.family) } }
        let absent = Set(only).subtracting(found.map(\.family)).sorted()
        guard absent.isEmpty else { throw ValidationError("no such family here: \(absent.joined(separator: ", "))") }
        guard !found.isEmpty else { throw ValidationError("no vectors here") }
        let results = found.map(ConformanceSuite.run)
        let passed = results.reduce(0) { $0 + $1.passed }
        let failures = results.flatMap(\.failures)
        if json {
            let report = Report(
                passed: passed, failed: failures.count,
                families: results.map { .init(name: $0.family, passed: $0.passed, failed: $0.failures.count) },
                failures: failures.map { .init(family: $0.family, name: $0.name, reason: $0.reason) })
            print(try JSONText.encode(report))
        } else {
            for result in results {
                let mark = result.failures.isEmpty ? "ok    " : "FAILED"
                print("\(mark) \(result.family): \(result.passed) passed, \(result.failures.count) failed")
                for failure in result.failures.prefix(5) { print("         \(failure.name): \(failure.reason)") }
                if result.failures.count > 5 { print("         … and \(result.failures.count - 5) more") }
            }
            print("\(passed) passed, \(failures.count) failed")
        }
        if !failures.isEmpty { throw ExitCode.failure }
    }
}
