// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON
import PrivacyPass
import RandomValues
import TestKit
import Testing

@testable import Donation

/// Surveys of a device over weeks, beside donations and without them, with an issuer that signs and a server that keeps digests.
@Suite struct SurveyTests {
    private typealias World = MonthlyWorld

    private let start = World.start
    private static let day = World.day

    private func agreed(_ seed: UInt64, donates: Bool = false) throws -> (World, now: Int64) {
        try World.agreed(.survey, seed: seed, donates: donates)
    }

    private func isAccepted(_ book: DonationBook, _ now: Int64) -> Bool {
        if case .accepted = book.surveyState(at: now) { true } else { false }
    }

    // MARK: The password's way

    /// The digest leaves once, the password never; it is shown only while it opens the survey, and nothing more is asked for.
    @Test(arguments: [(1, false), (2, true)] as [(UInt64, Bool)])
    func aDigestLeavesOnceAndThePasswordNever(seed: UInt64, donates: Bool) throws {
        var (world, now) = try agreed(seed, donates: donates)
        #expect(world.book.surveyState(at: now) == .waits && DonationBook().surveyState(at: now) == nil)
        try world.live(from: now, until: now + DonationBook.pause)
        #expect(world.book[.survey]?.ticket == nil && world.book[.survey]?.password == nil)
        while world.book[.survey]?.password?.outcome == nil {
            #expect([.waits, .sent].contains(world.book.surveyState(at: now)))
            now = try #require(try world.act(now))
        }
        guard case .accepted(let password, let lastDay) = world.book.surveyState(at: now) else {
            Issue.record("not accepted")
            return
        }
        #expect(world.digests == [password.digest: UTCDay(containing: now).number])
        #expect(lastDay == UTCDay(containing: now).number + 6)
        let last = UTCDay(number: lastDay + 1).start
        #expect(isAccepted(world.book, last - 1) && world.book.surveyState(at: last) == .expired)
        let requests = world.requests
        try world.live(from: now, until: now + 70 * Self.day)
        #expect(world.digests.count == 1 && world.book[.survey]?.history.map(\.outcome) == [.taken])
        #expect(world.requests.keys.filter { $0.utf8.count == 7 }.sorted() == requests.keys.filter { $0.utf8.count == 7 })
        // Once its days are over for certain it is erased.
        let isForgotten = world.book.forget(before: lastDay + 1)
        #expect(isForgotten && world.book[.survey]?.password?.secret == nil)
        #expect(world.book.surveyState(at: nil) == .expired)
        #expect(world.donated.isEmpty != donates)
        // After another agreement there is another one, by another month's token.
        world.book.withdraw(.survey)
        now += 70 * Self.day
        world.book.agree(.survey, text: 1, try world.terms(now), at: now)
        try world.live(from: now, until: now + 40 * Self.day)
        #expect(world.digests.count == 2 && world.spent.count == 2)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
    }

    /// The state of a digest on its way: the world, the time, the token and the digest.
    private func onItsWay(
        _ seed: UInt64, donates: Bool = false
    ) throws -> (world: World, now: Int64, day: Int64, token: Token, content: [UInt8]) {
        var (world, now) = try agreed(seed, donates: donates)
        while true {
            var look = world.book
            let step = try look.step(world.terms(now), at: now, using: &world.random)
            if case .sendErrand(_, let day, let token, let content) = step {
                world.book = look
                try world.keep()
                return (world, now, day, token, content)
            }
            now = try #require(try world.act(now))
        }
    }

    @Test func aRefusedDigestIsNotSentAgain() throws {
        var (world, now, day, _, _) = try onItsWay(10)
        #expect(world.book.surveyState(at: now) == .sent)
        world.book.note(.refused, day: day, at: now, using: &world.random)
        #expect(world.book.surveyState(at: now) == .refused && world.book[.survey]?.password?.secret == nil)
        let months = world.requests.keys.filter { $0.utf8.count == 7 }
        try world.live(from: now, until: now + 60 * Self.day)
        #expect(world.digests.isEmpty && world.requests.keys.filter { $0.utf8.count == 7 }.sorted() == months.sorted())
    }

    /// Nobody answers: the same digest with the same token in the same month; after it another password, because two tokens with one digest would be of one device.
    @Test(arguments: [(20, 3), (21, 40)] as [(UInt64, Int64)])
    func whatNobodyAnsweredIsSentAgain(seed: UInt64, days: Int64) throws {
        var (world, now, _, token, content) = try onItsWay(seed)
        try world.take(.survey, UTCDay(containing: now).number, token, content, now)
        let digest = try #require(SurveyReport.digest(of: content))
        try world.live(from: now + days * Self.day, until: now + (days + 40) * Self.day)
        #expect(world.digests.count == (days < 30 ? 1 : 2) && world.digests[digest] == UTCDay(containing: now).number)
        guard days < 30 else { return }
        // The server has counted from the first day, and so does the device.
        #expect(world.book[.survey]?.lastSurveyDay == UTCDay(containing: now).number + 6)
    }

    /// The first try was long ago when the server takes the digest. With a whole day left the password is shown; without one it is given up, and another month makes another one.
    @Test(arguments: [(5, true), (6, false), (20, false)] as [(Int64, Bool)])
    func aPasswordThatNobodyCouldUseIsMadeAnew(days: Int64, isUsable: Bool) throws {
        var (world, now, day, _, _) = try onItsWay(20)
        let late = now + days * Self.day
        let first = UTCDay(containing: now).number
        world.book.note(.taken, day: day, at: late, using: &world.random)
        if isUsable {
            guard case .accepted(_, let lastDay) = world.book.surveyState(at: late) else {
                Issue.record("\(String(describing: world.book.surveyState(at: late)))")
                return
            }
            #expect(lastDay == first + 6)
        } else {
            #expect(world.book.surveyState(at: late) == .waits && world.book[.survey]?.password == nil)
            now = late
            try world.live(from: now, until: now + 60 * Self.day)
            #expect(world.digests.count == 1 && world.book[.survey]?.history.map(\.outcome) == [.taken, .taken])
        }
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
    }

    /// A clock that was ahead when the digest left does not make the password good for longer than the server thinks.
    @Test func aClockThatWasAheadShowsNoLaterDay() throws {
        var (world, now, day, _, _) = try onItsWay(24)
        now -= 5 * Self.day
        _ = try world.book.step(world.terms(now), at: now, using: &world.random)
        world.book.note(.taken, day: day, at: now, using: &world.random)
        #expect(world.book[.survey]?.lastSurveyDay == UTCDay(containing: now).number + 6)
    }

    @Test(arguments: [(30, false), (31, true)] as [(UInt64, Bool)])
    func whoSeesTheNetworkSeesNoSurvey(seed: UInt64, donates: Bool) throws {
        var (world, now) = try agreed(seed, donates: donates)
        try world.live(from: now, until: now + 60 * Self.day)
        now += 60 * Self.day
        #expect(world.digests.count == 1)
        #expect(world.asked == Array((world.asked.first ?? 0)...(world.asked.last ?? 0)))
        #expect(world.sent == Array((world.sent.first ?? 0)...(world.sent.last ?? 0)))
    }

    /// The power fails in half of all places; now and then the device is off for days.
    @Test(arguments: 40..<44) func powerCutsGiveNeitherASecondRequestNorASecondDigest(seed: UInt64) throws {
        var (world, now) = try agreed(seed, donates: seed.isMultiple(of: 2))
        let end = now + 90 * Self.day
        var cuts = 0
        while now < end {
            let next = try #require(
                try world.act(now) { random in
                    let isCut = Bool.random(using: &random)
                    cuts += isCut ? 1 : 0
                    return isCut
                })
            now = next
            if Int.random(in: 0..<60, using: &world.random) == 0 {
                now += .random(in: 0..<2 * Self.day, using: &world.random)
            }
        }
        #expect(cuts > 20)
        #expect(world.requests.values.allSatisfy { $0.count == 1 })
        #expect(!world.digests.isEmpty && world.digests.count == world.spent.count)
        #expect(world.book[.survey]?.history.last?.outcome == .taken)
    }

    @Test func aWithdrawalErasesThePassword() throws {
        for under in 0..<3 {
            var (world, now) = try agreed(50 + UInt64(under), donates: true)
            world.book.agree(.survey, text: 1, try world.terms(now), at: now)
            now = try world.live(from: now) { book in
                switch under {
                case 0: book[.survey]?.seed != nil
                case 1: book[.survey]?.hasToken == true
                default: book[.survey]?.password?.outcome == .taken
                }
            }
            let errand = try #require(world.book[.survey])
            let secrets = [errand.seed, errand.ticket?.token, errand.password?.secret].compactMap { $0 }
            #expect(!secrets.isEmpty && errand.password?.secret != nil)
            let other = world.book
            world.book.withdraw(.survey)
            let text = String(decoding: try world.book.bytes(), as: UTF8.self)
            #expect(secrets.allSatisfy { !text.contains($0) } && !text.contains("survey.example"))
            #expect(world.book.surveyState(at: now) == nil && world.book.consent == other.consent)
            #expect(world.book.tickets.allSatisfy { $0.errand == nil })
            #expect(world.book.askedMonth(.survey) == other.askedMonth(.survey))
            // Taking donations back leaves the survey as it is.
            var another = other
            another.withdraw()
            #expect(another[.survey] == other[.survey] && another.consent == nil)
        }
    }

    /// Another survey is another thing to agree to; until then nothing of it is sent.
    @Test func aConsentIsForOneSurvey() throws {
        var (world, now) = try agreed(60)
        now = try world.live(from: now) { $0[.survey]?.hasToken == true }
        world.about = "Another one"
        #expect(world.book.isForOthers(.survey, than: try world.terms(now)))
        try world.live(from: now, until: now + 60 * Self.day)
        #expect(world.digests.isEmpty)
        now += 60 * Self.day
        let old = world.book[.survey]?.password?.secret
        world.book.agree(.survey, text: 1, try world.terms(now), at: now)
        #expect(world.book[.survey]?.password == nil && old != nil)
        try world.live(from: now, until: now + 40 * Self.day)
        #expect(world.digests.count == 1)
    }

    @Test func aFullBookFits() throws {
        var (world, now) = try agreed(70, donates: true)
        now = try world.live(from: now) { $0[.survey]?.hasToken == true }
        let read = try #require(DonationBook(bytes: world.book.bytes()))
        #expect(read == world.book && !read.isCoverOnly)
        #expect("\(world.book)" == "consent")
    }

    // MARK: Passwords and messages

    @Test func aPasswordIsReadAsItIsTyped() throws {
        var random = SeededGenerator(seed: 80)
        for _ in 0..<200 {
            let password = SurveySecret(using: &random)
            let text = password.text
            #expect(text.utf8.count == 34 && text.split(separator: "-").allSatisfy { $0.utf8.count == 4 })
            #expect(!text.contains { "ILOU".contains($0) })
            let zeros = String(text.map { $0 == "0" ? "o" : $0 == "1" ? "l" : $0 })
            for typed in [text, text.lowercased(), zeros, text.filter { $0 != "-" }, " \(text)\n", zeros.uppercased()] {
                #expect(SurveySecret(typed: typed) == password)
            }
            #expect(password.digest == SHA256.digest(of: password.bytes) && password.bytes.count == 16)
            #expect("\(password)" == "a one-time password")
        }
    }

    @Test func aMistakeInTypingIsTold() throws {
        var random = SeededGenerator(seed: 81)
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        var missed = 0, tries = 0
        for _ in 0..<20 {
            let text = Array(SurveySecret(using: &random).text.filter { $0 != "-" })
            for place in text.indices {
                for digit in digits where digit != text[place] {
                    var wrong = text
                    wrong[place] = digit
                    tries += 1
                    missed += SurveySecret(typed: String(wrong)) == nil ? 0 : 1
                }
            }
        }
        // One of 4,096 is not.
        #expect(missed * 1_000 < tries, "\(missed) of \(tries)")
        let good = SurveySecret(using: &random).text
        for bad in [
            "", "-", good + "0", String(good.dropLast()), good + good, "U" + good.dropFirst(), "é" + good.dropFirst(),
            good + String(repeating: " ", count: 200), String(repeating: "0", count: 28),
        ] {
            #expect(SurveySecret(typed: bad) == nil, "\(bad)")
        }
    }

    @Test func aBodyHasOneDigestOrIsNone() throws {
        var random = SeededGenerator(seed: 82)
        let digest = SurveySecret(using: &random).digest
        let content = SurveyReport.content(digest)
        let body = try #require(DonationPadding.padded(content))
        #expect(SurveyReport.digest(ofBody: body) == digest && SurveyReport.digest(of: content) == digest)
        let log = try #require(DonationPadding.padded(TroubleReport.content([.lostScans])))
        for bad in [
            [], Array(body.dropLast()), DonationCover.body, log, DonationPadding.padded(SurveyReport.content([])) ?? [],
            DonationPadding.padded(SurveyReport.content(Array(digest.dropLast()))) ?? [],
            DonationPadding.padded(SurveyReport.content(digest + [0])) ?? [],
        ] {
            #expect(SurveyReport.digest(ofBody: bad) == nil)
        }
        #expect(TroubleReport.troubles(ofBody: body) == nil)
    }

    // MARK: The document

    private static func document(
        _ survey: DonationTerms.Survey?, _ people: DonationTerms.Responsible?, keys: Bool = true
    ) -> DonationTerms? {
        let month = DonationEpoch.firstDay(ofMonth: UTCDay(number: World.first))
        return DonationTerms(
            version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example", origin: "donation.example",
            serverAddress: "https://donation.example", keys: [],
            monthlyKeys: keys ? [.survey: [.init(day: month, key: World.monthKey(month.number).key)]] : [:],
            responsible: people.map { [.survey: $0] } ?? [:], survey: survey)
    }

    @Test func aSurveyIsReadAsItIsWritten() throws {
        for invited in DonationTerms.Survey.Invited.allCases {
            for keys in [true, false] {
                let terms = try #require(Self.document(World.survey(invited: invited), World.people, keys: keys))
                let read = try #require(DonationTerms(decoding: terms.encoded))
                #expect(read == terms && read.survey?.invited == invited && read.encoded == terms.encoded)
                #expect(read.responsible(for: .survey)?.recipients == "University")
            }
        }
        #expect(World.survey(invited: .increasedRisk)?.invites(isIncreased: false) == false)
        #expect(World.survey(invited: .increasedRisk)?.invites(isIncreased: true) == true)
        #expect(World.survey(invited: .everybody)?.invites(isIncreased: false) == true)
        // A survey and who is responsible for it belong together, and its days have limits.
        #expect(Self.document(World.survey(), nil) == nil && Self.document(nil, World.people) == nil)
        #expect(Self.document(nil, nil) == nil && Self.document(nil, nil, keys: false) != nil)
        for (days, isGood) in [(2, false), (3, true), (31, true), (32, false)] as [(Int64, Bool)] {
            let people = DonationTerms.Responsible(issuer: "a", server: "b", recipients: "c", keptDays: days)
            #expect((Self.document(World.survey(), people) != nil) == isGood)
        }
    }

    /// Sentences in as many languages.
    private static func sentences(_ count: UInt8) -> JSON.Object {
        var object: JSON.Object = [:]
        for number in 0..<count { object["x" + String(UnicodeScalar(97 + number))] = "a" }
        return object
    }

    /// Each sentence, and in which language it stands, is part of what a survey is.
    @Test func whatItIsAboutHasLanguages() throws {
        let all = ["en": "How was it?", "de": "Wie war es?", "fr": "C’était comment ?", "de-simple": "Wie war es?"]
        let survey = DonationTerms.Survey(link: "https://survey.example", about: all, invited: .everybody)
        let terms = try #require(Self.document(survey, World.people))
        let read = try #require(DonationTerms(decoding: terms.encoded))
        #expect(read == terms && read.survey?.about == all && read.surveyIdentity == terms.surveyIdentity)
        for other in [
            all.filter { $0.key != "fr" }, all.merging(["it": "Com’era?"]) { $1 }, all.merging(["de": "Wie?"]) { $1 },
            ["en": "Wie war es?", "de": "How was it?", "fr": "C’était comment ?", "de-simple": "Wie war es?"],
        ] {
            let survey = DonationTerms.Survey(link: "https://survey.example", about: other, invited: .everybody)
            let changed = try #require(Self.document(survey, World.people))
            #expect(
                changed.surveyIdentity != terms.surveyIdentity
                    && changed.parties(for: .survey) != terms.parties(for: .survey))
        }
        let most = Dictionary(uniqueKeysWithValues: Self.sentences(16).members.map { ($0.name, "a") })
        #expect(DonationTerms.Survey(link: "https://survey.example", about: most, invited: .everybody) != nil)
    }

    @Test func aSurveyOfALaterRuleInvitesNobodyAndSpoilsNothing() throws {
        let terms = try #require(Self.document(World.survey(), World.people))
        let good = try #require(JSON(parsing: terms.encoded).object)
        func read(_ change: (inout JSON.Object) -> Void) -> DonationTerms? {
            var object = good, part = good["survey"]?.object ?? [:]
            change(&part)
            object["survey"] = .object(part)
            return DonationTerms(decoding: JSON.object(object).bytes)
        }
        let later = try #require(read { $0["invites"] = "peopleOver60" })
        #expect(later.survey == nil && later.keys(for: .survey).isEmpty && later.version == 1)
        #expect(read { $0["later"] = 1 } == terms)
        for name in ["link", "about", "invites", "keys", "responsible"] {
            #expect(read { $0[name] = nil } == nil, "\(name)")
        }
        for (name, value) in [
            ("link", "http://survey.example"), ("link", 1), ("about", "How was it?"), ("about", [:]), ("about", ["en": ""]),
            ("about", ["en": " "]), ("about", ["en": "a\nb"]), ("about", ["en": "a", "de": 1]), ("about", ["EN": "a"]),
            ("about", ["english": "a"]), ("about", ["en": .string(String(repeating: "a", count: 201))]),
            ("about", .object(Self.sentences(17))), ("invites", 1), ("keys", "x"),
        ] as [(String, JSON)] {
            #expect(read { $0[name] = value } == nil, "\(name)")
        }
        var object = good
        object["survey"] = "x"
        #expect(DonationTerms(decoding: JSON.object(object).bytes) == nil)
    }

    @Test func aLinkLeadsToTheInternet() throws {
        for link in [
            "https://survey.example", "https://survey.example/", "https://a-b.survey.example/start?lang=de&x=%20",
            "https://survey.example?x=1", "https://xn--umfrage-9za.example/a/b;c",
            "https://survey.example/" + String(repeating: "x", count: 177),
        ] {
            #expect(DonationTerms.Survey.isLink(link), "\(link)")
        }
        for link in [
            "", "https://", "http://survey.example", "https:/survey.example", "survey.example", "HTTPS://survey.example",
            "https://localhost/x", "https://survey/x", "https://board.local/x", "https://x.lan", "https://x.home.arpa",
            "https://x.internal", "https://192.168.7.1/x", "https://127.1", "https://0x7f.0.0.1", "https://1.2.3.4.5",
            "https://[::1]/x", "https://survey.example:8443/x", "https://user@survey.example/x", "https://Survey.example",
            "https://survey.example/a b", "https://survey.example/#x", "https://survey.example/\"x",
            "https://survey.example/é",
            "https://survey.example/a\nb", "https://survey..example", "https://.example", "https://survey.example.",
            "https://-a.example", "https://a_b.example", "https://survey.example\\x", "https://survey.example/<x>",
            "https://survey.example/" + String(repeating: "x", count: 178),
        ] {
            #expect(!DonationTerms.Survey.isLink(link), "\(link)")
        }
        var random = SeededGenerator(seed: 90)
        let password = SurveySecret(using: &random)
        #expect(World.survey()?.address(with: password) == "https://survey.example/start?otp=\(password.text)")
        #expect(
            World.survey("https://survey.example/?lang=de")?.address(with: password)
                == "https://survey.example/?lang=de&otp=\(password.text)")
    }
}
