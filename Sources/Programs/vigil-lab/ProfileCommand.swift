// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuthorityProfile
import CommandFiles
import ExposureRisk
import Glibc
import JSON
import PluginManifest

/// For those who write profiles of health authorities, and for those who give them to boards.
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Checks profiles of health authorities, and makes plugins' settings of them.",
        discussion: "docs/make-a-profile.md says how an authority makes its own; docs/authorities.md has every field.",
        subcommands: [ProfileCheckCommand.self, ProfileSettingsCommand.self])
}

/// Everything that is wrong with each, or what a board does with it.
struct ProfileCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Reads profiles as a board does and says what it will do with each.",
        discussion: "Exit status: 0 when all are good, 1 when one has faults, 2 when a file cannot be read.")

    @Argument(help: "Profiles: JSON files.")
    var files: [String]

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        var isGood = true
        var reports: [JSON] = []
        var names: [String: String] = [:]
        for file in files {
            let bytes = try Files.read(file, limit: AuthorityProfile.maximumByteCount + 1)
            var problems: [(place: String, sentence: String)] = []
            var profile: AuthorityProfile?
            do throws(AuthorityProfileError) {
                let read = try AuthorityProfile(parsing: bytes)
                if let other = names[read.name] {
                    problems.append(("name", "is \(read.name), as that of \(other)"))
                } else {
                    names[read.name] = file
                    profile = read
                }
            } catch { problems = error.problems.map { ($0.path, $0.sentence) } }
            isGood = isGood && problems.isEmpty
            let summary = profile.map(ProfileSummary.init)
            if json {
                var report: JSON.Object = [
                    "file": .string(file),
                    "problems": .array(problems.map { ["path": .string($0.place), "problem": .string($0.sentence)] }),
                ]
                if let profile, let summary {
                    report["name"] = .string(profile.name)
                    report["says"] = .array(summary.sentences.map(JSON.string))
                    report["numbers"] = .array(summary.numbers.map(JSON.string))
                    report["advice"] = .array(summary.advice.map(JSON.string))
                }
                reports.append(.object(report))
            } else if let profile, let summary {
                print("\(file): good. \(profile.englishTitle) (\(profile.name)):")
                for sentence in summary.sentences { print("  \(sentence)") }
                for sentence in summary.numbers { print("    \(sentence)") }
                for sentence in summary.advice { print("  Advice: \(sentence)") }
            } else {
                print(
                    "\(file): \(problems.count) \(problems.count == 1 ? "fault" : "faults"); mend \(problems.count == 1 ? "it" : "them"):"
                )
                for problem in problems {
                    print("  \(problem.place.isEmpty ? "the document" : problem.place): \(problem.sentence)")
                }
            }
        }
        if json { print(JSON.array(reports)) }
        if !isGood { throw ExitCode(1) }
    }
}

/// Out of profiles, what the plugins have to be told.
struct ProfileSettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Makes the endpoints and settings of the plugins sync and diagnosis out of profiles.",
        discussion: """
            Prints the part of grants.json with both, or with --merge the whole file with both replaced and the rest as it was: its \
            calls, quotas, other settings of the two (such as pins), and other plugins. A plugin for which the profiles have nothing left is \
            emptied and disabled. What that changes, and what is left to you, is said on standard error. Exit status: 0, or 2 when a file \
            cannot be used.
            """)

    @Argument(help: "Profiles: JSON files, in the order in which boards follow them.")
    var files: [String]

    @Option(help: "Name of the profile that people warn through. The only one with a way to warn if not given.")
    var warn: String?

    @Option(help: "A grants.json to put them into; the result is printed, and this file not changed.")
    var merge: String?

    @Option(help: "Write the result into this file, whole or not at all. It may be the one that is merged.")
    var output: String?

    @Flag(
        help: "With --merge: leave the plugin diagnosis as it is where it warns through a server of none of the profiles.")
    var keepWarning = false

    @Flag(help: "With --merge: end such a plugin diagnosis.")
    var endWarning = false

    func validate() throws {
        guard keepWarning, endWarning else { return }
        throw ValidationError("--keep-warning and --end-warning exclude each other")
    }

    func run() throws {
        let profiles = try files.map { file in
            let bytes = try Files.read(file, limit: AuthorityProfile.maximumByteCount)
            do throws(AuthorityProfileError) { return try AuthorityProfile(parsing: bytes) } catch {
                throw InputError(file: file, "\(error)")
            }
        }
        let settings: ProfileSettings
        do throws(ProfileSettings.Fault) { settings = try ProfileSettings(profiles, warnThrough: warn) } catch {
            throw InputError(file: warn == nil ? files.joined(separator: ", ") : "--warn", error.description)
        }
        let result: ProfileSettings.Merged
        let before = try grants()
        do throws(ProfileSettings.Fault) {
            result = try settings.merged(
                into: before, other: keepWarning ? .keep : endWarning ? .end : .ask)
        } catch { throw InputError(file: merge ?? "grants", error.description) }
        let text = result.document.indentedText
        if let output {
            try Files.write(Array(text.utf8), to: output)
        } else {
            print(text, terminator: "")
        }
        for note in settings.notes + result.notes { Terminal.error("\(note)\n") }
    }

    private func grants() throws(InputError) -> JSON {
        guard let merge else { return ["plugins": [:]] }
        let bytes = try Files.read(merge, limit: 1 << 20)
        guard !bytes.isEmpty else {
            throw InputError(
                file: merge,
                "is empty. A shell empties a file that the output goes to before it can be read: use --output instead of >")
        }
        let grants: JSON
        do { grants = try JSON(parsing: bytes) } catch {
            throw InputError(file: merge, ProfileText.sentence(error, in: bytes))
        }
        guard grants["plugins"]?.object != nil else { throw InputError(file: merge, "it has no object \"plugins\"") }
        return grants
    }
}
