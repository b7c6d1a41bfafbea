// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import FoundationEssentials
import Glibc
import JSON
import PrivacyPass
import SystemCalls
import TestKit
import Testing

@testable import DonationService

/// The operator's commands, as a shell calls them.
@Suite struct CommandTests {
    private static let authority: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        let own = URL(filePath: String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)).deletingLastPathComponent()
        // Swift Testing may run inside a helper of the toolchain.
        let places = [own.path, ".build/debug"]
        let folder = places.first { access("\($0)/vigil-authority", X_OK) == 0 } ?? ".build/debug"
        return "\(folder)/vigil-authority"
    }()

    private func run(_ words: String...) throws -> (status: Int32, output: String) {
        try runProgram(Self.authority, ["donations"] + words)
    }

    @Test func anIssuerIsSetUp() throws {
        let folder = try TemporaryFolder()
        let (issuer, server, terms) = ("\(folder.path)/i", "\(folder.path)/s", "\(folder.path)/donation.json")
        let settings = ["--name", "issuer.example", "--address", "https://issuer.example", "--minimum-fleet"]
        #expect(try runProgram(Self.authority, ["donations", "init-issuer", issuer] + settings + ["1"]).status == 1)
        #expect(access(issuer, F_OK) != 0)
        #expect(try runProgram(Self.authority, ["donations", "init-issuer", issuer] + settings + ["50"]).status == 0)
        #expect(try run("init-server", server).status == 0)
        // Neither takes the other's folder.
        #expect(try run("init-server", issuer).status == 1)
        #expect(try run("serve", issuer).status == 1)
        #expect(try run("issuer", server).status == 1)
        #expect(try run("devices", "list", server).status == 1)
        // Devices.
        let key = try P256.SigningKey.generate().verificationKey
        let text = Base64.string(key.subjectPublicKeyInfo)
        #expect(try run("devices", "add", issuer, text).output == "added\n")
        #expect(try run("devices", "add", issuer, text).output.contains("known already"))
        #expect(try run("devices", "add", issuer, "AAAA").status == 1)
        let list = try JSON(parsing: Array(run("devices", "list", issuer, "--json").output.utf8)).array
        #expect(list?.count == 1)
        #expect(list?.first?["key"]?.string == text)
        #expect(list?.first?["revoked"] == .bool(false))
        let name = try #require(list?.first?["device"]?.string)
        #expect(try run("devices", "revoke", issuer, "0011223344556677").status == 1)
        #expect(try run("devices", "revoke", issuer, name).status == 0)
        #expect(try run("devices", "list", issuer).output.contains("revoked"))
        // Terms. The first has a version of its own.
        let words = ["--origin", "donation.example", "--server-address", "https://donation.example", "--out", terms]
        #expect(
            try runProgram(Self.authority, ["donations", "terms", issuer, "--version", "0"] + words).status != 0)
        #expect(try runProgram(Self.authority, ["donations", "terms", issuer] + words).status != 0)
        #expect(
            try runProgram(Self.authority, ["donations", "terms", issuer, "--version", "7", "--epsilon", "2"] + words)
                .status == 0)
        let bytes = try WholeFile.read(terms, limit: DonationTerms.maximumByteCount)
        let read = try #require(DonationTerms(decoding: bytes))
        #expect(read.encoded == bytes)
        #expect(read.version == 7)
        #expect(read.epsilon == 2)
        #expect(read.keys.count == 10)
        // Again: the same keys.
        #expect(try runProgram(Self.authority, ["donations", "terms", issuer, "--version", "8"] + words).status == 0)
        let again = try #require(DonationTerms(decoding: WholeFile.read(terms, limit: DonationTerms.maximumByteCount)))
        #expect(Set(read.keys).intersection(again.keys).count >= 9)
        let status = try run("status", issuer)
        #expect(status.status == 0 && status.output.hasPrefix("document: version 8 has keys of 10 more days, until "))
        #expect(status.output.hasSuffix("nothing was counted yet\n"))
        // What a timer calls: a new version exactly if something has changed.
        #expect(try runProgram(Self.authority, ["donations", "terms", issuer] + words).output.contains("version 8, "))
        #expect(
            try runProgram(Self.authority, ["donations", "terms", issuer, "--epsilon", "3"] + words).output
                .contains("version 9, "))
        #expect(
            try runProgram(Self.authority, ["donations", "terms", issuer, "--epsilon", "3"] + words).output
                .contains("version 9, "))
        let end = try runProgram(Self.authority, ["donations", "terms", issuer, "--end"] + words)
        #expect(end.output.contains("version 10, 0 keys"))
        #expect(try run("status", issuer).output.hasPrefix("document: version 10 has no keys: donations are ended\n"))
    }

    /// The shipped timer calls it without options: privacy stays as it was said, and an end stays an end.
    @Test func aTimersCallWeakensNothingAndUndoesNoEnd() throws {
        let folder = try TemporaryFolder()
        let (issuer, file) = ("\(folder.path)/i", "\(folder.path)/terms.json")
        let settings = ["--name", "issuer.example", "--address", "https://issuer.example", "--minimum-fleet", "2"]
        #expect(try runProgram(Self.authority, ["donations", "init-issuer", issuer] + settings + ["--logs"]).status == 0)
        func write(_ more: String...) throws -> (status: Int32, output: String) {
            let words = ["--origin", "donation.example", "--server-address", "https://donation.example", "--out", file]
            let call = ["-c", "exec \"$0\" \"$@\" 2>&1", Self.authority, "donations", "terms", issuer]
            return try runProgram("/bin/sh", call + words + more)
        }
        func terms() throws -> DonationTerms {
            try #require(DonationTerms(decoding: WholeFile.read(file, limit: DonationTerms.maximumByteCount)))
        }
        #expect(try write("--version", "1", "--epsilon", "2", "--window-probability", "0.25").status == 0)
        for more in [[], ["--version", "2"]] {
            let run = try more.isEmpty ? write() : write(more[0], more[1])
            #expect(run.status == 0 && !run.output.contains("hides less") && !run.output.contains("more donations"))
            #expect(try terms().epsilon == 2 && terms().windowProbability == 0.25)
        }
        // Stronger without a word, weaker with one.
        #expect(try !write("--epsilon", "1").output.contains("hides less"))
        let weaker = try write("--epsilon", "8", "--window-probability", "1")
        #expect(weaker.output.contains("epsilon is 8.0, and was 1.0"))
        #expect(weaker.output.contains("probability is 1.0, and was 0.25"))
        // An end, two calls of the timer, one with a version by hand, and a new beginning.
        #expect(try write("--end").output.contains("0 keys"))
        let ended = try terms()
        #expect(ended.keys.isEmpty && ended.keys(for: .log).isEmpty)
        for _ in 0..<2 {
            #expect(try write().output.contains("stay so until --resume"))
            #expect(try terms() == ended)
        }
        #expect(try write("--version", "20").status == 0 && terms().keys.isEmpty)
        #expect(try write("--end", "--resume").status != 0)
        // At midnight a key more makes a version more.
        let day = time(nil) / 86_400
        let resumed = try write("--resume")
        #expect(resumed.status == 0 && !resumed.output.contains("ended"))
        let (again, said) = (try terms(), try write().output)
        if time(nil) / 86_400 == day {
            #expect(again.version == 21 && again.keys.count == 10 && !again.keys(for: .log).isEmpty)
            #expect(said.contains("version 21, 10 keys"), "\(said)")
        }
        // Few devices are told to the operator, who alone can say whether they are too few.
        let keys = try IssuerKeys(path: "\(issuer)/keys.db").live.filter { $0.purpose == .log }
        let store = try IssuerStore(path: "\(issuer)/issuer.db")
        for number: UInt8 in 0..<3 {
            let key = try P256.SigningKey.generate().verificationKey
            #expect(try store.add(key))
            _ = try store.enter(
                digest: [number], keyID: DeviceEvidence.keyID(of: key), key: #require(keys.first).key.publicKey.id,
                day: #require(keys.first).lastDay, rule: IssuanceRule())
        }
        let months = try JSON(parsing: Array(run("status", issuer, "--json").output.utf8))["months"]?.array
        #expect(months?.count == keys.count && months?.first?["devices"] == .null && months?.first?["purpose"] == "log")
        #expect(try run("status", issuer).output.contains("devices with a token for error logs  fewer than 5\n"))
    }

    /// What was said once stays in the document: whoever leaves it out in a timer's call ends no consents.
    @Test func whoIsResponsibleIsWrittenOnceAndStays() throws {
        let folder = try TemporaryFolder()
        let (issuer, file) = ("\(folder.path)/i", "\(folder.path)/terms.json")
        let settings = [
            "--name", "issuer.example", "--address", "https://issuer.example", "--minimum-fleet", "2", "--logs",
        ]
        #expect(try runProgram(Self.authority, ["donations", "init-issuer", issuer] + settings).status == 0)
        func write(_ more: [String]) throws -> (status: Int32, output: String) {
            let words = ["--origin", "donation.example", "--server-address", "https://donation.example", "--out", file]
            // Warnings are on the other stream.
            let call = ["-c", "exec \"$0\" \"$@\" 2>&1", Self.authority, "donations", "terms", issuer]
            return try runProgram("/bin/sh", call + words + more)
        }
        func terms() throws -> DonationTerms {
            try #require(DonationTerms(decoding: WholeFile.read(file, limit: DonationTerms.maximumByteCount)))
        }
        let first = try write(["--version", "1"])
        #expect(first.status == 0 && first.output.contains("People are told to ask you"))
        #expect(try terms().responsible() == nil)
        // All four, or none.
        #expect(try write(["--issuer-operator", "City"]).status != 0)
        #expect(try write(["--log-kept-days", "30"]).status != 0)
        let four = ["--issuer-operator", "City", "--server-operator", "Institute", "--recipients", "Institute"]
        for days in ["1", "3651", "x"] {
            #expect(try write(four + ["--kept-days", days]).status != 0)
        }
        let said = try write(four + ["--kept-days", "90", "--log-kept-days", "30"])
        #expect(said.status == 0 && said.output.contains("are asked again") && !said.output.contains("told to ask"))
        #expect(!said.output.contains("one operator"))
        let people = try terms()
        #expect(
            people.version == 2 && people.responsible()?.keptDays == 90 && people.responsible(for: .log)?.keptDays == 30)
        #expect(people.responsible()?.issuer == "City" && people.responsible(for: .log)?.recipients == "Institute")
        // A timer's call, the end, and a new beginning.
        for more in [[], ["--end"], [], ["--resume"]] {
            let run = try write(more)
            #expect(run.status == 0 && !run.output.contains("asked again"))
            #expect(try terms().responsible() == people.responsible())
            #expect(try terms().responsible(for: .log) == people.responsible(for: .log))
        }
        #expect(try write(["--kept-days", "91"]).output.contains("are asked again"))
        #expect(try terms().responsible()?.keptDays == 91 && terms().responsible(for: .log)?.keptDays == 30)
        #expect(try write(["--server-operator", "City"]).output.contains("one operator runs both servers"))
    }

    /// A survey is made once, stays, changes, and ends; its operator gets a port of its own.
    @Test func aSurveyIsMadeAndEnded() throws {
        let folder = try TemporaryFolder()
        let (issuer, file) = ("\(folder.path)/i", "\(folder.path)/terms.json")
        func initialise(_ more: String...) throws -> Int32 {
            try runProgram(
                Self.authority,
                [
                    "donations", "init-issuer", issuer, "--name", "issuer.example", "--address", "https://issuer.example",
                    "--minimum-fleet", "2",
                ] + more
            ).status
        }
        func write(_ more: [String]) throws -> (status: Int32, output: String) {
            let words = ["--origin", "donation.example", "--server-address", "https://donation.example", "--out", file]
            let call = ["-c", "exec \"$0\" \"$@\" 2>&1", Self.authority, "donations", "terms", issuer]
            return try runProgram("/bin/sh", call + words + more)
        }
        func terms() throws -> DonationTerms {
            try #require(DonationTerms(decoding: WholeFile.read(file, limit: DonationTerms.maximumByteCount)))
        }
        let people = [
            "--issuer-operator", "City", "--server-operator", "Institute", "--recipients", "Institute", "--kept-days", "90",
        ]
        let survey = [
            "--survey-link", "https://survey.example/start", "--survey-operator", "University", "--survey-about",
            "en=How was it?",
            "--survey-invites", "increasedRisk", "--survey-days", "7",
        ]
        #expect(try initialise() == 0)
        #expect(try write(["--version", "1"] + people).status == 0)
        let impossible = try write(survey)
        #expect(impossible.status != 0 && impossible.output.contains("init-issuer --surveys"))
        #expect(try initialise("--logs", "--surveys") == 0)
        // Keys alone invite nobody.
        #expect(try write([]).status == 0)
        #expect(try terms().survey == nil && terms().keys(for: .survey).isEmpty && !terms().keys(for: .log).isEmpty)
        // All five, or none.
        for index in stride(from: 0, to: survey.count, by: 2) {
            let others = survey.indices.filter { $0 != index && $0 != index + 1 }.map { survey[$0] }
            #expect(try write(others).status != 0)
        }
        for (name, value) in [
            ("--survey-link", "http://survey.example"), ("--survey-link", "https://192.168.7.1/"), ("--survey-days", "32"),
            ("--survey-invites", "nobody"), ("--survey-about", ""), ("--survey-about", "Wie war es?"),
            ("--survey-about", "de="),
            ("--survey-about", "german=Wie war es?"), ("--survey-about", "en=Twice?"), ("--survey-about", "de=\u{1B}"),
        ] {
            #expect(try write(survey + [name, value]).status != 0, "\(value)")
        }
        let made = try write(survey)
        #expect(made.status == 0 && !made.output.contains("asked again"))
        #expect(made.output.contains("boards also speak de, fr, de-simple"))
        let first = try terms()
        #expect(first.survey?.invited == .increasedRisk && first.responsible(for: .survey)?.keptDays == 7)
        #expect(first.responsible(for: .survey)?.recipients == "University" && !first.keys(for: .survey).isEmpty)
        // A timer's call, the end of donations, and a new beginning.
        for (more, isEnded) in [([], false), (["--end"], true), ([], true), (["--resume"], false)] {
            #expect(try !write(more).output.contains("asked again"))
            #expect(try terms().survey == first.survey && terms().keys(for: .survey).isEmpty == isEnded)
        }
        // All sentences are replaced: an old one would be about the survey before.
        let sentences = ["en": "And now?", "de": "Und jetzt = heute?", "fr": "Et maintenant ?", "de-simple": "Und jetzt?"]
        let translated = try write(sentences.flatMap { ["--survey-about", "\($0.key)=\($0.value)"] })
        #expect(translated.output.contains("asked again") && !translated.output.contains("also speak"))
        #expect(try terms().survey?.about == sentences && terms().survey?.link == first.survey?.link)
        #expect(try write(["--survey-about", "de=Wirklich?"]).output.contains("also speak en, fr, de-simple"))
        #expect(try terms().survey?.about == ["de": "Wirklich?"])
        #expect(try write(["--end-survey", "--survey-days", "8"]).status != 0)
        #expect(try write(["--end-survey"]).status == 0 && terms().survey == nil && write([]).status == 0)
        #expect(try terms().survey == nil && terms().responsible(for: .survey) == nil)
        // The server's options.
        let server = "\(folder.path)/s", secret = "\(folder.path)/secret"
        #expect(try run("init-server", server).status == 0)
        #expect(try run("serve", server, "--redeem-port", "0").status != 0)
        for port in ["127.0.0.1:80", "x", "70000", "-1", ""] {
            #expect(try run("serve", server, "--redeem-port", port, "--redeem-secret", secret).status != 0)
        }
        try WholeFile.replace(secret, with: Array(String(repeating: "x", count: 31).utf8), mode: 0o600)
        #expect(try run("serve", server, "--redeem-port", "0", "--redeem-secret", secret).status == 1)
        // Others may read it.
        try WholeFile.replace(secret + "-open", with: Array(String(repeating: "x", count: 40).utf8), mode: 0o600)
        #expect(chmod(secret + "-open", 0o644) == 0)
        #expect(try run("serve", server, "--redeem-port", "0", "--redeem-secret", secret + "-open").status == 2)
        // Not on every address by a mistake in typing.
        try WholeFile.replace(secret, with: Array(String(repeating: "x", count: 40).utf8), mode: 0o600)
        for address in ["", "localhost", "127.0.0.1:80", "*", "0", "127.1"] {
            #expect(
                try run(
                    "serve", server, "--redeem-address", address, "--redeem-port", "0", "--redeem-secret", secret
                ).status == 2, "\(address)")
        }
    }

    @Test func donationsAreCountedForTheOperator() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/s"
        #expect(try run("init-server", path).status == 0)
        let yesterday = UTCDay(number: UTCDay(containing: DonationService.machineTime()).number - 1)
        let store = try DonationStore(path: "\(path)/server.db")
        let content = try #require(DonationBody.content(of: DonationScene.donation(.high, windows: 3)))
        for number in 0..<7 {
            let nonce = withUnsafeBytes(of: number) { Array($0) }
            _ = try store.take(
                content: content, digest: nonce, key: [1], nonce: nonce, days: RedemptionRule.days(ofKey: yesterday),
                today: yesterday)
        }
        try store.count([.tokenInvalid: 3, .stored: 7, .cover: 4, .surveyStored: 4, .surveyRedeemed: 5], on: yesterday)
        try store.count([.tokenExpired: 1, .stored: 9, .cover: 9, .logStored: 9], on: UTCDay(number: yesterday.number + 1))
        #expect(try run("export", path).output.contains("\(yesterday.date.isoText),total,all,7\n"))
        let json = try JSON(parsing: Array(run("export", path, "--json").output.utf8))
        #expect(json["days"]?.array?.first?["total"]?.int == 7)
        #expect(try run("show", path).output.contains("7 donations"))
        // Of what people have sent no count below five, and nothing of the day under way; refusals as they are.
        let lines = [
            "cover  fewer than 5", "stored  7", "surveyRedeemed  5", "surveyStored  fewer than 5", "tokenInvalid  3",
        ]
        let told = try run("status", path).output.split(separator: "\n").map(String.init)
        #expect(told.first == "document: none yet")
        #expect(Array(told.dropFirst().prefix(lines.count)) == lines.map { "\(yesterday.date.isoText)  \($0)" })
        #expect(told.count == lines.count + 2 && told.last?.hasSuffix("  tokenExpired  1") == true)
        let events = try JSON(parsing: Array(run("status", path, "--json").output.utf8))["events"]?.array
        #expect(events?.map { $0["count"] } == [.null, 7, 5, .null, 3, 1])
        // A document whose last key was yesterday's.
        let old = try #require(
            DonationTerms(
                version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example",
                serverAddress: "https://donation.example",
                keys: [.init(day: yesterday, key: TokenKey(BlindRSA.PublicKey(modulus: IssuerKey.day(0).modulus)))]))
        try DonationFolder(path, role: .server).write(old.encoded, to: DonationFolder.termsName)
        let late = try run("status", path, "--json")
        #expect(late.status == 1)
        #expect(try JSON(parsing: Array(late.output.utf8))["document"]?["days"]?.int == 0)
        #expect(try run("status", folder.path).status == 1)
    }
}
