// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc
import HTTPClient
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PresenceTracing
import Testing
import Verification

@testable import DiagnosisPlan
@testable import DiagnosisPlugin

/// What the plugin with the visits may answer: reports, nothing, too late, or nonsense. A warning goes out in each case.
@Suite struct GivenVisitsTests {
    private let servers: Servers
    private let bench: PluginBench<DiagnosisPlugin>
    private let core: ProviderStandIn
    private let venue: ProviderStandIn

    init() throws {
        servers = try Servers()
        var providers: [ProviderStandIn] = []
        bench = try PluginBench<DiagnosisPlugin>(name: "diagnosis", settings: JSON(parsing: Array(servers.settings.utf8))) {
            for name in [Release1.name, Checkin1.name] {
                providers.append(try $0.provide(InterfaceTexts.all[name] ?? ""))
            }
            // The waits below would have it send a warning before it was looked at.
            try QuietDisk.write("\($0.folder.path)/state", .ninetySix)
        }
        (core, venue) = (providers[0], providers[1])
        core.on("TakeDiagnosisKeys", Self.keys)
        try bench.start()
    }

    /// The core's answer: a key of yesterday's, and the proof that comes with it.
    private static let keys: ProviderStandIn.Handler = { parameters in
        .reply([
            "keys": [
                [
                    "keyData": .string(Base64.string([UInt8](repeating: 1, count: 16))),
                    "rollingStartIntervalNumber": .int((Int64(time(nil)) / 86_400 - 1) * 144), "rollingPeriod": 144,
                ]
            ], "proof": .string("proof of \(parameters["ticket"]?.string ?? "")"),
        ])
    }

    private func ask(_ method: String, _ parameters: JSON = .empty) throws -> JSON {
        try bench.call("\(Diagnosis1.name).\(method)", parameters, as: ProofGate.console)
    }

    private func slot() throws {
        var player = bench.plugin.player
        player.clock = .withoutPauses
        try player.play(Int64(time(nil)), Cancellation(), HTTPCancellation())
    }

    private func positive() throws -> JSON {
        let number = try #require(try ask("EnterTeleTAN", ["typed": .string(servers.teleTAN())])["number"])
        try slot()
        return number
    }

    private func warn(_ number: JSON, _ ticket: String, _ statement: String = "noStatement") throws {
        _ = try ask(
            "Warn",
            [
                "number": number, "ticket": .string(ticket), "symptoms": ["statement": .string(statement)],
                "federation": false,
            ])
    }

    /// What the submission will be, once it is on the disk.
    private func prepared() throws -> DiagnosisPlan.SubmissionPayload {
        var found: WarningStage.Submission?
        try bench.turn {
            if case .prepared(let submission)? = bench.plugin.store.registry.tests.first?.warning { found = submission }
            return found != nil
        }
        let body = try #require(found.flatMap { Base64.bytes($0.body) })
        #expect(body.count == SubmissionShape.standard.bytes)
        return try DiagnosisPlan.SubmissionPayload(decoding: body)
    }

    private static func report(_ number: Int) throws -> JSON {
        let part = { (count: Int) in [UInt8](repeating: UInt8(number), count: count) }
        return .string(
            Base64.string(
                try ProtectedReport(
                    locationIDHash: part(32), initializationVector: part(16), encryptedRecord: part(16),
                    messageCode: part(32)
                ).encoded))
    }

    private static func reports(_ count: Int) throws -> JSON { .array(try (0..<count).map(report)) }

    private func told() throws -> (visits: JSON?, sentence: String) {
        let test = try ask("GetTests")["tests"]?.array?.first
        return (test?["visits"], test?["sentence"]?.string ?? "")
    }

    /// Each reason has a word and a sentence of its own; the English sentence begins like that.
    private static let reasons: [(word: String, begin: String)] = [
        ("noneCounts", "No visit goes along with it: none is left that you let be published"),
        ("underWay", "No visit goes along with it: each visit goes along with one warning"),
        ("tooMany", "No visit goes along with it: of your earlier warnings with visits so many"),
        ("unanswered", "No visit goes along with it: the diary of visits did not answer"),
        ("noRoom", "No visit goes along with it: your keys leave no room"),
    ]

    private func expectReason(_ reason: String, _ name: String) throws {
        let test = try ask("GetTests")["tests"]?.array?.first
        #expect(test?["noVisits"]?.string == reason, "\(name)")
        for (word, begin) in Self.reasons {
            #expect((test?["sentence"]?.string ?? "").contains(begin) == (word == reason), "\(name): \(word)")
        }
    }

    @Test func reportsGoAlongAndAreKnownAsPublishedWhenTheWarningIsOut() throws {
        let reports = try Self.reports(3)
        venue.on("TakeReports") { parameters in
            parameters["proof"] == "proof of good"
                ? .reply(["reports": reports, "visits": 2, "batch": parameters["batch"] ?? .null])
                : .failure("\(Checkin1.name).NotSignedIn")
        }
        let number = try positive()
        try warn(number, "good")
        let payload = try prepared()
        #expect(payload.reports.map { Base64.string($0.encoded) } == reports.array?.compactMap(\.string))
        #expect(try told() == (2, "Your warning is sent at the next exchange. 2 visits go along with it."))
        let asked = venue.calls.filter { $0.parameters["proof"] != nil }.map(\.parameters)
        let name = try #require(asked.first?["batch"])
        #expect(name.int.map(VisitsInWarning.names.contains) == true)
        #expect(
            asked == [
                [
                    "levels": .array(SymptomStatement.noStatement.levels.map { .int(Int64($0)) }), "most": 32,
                    "proof": "proof of good", "batch": name,
                ]
            ])
        // Each call of the wearer's has the other plugin start, whatever it is for.
        try bench.turn { venue.calls.count { $0.parameters["proof"] == nil } >= 3 }
        #expect(try ask("GetPublished", ["batches": [5, name]]) == ["published": [], "over": [5]])
        try slot()
        #expect(servers.shelf.checkIns.map(\.reports.count) == [3])
        #expect(try ask("GetPublished", ["batches": [5, name]]) == ["published": [name], "over": [5]])
        #expect(try told().visits == 2 && told().sentence.contains("2 visits went along with it."))
        #expect(try ask("Forget", ["number": number])["isForgotten"] == true)
        #expect(try ask("GetPublished", ["batches": [name]]) == ["published": [name], "over": []])
        for line in bench.log { #expect(!line.contains("visit") && !line.contains("report"), "\(line)") }
    }

    @Test func whateverItAnswersTheWarningGoesOut() throws {
        let good = try Self.reports(1)
        let short = Base64.string([UInt8](repeating: 0, count: 103))
        let answers: [(String, ProviderStandIn.Answer)] = [
            ("nothing", .reply(["reports": [], "visits": 0])),
            (
                "handed out too often",
                .failure("\(Checkin1.name).Refused", ["rule": "tooManyWarnings", "reason": "x"])
            ), ("denied", .failure("org.varlink.service.PermissionDenied")),
            ("not signed in", .failure("\(Checkin1.name).NotSignedIn")),
            ("not possible", .failure("\(Checkin1.name).NotPossible", ["reason": "x"])),
            ("no text of bytes", .reply(["reports": ["*"], "visits": 1, "batch": 7])),
            ("too short", .reply(["reports": [.string(short)], "visits": 1, "batch": 7])),
            ("twice", .reply(["reports": .array((good.array ?? []) + (good.array ?? [])), "visits": 1, "batch": 7])),
            ("too many", .reply(["reports": try Self.reports(33), "visits": 1, "batch": 7])),
            ("more visits than reports", .reply(["reports": good, "visits": 2, "batch": 7])),
            ("no visit", .reply(["reports": good, "visits": 0, "batch": 7])),
            ("another name", .reply(["reports": good, "visits": 1, "batch": 7])),
            ("no name", .reply(["reports": good, "visits": 1])),
            ("a name that is none", .reply(["reports": good, "visits": 1, "batch": 0])),
            ("a name of nothing", .reply(["reports": [], "visits": 0, "batch": 7])), ("silence", .silence),
        ]
        for (name, answer) in answers {
            venue.on("TakeReports") { parameters in
                guard parameters["proof"] != nil else { return .failure("\(Checkin1.name).NotSignedIn") }
                // The name that was asked for, in place of 7.
                guard case .reply(let reply) = answer, reply["batch"] == 7, name != "another name",
                    var named = reply.object
                else { return answer }
                named["batch"] = parameters["batch"]
                return .reply(.object(named))
            }
            let number = try positive()
            let before = venue.calls.count { $0.parameters["proof"] != nil }
            try warn(number, name)
            try bench.turn { venue.calls.count { $0.parameters["proof"] != nil } > before }
            if case .silence = answer { bench.advance(by: VisitsClient.patience + .seconds(1)) }
            #expect(try prepared().reports.isEmpty, "\(name)")
            #expect(try told().visits == 0, "\(name)")
            try expectReason(
                name == "nothing" ? "noneCounts" : name == "handed out too often" ? "tooMany" : "unanswered", name)
            try slot()
            #expect(try ask("GetTests")["tests"]?.array?.first?["warning"] == "sent", "\(name)")
            #expect(try ask("Forget", ["number": number])["isForgotten"] == true)
        }
        #expect(servers.shelf.calls == answers.count && servers.shelf.checkIns.allSatisfy(\.isEmpty))
        #expect(try ask("GetPublished", ["batches": [7]])["published"] == [])
        for line in bench.log { #expect(!line.contains("visit") && !line.contains("report"), "\(line)") }
    }

    /// The diary is asked although there is no room, and what it says of it does not count.
    @Test func whyThereIsNoRoomIsTold() throws {
        try bench.plugin.store.change { registry in
            for batch in 1...Int64(TestRegistry.maximumPublished) {
                registry.notePublished(VisitsInWarning(count: 1, batch: batch), at: Int64(time(nil)) - 86_400)
            }
        }
        for (name, answer) in [
            ("nothing", .reply(["reports": [], "visits": 0])), ("refusal", .failure("\(Checkin1.name).NotSignedIn")),
        ] as [(String, ProviderStandIn.Answer)] {
            venue.on("TakeReports") { $0["proof"] == nil ? .failure("\(Checkin1.name).NotSignedIn") : answer }
            let number = try positive()
            try warn(number, name)
            #expect(try prepared().reports.isEmpty)
            try expectReason("tooMany", name)
            #expect(try ask("Forget", ["number": number])["isForgotten"] == true)
        }
    }

    /// Whoever takes the consent back while the other plugin is waited for, and gives another one, sends what the other one is about.
    @Test func aConsentThatWasTakenBackMeanwhileCountsForNothing() throws {
        venue.on("TakeReports") { _ in .silence }
        let number = try positive()
        try warn(number, "first", "noSymptoms")
        try bench.turn { venue.calls.contains { $0.parameters["proof"] == "proof of first" } }
        #expect(try ask("Withdraw", ["number": number])["isWithdrawn"] == true)
        try warn(number, "second", "oneToTwoWeeksAgo")
        let reports = try Self.reports(1)
        venue.on("TakeReports") { .reply(["reports": reports, "visits": 1, "batch": $0["batch"] ?? .null]) }
        bench.advance(by: VisitsClient.patience + .seconds(1))
        let payload = try prepared()
        #expect(payload.reports.count == 1)
        #expect(payload.keys.map(\.transmissionRiskLevel) == [SymptomStatement.oneToTwoWeeksAgo.levels[1]])
        #expect(core.calls.map { $0.parameters["ticket"] } == ["first", "second"])
    }

    /// The other plugin asks what is out before it answers: it is answered, and what was asked for is not over until nobody waits for it.
    @Test func whatWasAskedForIsNotOverWhileItMayCome() throws {
        venue.on("TakeReports") { _ in .silence }
        let number = try positive()
        try warn(number, "good")
        try bench.turn { venue.calls.contains { $0.parameters["proof"] != nil } }
        let name = try #require(venue.calls.first { $0.parameters["proof"] != nil }?.parameters["batch"])
        #expect(try ask("GetPublished", ["batches": [5, name]]) == ["published": [], "over": [5]])
        bench.advance(by: VisitsClient.patience + .seconds(1))
        #expect(try prepared().reports.isEmpty)
        #expect(try ask("GetPublished", ["batches": [5, name]]) == ["published": [], "over": [5, name]])
    }

    /// Keys that the core refused for a while are asked for again as soon as the plugin with the visits is up, and not after the next slot: its start
    /// after a slot would show that there is a warning.
    @Test func keysAreAskedForAgainWhileThePluginWithTheVisitsIsUp() throws {
        let reports = try Self.reports(1)
        venue.on("TakeReports") { parameters in
            parameters["proof"] == nil
                ? .failure("\(Checkin1.name).NotSignedIn")
                : .reply(["reports": reports, "visits": 1, "batch": parameters["batch"] ?? .null])
        }
        let number = try positive()
        core.on("TakeDiagnosisKeys") { _ in .failure("\(Release1.name).TimeUnknown", ["reason": "x"]) }
        try warn(number, "good")
        try bench.turn { !core.calls.isEmpty }
        core.on("TakeDiagnosisKeys", Self.keys)
        // The first of these may come before the refusal.
        let clock = ContinuousClock()
        let end = clock.now + TestKitError.patience
        while !bench.plugin.store.registry.wantingKeys.isEmpty, clock.now < end {
            #expect(try ask("GetPublished", ["batches": []])["published"] == [])
        }
        try #require(bench.plugin.store.registry.wantingKeys.isEmpty)
        #expect(try prepared().reports.count == 1)
    }

    /// Without check-in on the device nobody is told of visits.
    @Test func withoutCheckInNobodyIsToldOfVisits() throws {
        unlink("\(bench.supervisor.folder.path)/run/\(Checkin1.name)")
        let number = try positive()
        try warn(number, "good")
        #expect(try prepared().reports.isEmpty)
        #expect(try told() == (nil, "Your warning is sent at the next exchange."))
        try slot()
        #expect(servers.shelf.calls == 1 && servers.shelf.checkIns.allSatisfy(\.isEmpty))
    }
}
