// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import DonationTrial

/// What is played is what the adversary gets, and each planted flaw is in it.
@Suite struct DonationTrialTests {
    // MARK: The software as it ships

    @Test func boardsDonateAndTheFolderIsWhole() throws {
        let trial = try PlayedTrial.plain.get()
        let server = try trial.lines("server-sees.jsonl"), issuer = try trial.lines("issuer-sees.jsonl")
        let truth = try trial.lines("truth.jsonl")
        #expect(trial.summary.consents == 30 && trial.summary.donations == truth.count && truth.count > 20)
        #expect(server.count == trial.summary.serverExchanges && issuer.count == trial.summary.issuerExchanges)
        #expect(server.map { $0["n"] } == (1...server.count).map { .int(Int64($0)) })
        #expect(issuer.map { $0["n"] } == (1...issuer.count).map { .int(Int64($0)) })
        for exchange in server {
            #expect(Base64.bytes(exchange["request"]?["body"]?.string ?? "")?.count == 16_384)
            #expect(exchange["request"]?["path"] == "/version/v1/device/dat" && exchange["address"] == "198.51.100.7")
        }
        for exchange in issuer {
            #expect(Base64.bytes(exchange["request"]?["body"]?.string ?? "")?.count == 259)
            let status = exchange["answer"]?["status"]?.int
            let length = Base64.bytes(exchange["answer"]?["body"]?.string ?? "")?.count ?? 0
            // Nobody's evidence is refused, that beside cover neither: it would be seen. A refusal is filled up to the length of a token's answer, head and body together.
            let hasEvidence = exchange["request"]?["headers"]?["Authorization"] != nil
            #expect((status == 401) == !hasEvidence)
            #expect(status == 200 || status == 401 ? length == 256 : (256...300).contains(length), "\(length)")
        }
        let stored = server.filter { $0["answer"]?["status"] == 200 }
        #expect(Set(stored.map { $0["n"] }).isSuperset(of: truth.map { $0["n"] }))
        // A donation is stored once, however often it was sent; in the first week there is cover.
        let cover = stored.filter(PlayedTrial.isCover)
        #expect(cover.count > 5 && Set(cover.map { $0["n"] }).isDisjoint(with: truth.map { $0["n"] }))
        let tokens = try Set(stored.filter { !PlayedTrial.isCover($0) }.map { try PlayedTrial.token($0).nonce })
        #expect(tokens.count == truth.count)
        let devices = try JSON(parsing: trial.bytes("devices.json")).array ?? []
        #expect(devices.count == 30 && devices.allSatisfy { $0["ueid"]?.string?.utf8.count == 34 })
        #expect(Set(truth.map { $0["device"] }).isSubset(of: devices.map { $0["device"] }))
        #expect(try trial.bytes("keys.json") == Array("{}".utf8))
        #expect(try trial.bytes("issuer.log") == Array("ready port=8796\n".utf8))
        for name in ["issuer.db", "donations.db"] { #expect(try trial.bytes(name).starts(with: "SQLite format 3".utf8)) }
        // No private key is left, and the databases are whole without a log.
        #expect(
            trial.folder.names == [
                "devices.json", "donations.db", "donations.log", "issuer-sees.jsonl", "issuer.db", "issuer.log",
                "keys.json",
                "network.jsonl", "server-sees.jsonl", "terms.json", "truth.jsonl",
            ])
    }

    /// One connection for each donation, and one for each run at the issuer; no TLS session goes back; an hour between the two servers.
    @Test func theNetworkSeesWhatThePluginDoes() throws {
        let trial = try PlayedTrial.plain.get()
        let network = try trial.lines("network.jsonl")
        #expect(network.allSatisfy { $0["session"] == .null && $0["address"] == "198.51.100.7" })
        let donations = network.filter { $0["host"] == "donation.example" }
        #expect(donations.count == trial.summary.serverExchanges)
        #expect(donations.allSatisfy { $0["up"]?.array?.count == 1 } && Set(donations.map { $0["up"] }).count == 1)
        let runs = network.filter { $0["host"] == "issuer.example" }
        #expect(runs.reduce(0) { $0 + ($1["up"]?.array?.count ?? 0) } == trial.summary.issuerExchanges)
        #expect(Set(runs.map { $0["connection"] }).count == runs.count)
    }

    /// The judge reads what was played: the truth itself is always right.
    @Test func whoeverHasTheTruthWins() throws {
        let trial = try PlayedTrial.plain.get()
        let guesses = try trial.lines("truth.jsonl").flatMap { line -> [UInt8] in
            JSON.object(["n": line["n"] ?? .null, "guess": line["device"] ?? .null, "candidates": 1]).bytes + [10]
        }
        let verdict = try trial.judge().judge(guesses, file: "guesses")
        #expect(verdict.all.right == trial.summary.donations && verdict.all.share == 1 && verdict.isBetterThanChance)
        #expect(verdict.all.chance > verdict.byDay.chance && verdict.byDay.chance > 1 / 30)
    }

    /// Some take part in a survey, donating or not; digests have a path and a truth of their own, and a donation of the same device can be guessed with each.
    @Test func digestsOfASurveyAreJudgedApart() throws {
        var settings = DonationTrialSettings(boards: 24, days: 16, seed: 9)
        (settings.consenting, settings.surveying) = (0.7, 0.7)
        let trial = try PlayedTrial(settings)
        let server = try trial.lines("server-sees.jsonl"), truth = try trial.lines("truth.jsonl")
        let digests = truth.filter { $0["purpose"] == "survey" }, donations = truth.filter { $0["purpose"] == nil }
        #expect(digests.count == trial.summary.digests && donations.count == trial.summary.donations)
        #expect(digests.count > 4 && digests.count <= trial.summary.participants && !donations.isEmpty)
        #expect(Set(digests.map { $0["device"] }).count == digests.count)
        for line in digests {
            let exchange = server[Int(try #require(line["n"]?.int)) - 1]
            #expect(exchange["request"]?["path"] == "/version/v1/device/otp" && exchange["answer"]?["status"] == 200)
        }
        // Of the same size, and answered by as many bytes.
        let sizes = try trial.lines("network.jsonl").filter { $0["host"] == "donation.example" }.map {
            [$0["up"], $0["down"]]
        }
        #expect(Set(sizes).count == 1)
        let guesses = digests.flatMap { line -> [UInt8] in
            let own = donations.first { $0["device"] == line["device"] }
            var guess: JSON.Object = ["n": line["n"] ?? .null, "guess": line["device"] ?? .null, "candidates": 1]
            guess["donation"] = own?["n"]
            return JSON.object(guess).bytes + [10]
        }
        let verdict = try trial.judge().judge(guesses, file: "guesses")
        #expect(verdict.digests.right == digests.count && verdict.digests.count == digests.count)
        #expect(verdict.pairs.right == verdict.pairs.count && verdict.pairs.count > 0 && verdict.all.right == 0)
        #expect(verdict.digests.chance > verdict.digestsOfAll.chance && verdict.aboutNothing == 0)
    }

    /// With one device less than the minimum nobody donates; whoever agrees sends cover like the others.
    @Test func aSmallFleetDonatesNothing() throws {
        var settings = DonationTrialSettings(boards: 12, days: 14, seed: 8)
        settings.minimumFleet = 13
        let small = try PlayedTrial(settings)
        #expect(small.summary.donations == 0 && small.summary.consents == 12 && small.summary.issuerExchanges > 20)
        settings.minimumFleet = 12
        #expect(try PlayedTrial(settings).summary.donations > 0)
    }

    @Test func addressesAreWhatWasAskedFor() throws {
        var settings = DonationTrialSettings(boards: 70_000, days: 1, seed: 1, addresses: .own)
        #expect(Set((0..<70_000).map(settings.address)).count == 70_000)
        settings.addresses = .none
        #expect(settings.address(5) == "")
    }

    /// The lives of boards and the times of what they do follow from the seed.
    @Test func theSameSeedGivesTheSameTimes() throws {
        func times(_ seed: UInt64) throws -> [JSON?] {
            let trial = try PlayedTrial(DonationTrialSettings(boards: 4, days: 5, seed: seed))
            return try trial.lines("network.jsonl").flatMap { [$0["t"], $0["end"], $0["host"]] }
        }
        let first = try times(11)
        #expect(try !first.isEmpty && first == times(11) && first != times(12))
    }

    @Test func aFolderThatIsNotEmptyIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "something")
        #expect(throws: DonationTrialError.self) {
            try DonationTrial(DonationTrialSettings(boards: 1, days: 1, seed: 1)).run(into: folder.path)
        }
        #expect(folder.names == ["something"])
    }

    // MARK: Flaws

    /// The token's key tells the group of the device, and the issuer has given it to that group only.
    @Test func withADeviceKeyTheTokenTellsTheGroup() throws {
        var settings = DonationTrialSettings(boards: 10, days: 13, seed: 3, flaw: .deviceKey)
        settings.deviceKeys = 2
        let trial = try PlayedTrial(settings)
        let server = try trial.lines("server-sees.jsonl"), truth = try trial.lines("truth.jsonl")
        #expect(truth.count > 4)
        var groups: [JSON?: Set<[UInt8]>] = [:]
        for line in truth {
            let number = try #require(line["n"]?.int)
            groups[line["device"], default: []].insert(try PlayedTrial.token(server[Int(number) - 1]).keyID)
        }
        // Of two devices either all days' keys are the same or none is.
        var kinds = 0
        for (first, keys) in groups {
            kinds = max(kinds, groups.filter { $0.key != first && $0.value.isDisjoint(with: keys) }.count)
        }
        #expect(kinds > 0)
        #expect(
            Set(groups.values.flatMap(\.self)).count
                > Set(truth.compactMap { $0["t"]?.seconds.map { Int($0) / 86_400 } }).count)
    }

    @Test func withASessionBothServersAreOfferedTheSame() throws {
        let trial = try PlayedTrial(DonationTrialSettings(boards: 12, days: 7, seed: 4, flaw: .session))
        let network = try trial.lines("network.jsonl")
        func sessions(_ host: JSON) -> Set<String> {
            Set(network.filter { $0["host"] == host }.compactMap { $0["session"]?.string })
        }
        let donated = sessions("donation.example")
        #expect(trial.summary.donations > 4 && donated.count > 2)
        #expect(network.allSatisfy { $0["host"] != "donation.example" || $0["session"]?.string != nil })
        // Whoever has a second run at the issuer is known there by it.
        #expect(!sessions("issuer.example").isDisjoint(with: donated))
    }

    /// Each donation follows an exchange of its device with the issuer within a minute.
    @Test func atOnceIsWithinAMinute() throws {
        let trial = try PlayedTrial(DonationTrialSettings(boards: 8, days: 5, seed: 5, flaw: .atOnce))
        let issuer = try trial.lines("issuer-sees.jsonl"), truth = try trial.lines("truth.jsonl")
        #expect(truth.count > 4)
        for line in truth {
            let time = try #require(line["t"]?.seconds), device = try #require(line["device"]?.string)
            #expect(
                issuer.contains { exchange in
                    let asked = exchange["t"]?.seconds ?? 0
                    return PlayedTrial.isBy(device, exchange) && asked < time && time - asked < 60
                })
        }
    }

    /// Without the flaw there is an hour between them.
    @Test func asItShipsThereIsAnHourBetween() throws {
        let trial = try PlayedTrial.plain.get()
        let issuer = try trial.lines("issuer-sees.jsonl")
        for line in try trial.lines("truth.jsonl") {
            let time = try #require(line["t"]?.seconds), device = try #require(line["device"]?.string)
            #expect(
                !issuer.contains { abs(($0["t"]?.seconds ?? 0) - time) < 3_500 && PlayedTrial.isBy(device, $0) })
        }
    }
}
