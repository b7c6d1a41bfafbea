// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CrowdNotifier
import Cryptography
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

/// Whoever takes a whole board, with every key in it, and knows all places of a town finds each visit that was kept in the clear, and none of those that a wearer hid, by the page and by
/// the console: not in any plugin's store, the core's ledger, a log, or what the page's server keeps.
@Suite(.serialized) struct HiddenDiskTests {
    private static let secret = "a wearer's secret"

    private let air: AirProcess
    private let board: BoardProcess
    private let port: UInt16
    private let town: [CrowdNotifierVenue]

    init() throws {
        air = try AirProcess()
        board = try BoardProcess("board", on: air)
        port = try Unique.port()
        var random = SeededGenerator(seed: 1)
        town = try (0..<10_000).map { number in
            try CrowdNotifierVenue(
                name: "\(100_000 + number) canary", address: "Street \(number)", start: 0, end: 4_000_000_000,
                publicKey: [UInt8](repeating: 1, count: 96), seed: SHA256.digest(of: Array("\(number)".utf8)),
                countryData: [])
        }
        let key = try MasterPublicKey(secret: .random(using: &random))
        try board.startWithVenue(
            ["systems": ["coronaWarnApp", "swissCovid"], "swissCovidKey": .string(Base64.string(key.bytes))], page: port)
    }

    private func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        let isPlugins = method.hasPrefix("org.vigil.checkin1")
        let client = try CallClient(board.run + (isPlugins ? "/console/org.vigil.checkin1" : "/ctl.sock"))
        let text = try #require(client.call(method, "\(parameters)"), "\(method): \(board.log.suffix(2_000))")
        return try JSON(parsing: Array(text.utf8))
    }

    private func venue(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        let reply = try ask("org.vigil.checkin1.\(method)", parameters)
        return try #require(reply["parameters"], "\(method): \(reply)")
    }

    private func code(_ number: Int) -> String { CrowdNotifierCode.swissCovid.text(town[number]) }

    private func form(_ text: String) -> String {
        String(
            text.utf8.flatMap { byte -> [Character] in
                let digits = String(byte, radix: 16, uppercase: true)
                return Array("%" + (digits.count == 1 ? "0" : "") + digits)
            })
    }

    private func post(_ client: inout WebClient, _ path: String, _ fields: String) throws -> WebClient.Answer {
        let token = try client.formToken(path)
        return try client.ask("POST", path, body: "form=\(token)&\(fields)")
    }

    /// As somebody does whose page says that the plugin does not answer: on a machine that is full it takes longer than a page waits.
    private func insists(
        _ client: inout WebClient, _ path: String, _ fields: String, until isDone: (WebClient.Answer) -> Bool
    ) throws {
        var copy = client
        var last = ""
        let board = board
        let isThere = board.waits {
            guard let answer = try? post(&copy, path, fields) else { return false }
            last = answer.body
            return isDone(answer)
        }
        client = copy
        try #require(isThere, "\(path): \(last.suffix(2_000))")
    }

    /// The number of the visit that a check-in by the page leads to: by one form, however often it is sent.
    private func checkIn(_ client: inout WebClient, _ place: Int) throws -> Int64 {
        var attempt = ""
        var copy = client
        let board = board
        let hasForm = board.waits {
            let page = (try? copy.ask("GET", "/visits").body) ?? ""
            let parts = page.split(separator: "name=\"attempt\" value=\"", maxSplits: 1)
            attempt = parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : ""
            return !attempt.isEmpty
        }
        client = copy
        try #require(hasForm)
        var number: Int64?
        try insists(&client, "/visits", "act=checkIn&attempt=\(attempt)&code=\(form(code(place)))") {
            number = $0.header("Location").flatMap { $0.split(separator: "/").last }.flatMap { Int64($0) }
            return number != nil
        }
        return number ?? 0
    }

    private func checkOut(_ client: inout WebClient, _ number: Int64) throws {
        try insists(&client, "/visits/\(number)", "act=checkOut") {
            $0.status == 303 || $0.body.contains("Change the times")
        }
    }

    /// The places that are found, each with where.
    private func attack(_ attacker: DiskAttack) throws -> [Int: Set<String>] {
        var found: [Int: Set<String>] = [:]
        for (name, bytes) in try DiskAttack.everything(below: board.folder) {
            for place in attacker.places(in: bytes) { found[place, default: []].insert(name) }
        }
        return found
    }

    @Test func noHiddenVisitIsFoundOnAWholeBoard() throws {
        let now = Int64(time(nil))
        #expect(try ask("org.vigil.device1.SetTime", ["now": .int(now * 1_000)])["error"] == nil)
        let attacker = DiskAttack(town, hours: Set((-1...1).map { VisitHours.start(now + $0 * 3_600) }))
        let made = try #require(
            try ask("org.vigil.access1.MakeSecret", ["role": "wearer"])["parameters"]?["secret"]?.string)
        let (board, port) = (board, port)
        var wearer = WebClient(port: port)
        let isThere = board.waits {
            wearer = WebClient(port: port)
            return (try? wearer.signIn("wearer", made).status) == 303
        }
        try #require(isThere, "\(board.log.suffix(4_000))")
        #expect(try post(&wearer, "/welcome?step=4", "act=agree&terms=yes&beacon=yes").status == 303)

        // In the clear each is found, and rightly: by the page and by the console.
        let byPage = try checkIn(&wearer, 17)
        try checkOut(&wearer, byPage)
        _ = try venue("CheckIn", ["code": .string(code(4_242))])
        #expect(Set(try attack(attacker).keys) == [17, 4_242])

        // Those of before are hidden, too.
        let typed = form(Self.secret)
        try insists(&wearer, "/visits", "act=setHiding&on=yes&wanted=\(typed)&repeated=\(typed)x") {
            $0.status == 422 && $0.body.contains("are not the same")
        }
        try insists(&wearer, "/visits", "act=setHiding&on=yes&wanted=\(typed)&repeated=\(typed)") { $0.status == 303 }
        let isHidden = board.waits {
            guard let reply = try? venue("GetVisits") else { return false }
            return reply["hides"] == true && reply["unhidden"] == nil
        }
        try #require(isHidden, "\(board.log.suffix(2_000))")

        // By the page, by the console, ended by hand and left open; a code that is refused, and one that is sent twice.
        for place in [256, 5] {
            let number = try checkIn(&wearer, place)
            try checkOut(&wearer, number)
        }
        let call: JSON = ["code": .string(code(7_777)), "attempt": "0123456789abcdef012345"]
        #expect(try venue("CheckIn", call)["visit"]?["number"] == venue("CheckIn", call)["visit"]?["number"])
        try insists(&wearer, "/visits", "act=checkIn&code=\(form(code(9_999) + "*"))") {
            $0.body.contains("This code was not taken.")
        }
        // Read by the secret, by both.
        try insists(&wearer, "/visits", "act=showHidden&secret=\(typed)") { answer in
            [17, 4_242, 256, 5, 7_777].allSatisfy { answer.body.contains("\(100_000 + $0) canary") }
        }
        let export = try venue("ExportVisits", ["secret": .string(Self.secret)])["text"]?.string ?? ""
        #expect(export.contains("100005 canary"))
        #expect(Set(try attack(attacker).keys) == [], "while it runs")
        #expect(board.end() == 0)
        let found = try attack(attacker)
        #expect(found.isEmpty, "\(found)")
        // The search opens what it is to open, and sees what lies anywhere.
        let all = try DiskAttack.everything(below: board.folder)
        for wanted in ["data/state/venue/store, opened", "data/state/venue/hiding, opened", "ledger, opened"] {
            #expect(all.contains { $0.name == wanted }, "\(wanted) is not among \(Set(all.map(\.name)).sorted())")
        }
        try Data("Base64: \(Base64.string(town[3].seed))".utf8).write(to: URL(filePath: board.folder + "/data/note"))
        try Data(form(town[4].name).utf8).write(to: URL(filePath: board.folder + "/run/note"))
        #expect(Set(try attack(attacker).keys) == [3, 4])
    }
}
