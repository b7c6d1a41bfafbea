// SPDX-License-Identifier: Apache-2.0

import JSON
import PrivacyPass
import RandomValues
import Testing

@testable import Donation

/// What becomes of an encounter on its way into a donation, and how much of a book and of a donation there can be.
@Suite struct RoundingTests {
    @Test(arguments: [
        (Int.min, 30), (-5, 30), (0, 30), (29, 30), (30, 30), (39, 30), (40, 40), (55, 50), (89, 80), (90, 90), (91, 90),
        (255, 90), (Int.max, 90),
    ])
    func attenuationsBecomeLevels(attenuation: Int, level: Int) {
        let scan = DonatedWindow.Scan(typical: attenuation, least: attenuation, seconds: 60)
        #expect(scan.typical == level && scan.least == level)
    }

    @Test(arguments: [
        (Int.min, 0), (-1, 0), (0, 0), (59, 0), (60, 1), (119, 1), (299, 4), (300, 5), (301, 5), (86_400, 5), (Int.max, 5),
    ])
    func secondsBecomeMinutes(seconds: Int, minutes: Int) {
        #expect(DonatedWindow.Scan(typical: 50, least: 50, seconds: seconds).minutes == minutes)
    }

    @Test func whatIsTooMuchIsLimited() {
        let scan = DonatedWindow.Scan(typical: 50, least: 40, seconds: 240)
        let window = DonatedWindow(
            day: 1, report: .selfReport, isHighlyInfectious: true, confidence: .max,
            scans: [DonatedWindow.Scan](repeating: scan, count: 72))
        #expect(window.scans.count == DonatedWindow.maximumScans && window.confidence == 3)
        let none = DonatedWindow(day: 1, report: .selfReport, isHighlyInfectious: true, confidence: -1, scans: [])
        #expect(none.confidence == 0)
    }

    /// An encounter is known again by its day and scans, whatever a mapping makes of it.
    @Test func anotherMappingMakesNoOtherEncounter() {
        let scan = DonatedWindow.Scan(typical: 50, least: 40, seconds: 240)
        let other = DonatedWindow.Scan(typical: 60, least: 40, seconds: 240)
        func mark(
            _ scans: [DonatedWindow.Scan], day: Int64 = 1, report: DonatedWindow.Report = .confirmedTest,
            high: Bool = false, confidence: Int = 3
        ) -> String {
            DonatedWindow(day: day, report: report, isHighlyInfectious: high, confidence: confidence, scans: scans).mark
        }
        let known = mark([scan, other])
        for report in DonatedWindow.Report.allCases {
            #expect(mark([scan, other], report: report, high: true, confidence: 0) == known)
        }
        #expect(Set([known, mark([scan, other], day: 2), mark([other, scan]), mark([scan]), mark([])]).count == 5)
    }

    private func windows(_ count: Int) -> [DonatedWindow] {
        (0..<count).map { number in
            DonatedWindow(
                day: 20_000 + Int64(number % 14), report: .confirmedTest, isHighlyInfectious: true, confidence: 3,
                scans: (0..<15).map { .init(typical: 30 + number % 7 * 10, least: 30, seconds: 60 * ($0 % 6)) })
        }
    }

    /// More than fits is left out from the end, and the rest is a donation that the server takes.
    @Test func aDonationHasRoomForSomeEncounters() throws {
        let facts = DonationFacts(isIncreased: true, windows: [])
        for count in [0, 1, 60, 400, 3_000] {
            let (bytes, kept) = facts.content(told: true, windows: windows(count))
            #expect(bytes.count <= DonationPadding.maximumContentByteCount)
            #expect(
                kept == count || kept < count && kept > 60 && bytes.count > 16_000, "\(count): \(kept) in \(bytes.count)")
            let body = try #require(DonationPadding.padded(bytes))
            let read = try #require(DonationBody.content(of: body).flatMap { PPADataDevice(decoding: $0) })
            #expect(read.newExposureWindows.count == kept)
        }
    }

    /// A book that is as full as it can be is still read, and fits into a setting of the ledger.
    @Test func aFullBookIsRead() throws {
        var book = DonationBook()
        let long = String(repeating: "A", count: 472)
        let digest = String(repeating: "A", count: 44)
        // Such marks take two bytes each where they are kept.
        let name = String(repeating: "\"", count: DonationTerms.Responsible.maximumNameBytes)
        let consent = DonationBook.Consent(
            since: .max, text: .max, issuer: String(repeating: "i", count: DonationTerms.maximumNameBytes),
            server: String(repeating: "s", count: DonationTerms.maximumNameBytes),
            responsible: .init(issuer: name, server: name, recipients: name, keptDays: 3_650))
        #expect(consent.responsible != nil)
        book.consent = consent
        // Nine of them are asked for at most; those have no token, and less in them.
        book.tickets = (0..<DonationBook.maximumTickets).map {
            .init(day: 200_000 + Int64($0), key: "", token: long)
        }
        book.sending = .init(day: .max, token: long, notBefore: .max, errand: .survey, content: digest)
        book.marks = (0..<DonationBook.maximumMarks).map { .init(day: 200_000 + Int64($0), mark: "abcdef012345") }
        book.history = (0..<DonationBook.maximumHistory).map { .init(day: 200_000 + Int64($0), outcome: .refused) }
        for purpose in MonthlyPurpose.allCases {
            var errand = DonationBook.Errand(
                .init(
                    since: .max, text: .max, issuer: consent.issuer, server: consent.server,
                    responsible: consent.responsible, surveyName: purpose == .survey ? digest : nil))
            errand.history = book.history
            errand.ticket = .init(month: 200_000, due: 200_000, key: digest, challenge: digest, token: long)
            (errand.seed, errand.strikes, errand.stopped, errand.refusedBy) = (digest, 2, .deviceRefused, .max)
            if purpose == .log {
                errand.seen = DeviceTrouble.allCases.map { .init(trouble: $0, day: 200_000) }
                errand.released = .init(troubles: DeviceTrouble.allCases, day: 200_000)
            } else {
                var random = SeededGenerator(seed: 5)
                errand.password = .init(using: &random)
                errand.password?.begin(on: 200_000)
                errand.password?.end(.taken)
            }
            book[purpose] = errand
            book.remember(askedMonth: 200_000, purpose)
        }
        (book.seed, book.clock, book.askedUntil, book.clockDay) = (digest, digest, .max, .max)
        (book.nextBatch, book.asked, book.lastRequest, book.lastDonation, book.strikes) = (.max, .max, .max, .max, 2)
        (book.increasedAnswer, book.lowAnswer) = (true, false)
        book.stoppedBy = .init(why: .deviceRefused, version: .max, key: digest)
        let bytes = try book.bytes()
        #expect(bytes.count <= DonationBook.maximumByteCount, "\(bytes.count) bytes")
        #expect(DonationBook(bytes: bytes) == book)
    }

    /// A book of an earlier release has more words for the same, and is read.
    @Test func aBookOfAnEarlierReleaseIsRead() throws {
        var (world, now) = try MonthlyWorld.agreed(.survey, seed: 3, donates: true)
        try world.live(from: now, until: now + 3 * MonthlyWorld.day)
        now += 3 * MonthlyWorld.day
        world.book.marks = [.init(day: 20_000, mark: "abcdef012345")]
        let survey = try #require(world.terms(now).survey)
        var object = try #require(JSON(parsing: world.book.bytes()).object)
        object["marks"] = [["day": 20_000, "mark": "abcdef012345"]]
        var part = try #require(object["survey"]?.object), consent = try #require(part["consent"]?.object)
        #expect(consent["surveyName"]?.string == survey.name)
        consent["surveyName"] = nil
        consent["survey"] = try JSON(encoding: survey)
        part["consent"] = .object(consent)
        object["survey"] = .object(part)
        let read = try #require(DonationBook(bytes: JSON.object(object).bytes))
        #expect(read == world.book)
        #expect(try !read.isForOthers(.survey, than: world.terms(now)))
        world.about = "Something else?"
        #expect(try read.isForOthers(.survey, than: world.terms(now)))
        object["marks"] = ["20000abcdef012345"]
        #expect(DonationBook(bytes: JSON.object(object).bytes) == nil)
    }

    /// As many encounters as fit are in a donation; the others are in the next ones.
    @Test func encountersThatDidNotFitFollow() throws {
        var random = SeededGenerator(seed: 44)
        var book = DonationBook()
        let terms = try #require(
            DonationTerms(
                version: 1, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example", keys: []))
        let start: Int64 = 19_990 * 86_400
        book.agree(text: 1, terms, at: start)
        var all = windows(300)
        // All of them differ.
        all = all.enumerated().map { number, window in
            DonatedWindow(
                day: window.day, report: window.report, isHighlyInfectious: true, confidence: 3,
                scans: (0..<15).map { .init(typical: number >> $0 & 1 == 0 ? 50 : 60, least: 30, seconds: 60) })
        }
        // It is not the first donation, which tells of the last days only.
        book.lowAnswer = false
        let facts = DonationFacts(isIncreased: false, windows: all)
        var sent: Set<[UInt8]> = []
        var donations = 0
        for day: Int64 in 20_014..<20_024 {
            let token = String(repeating: "A", count: 472)
            book.tickets = [.init(day: day, key: "", challenge: "", token: token)]
            let content = book.freeze(day, facts, terms, at: day * 86_400, using: &random)
            let donation = try #require(PPADataDevice(decoding: content ?? []))
            for window in donation.newExposureWindows { #expect(sent.insert(window.encoded).inserted) }
            donations += donation.newExposureWindows.isEmpty ? 0 : 1
        }
        #expect(sent.count == all.count && donations >= 2)
    }
}
