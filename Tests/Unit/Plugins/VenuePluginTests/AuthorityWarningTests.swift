// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import DiagnosisPlan
import ExposureRisk
import FoundationEssentials
import GAEN
import HTTPClient
import KeyIntake
import PluginKit
import PresenceTracing
import RandomValues
import Testing
import Trust
import VenueNotices
import VenuePlan
import Verification

@testable import VenuePlugin

/// From a host's code to a visitor's notice by the real servers of an authority: what one board sends is published, and another reads it. No package
/// is made by hand.
@Suite(.serialized) final class AuthorityWarningTests {
    /// 2026-11-13, 10:00 UTC.
    private static let now: Int64 = 20_770 * 86_400 + 10 * 3_600
    private static let levels = SymptomStatement.noStatement.levels
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-trace-\(Unique.name())"
    private let authority: HealthAuthority
    private let verification: VerificationServer
    private let submission: VerificationService
    private let service: AuthorityService
    private var random = SeededGenerator(seed: 61)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder + "/spool", withIntermediateDirectories: true)
        let state = try StateFolder.make(at: folder + "/authority").folder
        var settings = AuthoritySettings()
        settings.publishing.paddingMultiplier = 3
        settings.http.port = 0
        settings.http.adminPort = 0
        authority = try HealthAuthority(folder: state, settings: settings)
        _ = try authority.publish(now: Self.now - 3_600)
        verification = try Self.verification(folder)
        submission = try VerificationService(
            SubmissionServer(
                rules: SubmissionRules(), tans: try Self.verification(folder),
                taker: SubmissionIntake(authority: try HealthAuthority(folder: state, settings: settings))),
            address: "127.0.0.1", port: 0, now: { Self.now })
        service = try AuthorityService(
            folder: state, settings: settings, clock: AuthorityClock(startingAt: Self.now), publishesAtOnce: false,
            log: { _ in })
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func verification(_ folder: String) throws -> VerificationServer {
        VerificationServer(
            store: try SQLiteVerificationStore(path: folder + "/verification.db"),
            results: try TestResultServer(path: folder + "/results.db"),
            secret: try VerificationSecret.load(path: folder + "/verification-secret"), rules: VerificationRules())
    }

    private func store(_ name: String) throws -> VenueStore {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return VenueStore(
            try KeyValueStore(
                folder: path, limit: VenueStore.storeBytes, seal: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
                slotBytes: VenueStore.slotBytes))
    }

    private func settings(readable: Bool = false) throws -> VenueSettings {
        var settings = VenueSettings()
        settings.systems = ["coronaWarnApp"]
        settings.plainHTTP = true
        settings.coronaWarnAppServer = "http://127.0.0.1:\(service.port)"
        settings.coronaWarnAppPlain = readable
        settings.signers = try authority.publicKeys(now: Self.now).filter { $0.role == .export || $0.role == .config }.map {
            VenueSettings.Signer(system: "coronaWarnApp", name: "\($0.name)", key: $0.pem, role: $0.role.rawValue)
        }
        return settings
    }

    /// A visitor's board that reads the code at the door: it was there for an hour, so long ago.
    private func visitor(_ name: String, code: String, secondsAgo: Int64) throws -> VenueStore {
        let store = try store(name)
        let arrival = Self.now - secondsAgo
        let ticket = try settings().reader().read(code, at: arrival)
        try store.change { records in
            let number = try records.diary.checkIn(ticket, at: arrival)
            try records.diary.checkOut(number, at: arrival + 3_600)
        }
        return store
    }

    private func fetch(_ store: VenueStore, readable: Bool = false, at moment: Int64) throws {
        try WarningFetcher(
            store: store, settings: try settings(readable: readable), unzip: try .besideThisProgram(),
            spool: folder + "/spool", configuration: HTTPConfiguration(allowsPlainHTTP: true),
            cancellation: HTTPCancellation()
        ).run(at: moment)
    }

    /// What a board sends whose wearer tested positive, with a TAN of its own; gives the status.
    private func warn(_ reports: [ProtectedReport]) throws {
        let teleTAN = try verification.issueTeleTAN(.test, now: Self.now)
        let token = try verification.register(
            try VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), now: Self.now)
        let tan = try verification.tan(token: token, now: Self.now)
        let data = Block(low: .random(in: 0 ... .max, using: &random), high: .random(in: 0 ... .max, using: &random))
        let key = try #require(
            DiagnosisKey(
                data: data, rollingStart: ENIN(UInt32(Self.now / 600 / 144 - 1) * 144), rollingPeriod: 144,
                transmissionRiskLevel: 6,
                reportType: .confirmedTest, daysSinceOnset: 1))
        let payload = DiagnosisPlan.SubmissionPayload(keys: [key], visitedCountries: ["DE"], reports: reports)
        try payload.check()
        let client = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true))
        let answer = try client.send(
            HTTPRequest(
                "http://127.0.0.1:\(submission.port)/version/v1/diagnosis-keys", method: .post,
                headers: [
                    ("Content-Type", "application/x-protobuf"), ("cwa-fake", "0"), ("cwa-authorization", tan),
                ], body: try payload.encoded(as: .standard, using: &random), answerHeaders: ["cwa-saved-checkins"]))
        #expect(answer.headers["cwa-saved-checkins"].flatMap { Int($0) } == reports.count)
    }

    /// The NHS's way: the operator lists a venue, every device compares its own visits, and asks before it tells its wearer.
    @Test func aVenueThatTheOperatorListsIsToldToWhoWasThere() throws {
        let key = try P256.SigningKey.generate()
        let parts = [#"{"alg":"ES256","kid":"262"}"#, #"{"id":"ABC","opn":"Canary"}"#].map {
            Base64URL.string(Array($0.utf8))
        }
        let text = parts.joined(separator: ".")
        let signature = try #require(P256.RawSignature.raw(try key.sign(SHA256.digest(of: Array(text.utf8)))))
        let poster = try VenuePoster(
            "UKC19TRACING:1:\(text).\(Base64URL.string(signature))", keys: [.init(id: "262", key: key.verificationKey)])
        let store = try store("nhs")
        try store.change { _ = try $0.diary.checkIn(.nhs(poster), at: Self.now - 3_600) }
        var settings = VenueSettings()
        settings.systems = ["nhs"]
        settings.plainHTTP = true
        settings.nhsServer = "http://127.0.0.1:\(service.port)"
        settings.posterKeys = [.init(id: "262", key: try key.verificationKey.pem())]
        settings.signers = try authority.publicKeys(now: Self.now).filter { $0.role == .config }.map {
            VenueSettings.Signer(system: "nhs", name: "\($0.name)", key: $0.pem, role: "config")
        }
        let fetcher = WarningFetcher(
            store: store, settings: settings, unzip: nil, spool: folder + "/spool",
            configuration: HTTPConfiguration(allowsPlainHTTP: true), cancellation: HTTPCancellation())
        // Another venue, and another time.
        _ = try authority.listVenue(
            RiskyVenue(id: "XYZ", from: Self.now - 7_200, until: Self.now, advice: .inform), now: Self.now)
        _ = try authority.listVenue(
            RiskyVenue(id: "ABC", from: Self.now - 9_200, until: Self.now - 3_600, advice: .inform), now: Self.now)
        _ = try authority.publish(now: Self.now)
        try fetcher.run(at: Self.now)
        #expect(store.records.downloads.problems == [:] && store.records.diary.notices.isEmpty)
        _ = try authority.listVenue(
            RiskyVenue(id: "ABC", from: Self.now - 7_200, until: Self.now, advice: .bookATest), now: Self.now)
        _ = try authority.publish(now: Self.now)
        for _ in 0..<2 {
            try fetcher.run(at: Self.now)
            #expect(store.records.downloads.problems == [:] && store.records.downloads.held.isEmpty)
            #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
        }
    }

    @Test func fromTheCodeAtTheDoorToTheNoticeOfWhoWasThereToo() throws {
        var places = PlaceBook()
        let place = try places.describe(
            nil, name: "Canary Tavern", street: "Street 1", kind: .foodService, stayMinutes: 60,
            making: .init(publicKey: [], seed: [UInt8](repeating: 4, count: 16)), at: Self.now - 86_400)
        let code = try #require(places.place(place)?.codes.first?.text)

        let guest = try visitor("guest", code: code, secondsAgo: 3 * 3_600)
        let early = try visitor("early", code: code, secondsAgo: 9 * 3_600)
        let infected = try visitor("infected", code: code, secondsAgo: 3 * 3_600 + 900)

        // Nothing is published yet.
        try fetch(guest, at: Self.now)
        #expect(guest.records.downloads.problems == [:] && guest.records.diary.notices.isEmpty)

        let parts = CheckInSubmission.parts(
            of: infected.records.diary.presenceVisits(at: Self.now), levels: Self.levels,
            values: PresenceRiskParameters.published.transmissionRiskValueMapping, derivation: .published, now: Self.now)
        #expect(parts.count == 1)
        try warn(try CheckInSubmission.reports(parts, using: &random))
        try infected.change { $0.diary.noteSubmitted([1]) }
        // Somebody else warns, who was nowhere.
        try warn([])

        let later = Self.now + 2 * 3_600
        _ = try authority.publish(now: later)
        for board in [guest, early, infected] {
            try fetch(board, at: later)
            #expect(board.records.downloads.problems == [:], "\(board.records.downloads.problems)")
            #expect(board.records.downloads.checked[.coronaWarnApp] == later)
        }
        // An hour in common, at a level with weight.
        #expect(guest.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(guest.records.diary.notices.map(\.day) == [Int(Self.now / 86_400)])
        #expect(early.records.diary.notices.isEmpty)
        // Whoever warned is not warned of themselves.
        #expect(infected.records.diary.notices.isEmpty)
        // The first version is empty, and says so.
        try fetch(early, readable: true, at: later + 7_200)
        #expect(early.records.downloads.problems == [:] && early.records.diary.notices.isEmpty)

        // A second warning, hours later: the hours between are of no bytes, and nothing is told twice.
        let again = try visitor("again", code: code, secondsAgo: 4 * 3_600)
        _ = try authority.accept(
            [],
            checkIns: SubmittedCheckIns(
                plain: [], reports: try CheckInSubmission.reports(parts, using: &random).map(\.encoded)), source: "test",
            now: Self.now + 6 * 3_600)
        let end = Self.now + 8 * 3_600
        _ = try authority.publish(now: end)
        for board in [guest, again] {
            try fetch(board, at: end)
            #expect(board.records.downloads.problems == [:], "\(board.records.downloads.problems)")
            let downloads = board.records.downloads
            #expect(downloads.hours.union(downloads.unproven).count >= 7 && !downloads.unproven.isEmpty)
            #expect(board.records.diary.notices.count == 1)
        }
    }
}
