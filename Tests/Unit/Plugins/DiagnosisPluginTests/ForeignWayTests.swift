// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import FoundationEssentials
import GAEN
import Glibc
import HTTPClient
import Interfaces
import JSON
import Logging
import PluginKit
import RandomValues
import Testing

@testable import DiagnosisPlugin

/// Slots played against stand-ins of other authorities' servers, which were written by people who had not seen the client.
@Suite(.serialized) struct ForeignWayTests {
    /// The plugin's parts for one device.
    private final class Board {
        let store: TestStore
        let settings: DiagnosisSettings
        let player: SlotPlayer
        let service: DiagnosisService
        private let folder: String

        /// The same device after a power cut.
        convenience init(_ peer: Peer, after other: Board) throws {
            try self.init(peer, other.json, folder: other.folder, random: other.random)
        }

        private let json: String
        private var random: SeededGenerator

        init(
            _ peer: Peer, _ json: String, folder known: String? = nil, random: SeededGenerator = SeededGenerator(seed: 1)
        ) throws {
            self.json = json
            var random = random
            settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(json.utf8))
            folder = known ?? peer.folder + "/board-\(Unique.name())"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try TestStore(
                KeyValueStore(
                    folder: folder, limit: TestStore.storeBytes, slotBytes: TestStore.slotBytes, hasPatches: true),
                using: &random)
            self.random = random
            let settings = settings
            player = try SlotPlayer(
                store: store, settings: settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                clock: .withoutPauses
            ) { try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true, userAgent: settings.clientName)) }
            service = try DiagnosisService(store: store, settings: settings)
        }

        func slot() throws { try player.play(player.clock.now(), Cancellation(), HTTPCancellation()) }

        /// One slot's genuine steps, until the power goes before (`isBefore`) or after exchange number `cut`, counted from 0 on.
        func slot(cutAt cut: Int, before isBefore: Bool, counted exchanges: inout Int) throws {
            let now = player.clock.now()
            guard let task = store.registry.task(at: now, player.way.kind) else { return }
            let client = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true, userAgent: settings.clientName))
            for step in Playbook(task.occasion, player.way.kind).steps where step.isGenuine {
                let way = player.way
                guard
                    let request = try? store.change({ try $0.begin(step.call, task.number, way, using: &random) })
                else { return }
                defer { exchanges += 1 }
                if exchanges == cut, isBefore { return }
                let outcome = player.exchange(request, client, HTTPCancellation())
                if exchanges == cut { return }
                guard try store.change({ $0.finish(step.call, task.number, outcome, way, at: now) }) else { return }
            }
        }

        func enter(_ typed: String) throws -> Int {
            let key = try service.foreignKey(typed)
            let request = ExchangeRequest.requestName(using: &random)
            let (now, kind) = (player.clock.now(), player.way.kind)
            return try store.change { try $0.enter(key, kind: .pcr, request: request, way: kind, at: now) }
        }

        /// The wearer agrees, and the core hands out `count` keys of the days before today.
        func warn(_ number: Int, keys count: Int, _ symptoms: SymptomStatement = .since(daysAgo: 3)) throws {
            let agreement = WarningStage.Agreement(ticket: "t", symptoms: symptoms, isFederated: false)
            let now = player.clock.now()
            try store.change { try $0.agree(number, agreement, at: now) }
            let today = Int64(time(nil)) / 86_400
            let keys = (0..<count).map { age in
                Release1.TemporaryExposureKey(
                    keyData: Base64.string((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }),
                    rollingStartIntervalNumber: (today - 1 - Int64(age)) * 144, rollingPeriod: 144)
            }
            try service.prepare(number, agreement, keys)
        }

        func test(_ number: Int) -> RegisteredTest? { store.registry.test(number) }
        func stage(_ number: Int) -> String { test(number)?.warning?.description ?? "none" }
    }

    // MARK: Google's

    private func ens() throws -> (Peer, Board) {
        let peer = try Peer("ens/ens_servers.py", ["--verification-port", "0", "--key-port", "0", "--admin-port", "0"])
        func fact(_ name: String) throws -> String { try #require(peer.facts[name]?.string) }
        let board = try Board(
            peer,
            """
            { "way": "ens", "verification": "\(fact("verificationUrl"))", "submission": "\(fact("keyUrl"))", "plainHTTP": true,
              "apiKey": "\(fact("apiKey"))", "healthAuthority": "com.example.health", "region": "US-WA", "slots": 192 }
            """)
        return (peer, board)
    }

    private func code(_ peer: Peer, _ more: JSON.Object = [:]) throws -> JSON {
        var object: JSON.Object = ["testType": "confirmed", "channel": "sms"]
        for member in more.members { object[member.name] = member.value }
        return try peer.call("/codes", .object(object))
    }

    private func published(_ peer: Peer) throws -> [JSON] {
        let answer = try peer.call("/publishes")
        return answer.array ?? answer["publishes"]?.array ?? []
    }

    /// From a short code to published keys, and from an SMS's link to others; the revision token is kept and goes with the second.
    @Test func fromACodeToPublishedKeys() throws {
        let (peer, board) = try ens()
        let number = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        #expect(board.test(number)?.result?.meaning == .positive && board.store.registry.hasNews)
        try board.warn(number, keys: 14)
        try board.slot()
        #expect(board.stage(number) == "sent")
        let first = try published(peer)
        #expect(first.count == 1)
        // A later slot sends nothing more.
        try board.slot()
        #expect(try published(peer).count == 1)
        let link = "ens://v?r=US-WA&c=\(try #require(code(peer, ["testType": "likely"])["long_code"]?.string))"
        let second = try board.enter(link)
        try board.slot()
        try board.warn(second, keys: 5)
        try board.slot()
        #expect(board.stage(second) == "sent")
        #expect(try published(peer).count == 2)
        #expect(throws: DiagnosisPlanError.self) { try board.enter("ens://v?r=US-NY&c=1234abcd5678efgh") }
    }

    /// Every request of every slot, whatever it is for: the same bytes in head and body per endpoint, the same order, nothing of ours.
    @Test func nothingTellsSlotsApart() throws {
        let (peer, board) = try ens()
        try board.slot()
        let number = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        try board.warn(number, keys: 9)
        try board.slot()
        #expect(board.stage(number) == "sent")
        let rows = try peer.requests()
        #expect(rows.count == 12)
        var sizes: [String: Set<Int64>] = [:]
        var paths: [String] = []
        var chaff = 0
        for row in rows {
            let path = try #require(row["path"]?.string)
            paths.append(path)
            sizes[path, default: []].insert(try #require(row["headBytes"]?.int) + (row["bodyBytes"]?.int ?? 0))
            if row["chaff"]?.bool == true { chaff += 1 }
            #expect(!"\(row)".lowercased().contains("vigil"))
        }
        #expect(sizes.values.allSatisfy { $0.count == 1 }, "\(sizes)")
        let slot = ["/api/verify", "/api/certificate", "/v1/publish", "/v1/publish"]
        #expect(paths == slot + slot + slot && chaff == 9)
    }

    /// Lost answers, at each call: what was spent is said, what was stored counts, and nothing is stored twice.
    @Test func answersThatAreLost() throws {
        let (peer, board) = try ens()
        // To the code: it is gone.
        try peer.call("/faults", ["kind": "drop_after", "path": "/api/verify", "chaff": false])
        let first = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        #expect(board.test(first)?.trouble == .noAnswer)
        try board.slot()
        #expect(board.test(first)?.registration == .refused(.answerLost))
        // To the certificate: its token is gone.
        let second = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        try board.warn(second, keys: 3)
        try peer.call("/faults", ["kind": "drop_after", "path": "/api/certificate", "chaff": false])
        try board.slot()
        #expect(board.stage(second) == "asking for a TAN")
        try board.slot()
        #expect(board.stage(second) == "ended: tanLost")
        #expect(try published(peer).isEmpty)
        // To the publication: it is repeated in the same slot, and the server has it.
        let third = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        try board.warn(third, keys: 4)
        try peer.call("/faults", ["kind": "drop_after", "path": "/v1/publish", "chaff": false])
        try board.slot()
        #expect(board.stage(third) == "sent")
        #expect(try published(peer).count == 1)
        // Half a body is no answer either.
        let fourth = try board.enter(try #require(code(peer)["code"]?.string))
        try board.slot()
        try board.warn(fourth, keys: 4)
        try peer.call("/faults", ["kind": "truncate", "path": "/v1/publish", "chaff": false])
        try board.slot()
        // It repeats, and the server says that it has keys of this device: the third's, for all anybody knows.
        #expect(board.stage(fourth) == "ended: uncertain")
        #expect(try published(peer).count == 2)
    }

    /// A server that says 200 and means an error, one that fails all the time, one that asks to wait, keys that another has, keys too far from the
    /// onset, a key that is not let in: each its own sentence.
    @Test func answersThatAreHostile() throws {
        let (peer, board) = try ens()
        var sentences: [String: String] = [:]
        func warning(keys: Int = 3) throws -> Int {
            let number = try board.enter(try #require(code(peer)["code"]?.string))
            try board.slot()
            try board.warn(number, keys: keys)
            return number
        }
        func note(_ name: String, _ number: Int) { sentences[name] = board.test(number)?.sentence }

        // 200 with an error, twice: the same body once more, then its certificate's time is over.
        let lying = try warning()
        try peer.call(
            "/faults",
            [
                "kind": "body", "path": "/v1/publish", "chaff": false, "count": 9, "status": 200,
                "body": ["code": "internal_error"],
            ])
        try board.slot()
        #expect(board.stage(lying) == "being sent")
        note("unreadable", lying)
        let later = board.player.clock.now() + 901
        try board.store.change { $0.expire(before: later) }
        note("uncertain", lying)
        #expect(board.stage(lying) == "ended: uncertain")
        try clearFaults(peer)

        // Failing all the time.
        let failing = try warning()
        try peer.call("/faults", ["kind": "status", "path": "/v1/publish", "chaff": false, "count": 9, "status": 503])
        try board.slot()
        note("serverFails", failing)
        let after = board.player.clock.now() + 901
        try board.store.change { $0.expire(before: after) }
        #expect(board.stage(failing) == "ended: serverFailed")
        note("serverFailed", failing)
        try clearFaults(peer)

        // A revision token of somebody else, or of another time.
        let revised = try warning()
        try peer.call(
            "/faults",
            ["kind": "error", "path": "/v1/publish", "chaff": false, "status": 400, "code": "invalid_revision_token"])
        try board.slot()
        #expect(board.stage(revised) == "ended: alreadyThere")
        note("alreadyThere", revised)

        // 200 that took nothing.
        let none = try warning()
        try peer.call(
            "/faults", ["kind": "body", "path": "/v1/publish", "chaff": false, "status": 200, "body": ["warnings": ["x"]]])
        try board.slot()
        #expect(board.stage(none) == "ended: nothingTaken")
        note("nothingTaken", none)

        // Codes: used on another device, and a key that is not let in.
        for number in board.store.registry.tests.map(\.number) {
            try board.store.change {
                $0.see(number)
                _ = $0.forget(number)
            }
        }
        let used = try #require(code(peer)["code"]?.string)
        let other = try Board(
            peer,
            """
            { "way": "ens", "verification": "\(try #require(peer.facts["verificationUrl"]?.string))", "submission": "http://127.0.0.1:1",
              "plainHTTP": true, "apiKey": "wrong", "healthAuthority": "com.example.health" }
            """)
        let refused = try other.enter(used)
        try other.slot()
        #expect(other.test(refused)?.registration == .refused(.misconfigured))
        sentences["misconfigured"] = other.test(refused)?.sentence
        let unknown = try board.enter("99999999")
        try board.slot()
        note("unknown", unknown)
        #expect(board.test(unknown)?.registration == .refused(.unknownOrUsed))
        #expect(Set(sentences.values).count == 8 && sentences.count == 8, "\(sentences)")
    }

    /// The power goes before or after each exchange, on the disk as at the server: once or not at all, and told.
    @Test func powerCutsAtEachExchange() throws {
        let (peer, first) = try ens()
        var board = first
        var (told, sent) = (0, 0)
        for cut in 0..<3 {
            for isBefore in [true, false] {
                board = try Board(peer, after: board)
                let number = try board.enter(try #require(code(peer)["code"]?.string))
                var exchanges = 0
                for _ in 0..<6 {
                    try board.slot(cutAt: cut, before: isBefore, counted: &exchanges)
                    board = try Board(peer, after: board)
                    if board.test(number)?.result?.allowsWarning == true, board.test(number)?.warning == nil {
                        try board.warn(number, keys: 4)
                    }
                }
                if board.stage(number) == "sent" || board.stage(number) == "ended: uncertain" {
                    sent += 1
                } else {
                    told += 1
                }
                switch (cut, isBefore) {
                // With a revision token of an upload before, the server does not say that it has these keys of this one.
                case (2, false): #expect(board.stage(number) == "ended: uncertain")
                // It never arrived.
                case (_, true): #expect(board.stage(number) == "sent", "\(cut) \(isBefore)")
                case (0, _): #expect(board.test(number)?.registration == .refused(.answerLost))
                default: #expect(board.stage(number) == "ended: tanLost")
                }
                try board.store.change {
                    $0.see(number)
                    _ = $0.forget(number)
                }
            }
        }
        #expect(try published(peer).count == sent && sent == 4 && told == 2)
        let (system, other) = try nhs()
        board = other
        for cut in 0..<2 {
            for isBefore in [true, false] {
                let number = try board.enter(try result(system))
                var exchanges = 0
                for _ in 0..<5 {
                    try board.slot(cutAt: cut, before: isBefore, counted: &exchanges)
                    board = try Board(system, after: board)
                    if board.test(number)?.result?.allowsWarning == true, board.test(number)?.warning == nil {
                        try board.warn(number, keys: 4)
                    }
                }
                #expect(board.stage(number) == "sent", "\(cut) \(isBefore)")
                try board.store.change {
                    $0.see(number)
                    _ = $0.forget(number)
                }
            }
        }
        #expect(try submissions(system).count == 4)
    }

    private func clearFaults(_ peer: Peer) throws { try peer.call("/reset", ["tables": ["faults"]]) }

    // MARK: The NHS's

    private func nhs() throws -> (Peer, Board) {
        let peer = try Peer("nhs/nhs_servers.py")
        // It takes a second for each exchange of a token, as the original does, to hide whether it knows it. Nothing here looks at the time.
        try peer.call("/settings", ["exchangeSeconds": 0])
        let port = try #require(peer.facts["ports"]?["submission"]?.int)
        let key = try #require(peer.facts["keys"]?["api"])
        let board = try Board(
            peer,
            """
            { "way": "nhs", "submission": "http://127.0.0.1:\(port)", "plainHTTP": true, "apiKey": "mobile:test-value",
              "userAgent": "p=Android,o=29,v=4.36,b=300", "country": "England",
              "answerKeys": [{ "id": "\(key["id"]?.string ?? "")", "key": "\(key["spki"]?.string ?? "")" }] }
            """)
        return (peer, board)
    }

    private func result(_ peer: Peer, _ fields: JSON.Object = [:]) throws -> String {
        let order = try peer.call("/orders", [:])
        var object: JSON.Object = ["token": order["ctaToken"] ?? .null]
        for member in fields.members { object[member.name] = member.value }
        try peer.call("/results", .object(object))
        return try #require(order["ctaToken"]?.string)
    }

    private func submissions(_ peer: Peer) throws -> [JSON] {
        let answer = try peer.call("/submissions")
        return answer.array ?? answer["submissions"]?.array ?? []
    }

    /// From a code to a warning that the server stored; a negative result allows none.
    @Test func fromACTATokenToASubmission() throws {
        let (peer, board) = try nhs()
        let number = try board.enter(try result(peer))
        try board.slot()
        #expect(board.test(number)?.result?.meaning == .positive)
        try board.warn(number, keys: 9)
        try board.slot()
        #expect(board.stage(number) == "sent")
        let stored = try submissions(peer)
        #expect(stored.count == 1)
        // Two days before the onset, three days ago, to yesterday.
        #expect(stored.first?["keys"]?.array?.count == 5)
        try board.slot()
        #expect(try submissions(peer).count == 1)
        let negative = try board.enter(try result(peer, ["testResult": "NEGATIVE"]))
        try board.slot()
        #expect(board.test(negative)?.result?.meaning == .negative)
        #expect(throws: DiagnosisPlanError.self) { try board.warn(negative, keys: 3) }
        for row in try peer.requests() { #expect(!"\(row)".lowercased().contains("vigil")) }
    }

    /// The test ended today; keys of yesterday and before are there. Of symptoms without a date the apps assume that they began two days before they
    /// were told of (checkin-and-nhs B.3), and the days from the result on are not sent.
    @Test func theDaysThatAreSentFollowTheStatementAndTheResult() throws {
        for (statement, seenDaysAgo, count) in [
            (SymptomStatement.noSymptoms, Int64(0), 2), (.noStatement, 0, 2), (.unknownSince, 0, 4), (.lastSevenDays, 0, 4),
            (.oneToTwoWeeksAgo, 0, 4), (.moreThanTwoWeeksAgo, 0, 4), (.since(daysAgo: 3), 0, 5), (.since(daysAgo: 3), 2, 3),
            (.unknownSince, 1, 3),
        ] {
            let (peer, board) = try nhs()
            let number = try board.enter(try result(peer))
            try board.slot()
            let today = Int64(time(nil)) / 86_400
            // The result came some days ago, too; a look at it by a clock that nobody has set is none.
            try board.store.change { $0.change(number) { $0.lastAsked = (today - seenDaysAgo) * 86_400 } }
            for day in [0, today - seenDaysAgo - 1, today - seenDaysAgo] {
                try board.store.change { $0.see(number, on: day) }
            }
            // Seen again later: the first time counts.
            try board.store.change { $0.see(number, on: today) }
            try board.warn(number, keys: 9, statement)
            try board.slot()
            // In the round in which a day ends the next one may have counted.
            guard Int64(time(nil)) / 86_400 == today else { continue }
            #expect(board.stage(number) == "sent")
            #expect(
                try submissions(peer).first?["keys"]?.array?.count == count, "\(statement), seen \(seenDaysAgo) days ago")
            // What the wearer was told before agreeing, as far as it can be known then.
            if seenDaysAgo == 0 {
                #expect(board.service.warnedAges(statement, today: today).count == count, "\(statement)")
            }
        }
    }

    /// What is not signed by the authority is not believed, and a lost answer costs nothing: codes are exchanged twice, and a token is good for one
    /// submission that is stored.
    @Test func answersAreVerifiedAndMayBeLost() throws {
        let (peer, board) = try nhs()
        var sentences: [String?] = []
        for (fault, trouble) in [
            ("wrong_signature", ExchangeTrouble.notSigned), ("other_key", .notSigned), ("no_signature", .notSigned),
            ("unknown_key_id", .notSigned),
        ] {
            let number = try board.enter(try result(peer))
            try peer.call("/faults", ["kind": .string(fault), "path": "/virology-test/.*"])
            try board.slot()
            #expect(board.test(number)?.trouble == trouble && board.test(number)?.result == nil, "\(fault)")
            sentences.append(board.test(number)?.sentence)
            try board.slot()
            #expect(board.test(number)?.result?.meaning == .positive, "\(fault)")
            try board.store.change {
                $0.see(number)
                _ = $0.forget(number)
            }
        }
        #expect(Set(sentences) == [ExchangeTrouble.notSigned.sentence])
        // Half of it, and none.
        for fault in ["half", "drop_after"] {
            let number = try board.enter(try result(peer))
            try peer.call("/faults", ["kind": .string(fault), "path": "/virology-test/.*"])
            try board.slot()
            #expect(board.test(number)?.trouble == .noAnswer, "\(fault)")
            try board.slot()
            #expect(board.test(number)?.result?.meaning == .positive, "\(fault)")
            try board.warn(number, keys: 3)
            try peer.call("/faults", ["kind": "drop_after", "path": "/submission/diagnosis-keys"])
            let before = try submissions(peer).count
            try board.slot()
            #expect(board.stage(number) == "being sent")
            try board.slot()
            #expect(board.stage(number) == "sent")
            #expect(try submissions(peer).count == before + 1)
            try board.store.change {
                $0.see(number)
                _ = $0.forget(number)
            }
        }
        // Maintenance, and a code that nobody gave.
        let waiting = try board.enter(try result(peer))
        try peer.call("/faults", ["kind": "status", "status": 503, "path": "/virology-test/.*"])
        try board.slot()
        #expect(board.test(waiting)?.trouble == .serverFails)
        let unknown = try board.enter("f3dzcfdt")
        try board.slot()
        try board.slot()
        #expect(board.test(unknown)?.registration == .refused(.unknownOrUsed))
        #expect(throws: DiagnosisPlanError.self) { try board.enter("f3dzcfdx") }
    }
}
