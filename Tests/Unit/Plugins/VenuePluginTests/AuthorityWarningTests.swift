// SPDX-License-Identifier: Apache-2.0

import Authority
import CivilTime
import CrowdNotifier
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
    private static let checkInSecret = VerificationSecret(SecretBytes(copying: [UInt8](repeating: 9, count: 32)))
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
        settings.swissCovid = .init()
        settings.swissCovid?.message = "Please have a test made."
        authority = try HealthAuthority(folder: state, settings: settings)
        _ = try authority.publish(now: Self.now - 3_600)
        verification = try Self.verification(folder)
        let (tans, intake) = (
            try Self.verification(folder),
            SubmissionIntake(authority: try HealthAuthority(folder: state, settings: settings))
        )
        submission = try VerificationService(
            SubmissionServer(rules: SubmissionRules(), tans: tans, taker: intake),
            uploads: UserUploadServer(secret: Self.checkInSecret, tans: tans, taker: intake), address: "127.0.0.1", port: 0,
            now: { Self.now })
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
        return try VenueStore.open(folder: path, seal: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
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

    /// What a device sends whose wearer was at this venue, with a token of the health office; gives the status.
    private func upload(
        _ venue: CrowdNotifierVenue, arrival: Int64, departure: Int64, onset: Int64
    ) throws -> Int {
        let genuine = UserUpload.entries(
            keys: venue.keys, arrival: arrival * 1_000,
            departure: departure * 1_000 + UserUpload.stayingAirMilliseconds)
        let token = try verification.checkInToken(
            onset: UTCDay(containing: onset).date, secret: Self.checkInSecret, now: Self.now)
        let client = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true))
        do throws(HTTPError) {
            _ = try client.send(
                HTTPRequest(
                    "http://127.0.0.1:\(submission.port)/v3/userupload", method: .post,
                    headers: [("Content-Type", "application/x-protobuf"), ("Authorization", "Bearer \(token)")],
                    body: UserUpload.filled(genuine, using: &random).encoded))
            return 200
        } catch { return error.status ?? 0 }
    }

    /// SwissCovid's way: a code at the door, an upload of somebody who was there, or the operator's word, and what the
    /// visitors' boards make of the real server's answers.
    @Test func swissCovidsVisitorsAreToldOfAnUploadAndOfTheOperatorsWord() throws {
        let (now, hour) = (Self.now, Int64(3_600))
        func venue(_ number: UInt8) throws -> CrowdNotifierVenue {
            try CrowdNotifierVenue(
                name: "Canary Tavern", address: "Street 1", start: 0, end: 4_000_000_000,
                publicKey: [UInt8](repeating: 1, count: 96), seed: [UInt8](repeating: number, count: 32), countryData: [])
        }
        let (tavern, hall) = (try venue(1), try venue(2))
        var settings = VenueSettings()
        settings.systems = ["swissCovid"]
        settings.plainHTTP = true
        settings.swissCovidServer = "http://127.0.0.1:\(service.port)"
        settings.signers = try authority.publicKeys(now: now).filter { $0.role == .config }.map {
            VenueSettings.Signer(system: "swissCovid", name: "\($0.name)", key: $0.pem, role: "config")
        }
        func board(_ name: String, at venue: CrowdNotifierVenue, hoursAgo: Int64) throws -> VenueStore {
            let store = try store(name)
            let arrival = now - hoursAgo * hour
            let ticket = try settings.reader().read(CrowdNotifierCode.swissCovid.text(venue), at: arrival)
            try store.change { records in
                try records.diary.checkOut(try records.diary.checkIn(ticket, at: arrival), at: arrival + hour)
            }
            return store
        }
        func fetch(_ store: VenueStore, at moment: Int64) throws -> [VisitNotice.Content] {
            try WarningFetcher(
                store: store, settings: settings, unzip: nil, spool: folder + "/spool",
                configuration: HTTPConfiguration(allowsPlainHTTP: true), cancellation: HTTPCancellation()
            ).run(at: moment)
            #expect(store.records.downloads.problems == [:], "\(store.records.downloads.problems)")
            #expect(store.records.downloads.checked[.swissCovid] == moment)
            return store.records.diary.notices.map(\.content)
        }
        let guest = try board("guest", at: tavern, hoursAgo: 3)
        let early = try board("early", at: tavern, hoursAgo: 20)
        let dancer = try board("dancer", at: hall, hoursAgo: 3)
        let boards = [guest, early, dancer]
        for board in boards { #expect(try fetch(board, at: now) == []) }
        // An onset that is still to come, and a visit that ended the day before the onset: nobody is told.
        #expect(try upload(tavern, arrival: now - 3 * hour, departure: now - 2 * hour, onset: now + 2 * 86_400) == 403)
        #expect(try upload(tavern, arrival: now - 20 * hour, departure: now - 19 * hour, onset: now) == 200)
        #expect(
            try upload(tavern, arrival: now - 3 * hour + 900, departure: now - 2 * hour, onset: now - 3 * 86_400) == 200)
        let later = now + 2 * hour
        _ = try authority.publish(now: later)
        #expect(try fetch(guest, at: later) == [.message("Please have a test made.")])
        #expect(guest.records.diary.notices.map(\.day) == [Int(now / 86_400)])
        #expect(try fetch(early, at: later) == [] && fetch(dancer, at: later) == [])
        // From their tag on they are asked for what came since: the operator's word about the other place.
        let tags = boards.map(\.records.downloads.tag)
        #expect(Set(tags).count == 1 && (tags[0] ?? 0) > now * 1_000)
        let warning = VenueWarning(from: now - 3 * hour, until: now - 2 * hour, message: "Somebody sang.")
        #expect(try authority.warnVisitors(of: hall, warning, now: later) == 1)
        let end = later + 2 * hour
        _ = try authority.publish(now: end)
        #expect(try fetch(dancer, at: end) == [.message("Somebody sang.")])
        #expect(try fetch(guest, at: end).count == 1 && fetch(early, at: end) == [])
        #expect(boards.allSatisfy { ($0.records.downloads.tag ?? 0) > (tags[0] ?? 0) })
        // A board that was away reads everything and is told the same.
        let late = try board("late", at: hall, hoursAgo: 3)
        #expect(try fetch(late, at: end) == [.message("Somebody sang.")])
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
        settings.nhsUnsignedAnswers = true
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

    /// Whoever runs the authority's web server gives an older configuration that the authority has signed: the board keeps to the newer one, says so, and follows the next.
    @Test func anOlderConfigurationOfTheAuthorityIsNotBelieved() throws {
        let state = folder + "/authority"
        let file = URL(filePath: state + "/configuration.json")
        let published = URL(filePath: state + "/public/version/v2/app_config_android/index.zip")
        let text = try String(contentsOf: file, encoding: .utf8)
        func publish(_ version: Int, days: Int = 10) throws -> Data {
            let changed = text.replacing(#""version": 1,"#, with: #""version": \#(version),"#).replacing(
                #""maxCheckInAgeInDays": 10"#, with: #""maxCheckInAgeInDays": \#(days)"#)
            #expect(changed != text)
            try Data(changed.utf8).write(to: file)
            #expect(try authority.publish(now: Self.now).configurationFaults == [])
            return try Data(contentsOf: published)
        }
        let older = try publish(2)
        let newer = try publish(3, days: 3)
        #expect(older != newer)
        let store = try store("visitor")
        try store.change { records in
            let place = try TraceLocation(
                name: "Cafe", address: "Street", kind: .permanentFoodService, defaultMinutes: 60, publicKey: [],
                seed: [UInt8](repeating: 2, count: 16))
            _ = try records.diary.checkIn(.coronaWarnApp(place), at: Self.now - 3_600)
        }
        func problem(at time: Int64) throws -> String? {
            try fetch(store, at: time)
            return store.records.downloads.problems[.coronaWarnApp]
        }
        #expect(try problem(at: Self.now) == nil)
        let believed = try #require(store.records.downloads.configuration)
        // The web server, and not the authority.
        try FileManager.default.removeItem(at: published)
        try older.write(to: published)
        #expect(try problem(at: Self.now + 7_200)?.contains("older than one this device had") == true)
        #expect(store.records.downloads.configuration == believed)
        _ = try publish(4)
        #expect(try problem(at: Self.now + 14_400) == nil)
    }
}
