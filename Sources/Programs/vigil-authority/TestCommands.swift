// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CivilTime
import Cryptography
import Glibc
import Verification

/// Tests: the servers that boards ask for results and send warnings to, and what laboratories and the hotline do.
struct TestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tests", abstract: "Verifies tests and takes warnings.",
        discussion: """
            Databases and secrets are in STATE/tests, apart from those that publish. `serve` runs the servers; the other commands do what a \
            laboratory and a hotline do, on the same files, whether they run or not. docs/verification.md has the rules.
            """,
        subcommands: [
            TestsServeCommand.self, TeleTANCommand.self, CheckInTokenCommand.self, RevokeCheckInTokenCommand.self,
            TestResultCommand.self,
        ])
}

/// Where tests are kept.
enum TestsFolder {
    /// For the servers, which make it inside a folder that is there.
    static func make(in state: String) throws -> String {
        let path = "\(state)/tests"
        guard access(state, F_OK) == 0 else {
            throw VerificationError(
                .storageUnusable,
                "\(state): there is no such folder; check the path, or make it: vigil-authority init --state FOLDER (a publishing authority), mkdir -m 700 FOLDER (tests only)"
            )
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw VerificationError(.storageUnusable, "\(path): \(String(cString: strerror(errno)))")
        }
        return path
    }

    /// For those who work beside the servers, on what they have made: what is new here, no board would ever ask for.
    static func existing(in state: String) throws -> String {
        let path = "\(state)/tests"
        guard access(path, F_OK) == 0 else {
            throw VerificationError(
                .storageUnusable,
                "\(path): there are no tests here; check the path, or start the servers: vigil-authority tests serve")
        }
        return path
    }

    static func results(_ folder: String) throws(VerificationError) -> TestResultServer {
        try TestResultServer(path: "\(folder)/results.db")
    }

    /// One for each thread: they share the files. `source` knows results instead of the folder.
    static func verification(
        _ folder: String, results source: (any TestResultSource)? = nil
    ) throws(VerificationError) -> VerificationServer {
        let known: any TestResultSource
        if let source { known = source } else { known = try results(folder) }
        return VerificationServer(
            store: try SQLiteVerificationStore(path: "\(folder)/verification.db"), results: known,
            secret: try VerificationSecret.load(path: "\(folder)/verification-secret"), rules: VerificationRules())
    }
}

/// What a hotline does.
struct TeleTANCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "teletan", abstract: "Issues a teleTAN, good for 24 hours and for one board.")

    @Option(help: "Folder of the authority.")
    var state: String

    func run() throws {
        let server = try TestsFolder.verification(TestsFolder.existing(in: state))
        print(try server.issueTeleTAN(.test, now: VerificationService.machineTime()))
    }
}

/// What a health office does for somebody who was at venues.
struct CheckInTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-in-token",
        abstract: "Issues a token for one upload of visits to venues (SwissCovid), good for 24 hours.",
        discussion: """
            It is the bearer token of `POST /v3/userupload`. Visits that ended before the day of the onset are left out; whoever has the token \
            can warn the visitors of any place whose code they have. It counts as a teleTAN.
            """)

    @Option(help: "Folder of the authority.")
    var state: String

    @Option(help: "The day since which the person is infectious (UTC), like 2026-11-21; at most 30 days ago.")
    var onset: String

    @Option(help: "Folder with check-in-secret, where `tests serve` was given one; the authority's own if not given.")
    var secrets: String?

    @Flag(
        help:
            "Make check-in-secret if it is not there. Never after a restore: tokens by a new secret are refused until the submission has it, too."
    )
    var newSecret = false

    func run() throws {
        let now = VerificationService.machineTime()
        guard let day = CivilDate(isoText: onset), CheckInToken.onsets(now: now).contains(day.dayNumber) else {
            throw ValidationError("--onset: must be a day of the last 30, like 2026-11-21")
        }
        let folder = try TestsFolder.existing(in: state)
        let path = "\(secrets ?? folder)/check-in-secret"
        guard newSecret || access(path, F_OK) == 0 else {
            throw ValidationError(
                "\(path) is not there. Copy the one that the submission checks tokens with; only for the very first one add --new-secret."
            )
        }
        let secret = newSecret ? try VerificationSecret.load(path: path) : try VerificationSecret.existing(path: path)
        print(try TestsFolder.verification(folder).checkInToken(onset: day, secret: secret, now: now))
    }
}

/// What a health office does about a token that went to the wrong person.
struct RevokeCheckInTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-check-in-token", abstract: "Takes back a token that `check-in-token` issued.",
        discussion: """
            It reads the token from standard input, so that it is in no history. A token that was used cannot be taken back; what was uploaded \
            with it goes by `venues trace-keys remove`, with the code of the place.
            """)

    @Option(help: "Folder of the authority.")
    var state: String

    @Option(help: "Folder with check-in-secret, where `tests serve` was given one; the authority's own if not given.")
    var secrets: String?

    func run() throws {
        let folder = try TestsFolder.existing(in: state)
        let secret = try VerificationSecret.existing(path: "\(secrets ?? folder)/check-in-secret")
        if isatty(0) == 1 { say("The token:") }
        let token = (readLine() ?? "").filter { !$0.isWhitespace }
        do {
            try TestsFolder.verification(folder).revokeCheckInToken(
                token, secret: secret, now: VerificationService.machineTime())
        } catch {
            guard error.code == .invalidTAN else { throw error }
            throw ValidationError(
                "nothing was taken back: this is no token of this authority's, or it has expired, was taken back or was used already"
            )
        }
        say("vigil-authority: taken back; nothing can be uploaded with this token")
    }
}

/// What a laboratory does.
struct TestResultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "result", abstract: "Takes a laboratory's result of a test.")

    enum Result: String, ExpressibleByArgument, CaseIterable {
        case pending, negative, positive, invalid

        var code: Int64 {
            switch self {
            case .pending: 0
            case .negative: 1
            case .positive: 2
            case .invalid: 3
            }
        }
    }

    @Option(help: "Folder of the authority.")
    var state: String

    @Argument(help: "The number in the test's code, as printed: 123456-12345678-1234-4DA7-B166-B86D85475064.")
    var test: String

    @Argument(help: "The result.")
    var result: Result

    func run() throws {
        guard let identity = TestIdentity(key: Hex.string(SHA256.digest(of: Array(test.utf8)))),
            let result = TestResult(code: result.code)
        else { throw ValidationError("there is no such result") }
        let results = try TestsFolder.results(TestsFolder.existing(in: state))
        _ = try results.take([.init(identity, result)], now: VerificationService.machineTime())
        say("vigil-authority: taken; the board learns of it at its next exchange")
    }
}
