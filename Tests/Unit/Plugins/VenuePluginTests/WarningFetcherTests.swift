// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import CrowdNotifier
import Cryptography
import ExposureRisk
import FoundationEssentials
import Interfaces
import JSON
import PluginKit
import PresenceTracing
import RandomValues
import Testing
import VenueNotices
import VenuePlan

@testable import VenuePlugin

/// Warnings, from a real server and its signatures to the wearer's notices.
@Suite(.serialized) final class WarningFetcherTests {
    private let now: Int64 = 1_614_850_000
    private var hour: Int64 { now / 3_600 }
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-fetcher-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private let servers: WarningServers

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        servers = try WarningServers()
        try servers.publishConfiguration()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// What is on the disk at the moment.
    private func open(_ part: String = "") throws -> VenueStore {
        let folder = folder + part
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return VenueStore(
            try KeyValueStore(folder: folder, limit: VenueStore.storeBytes, seal: seal, slotBytes: VenueStore.slotBytes))
    }

    private func cafe(_ name: String = "Canary") throws -> TraceLocation {
        try TraceLocation(
            name: name, address: "Canary Street", kind: .permanentFoodService, defaultMinutes: 60, publicKey: [],
            seed: [UInt8](repeating: 2, count: 16))
    }

    /// A store with a visit of an hour, three hours ago.
    private func visited() throws -> VenueStore {
        let store = try open()
        let place = VenueTicket.coronaWarnApp(try cafe())
        let start = now - 3 * 3_600
        try store.change { records in
            _ = try records.diary.checkIn(place, at: start)
            _ = records.diary.checkOutDue(at: self.now)
        }
        return store
    }

    private func run(_ store: VenueStore, _ systems: [VenueSystem] = [.coronaWarnApp], at moment: Int64? = nil) throws {
        try servers.fetcher(store, systems).run(at: moment ?? now)
    }

    // MARK: Corona-Warn-App

    @Test func withoutAVisitNobodyIsAsked() throws {
        let store = try open()
        #expect(try !servers.fetcher(store, [.coronaWarnApp]).isDue(at: now))
        try run(store)
        #expect(servers.requests.isEmpty)
    }

    @Test func aWarningIsToldOnceAndPackagesAreFetchedOnce() throws {
        let store = try visited()
        try servers.publish((hour - 5)...(hour - 1))
        try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        let fetcher = try servers.fetcher(store, [.coronaWarnApp])
        #expect(fetcher.isDue(at: now))
        try run(store)
        #expect(store.records.downloads.problems == [:])
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(store.records.diary.hasNews && store.records.downloads.checked[.coronaWarnApp] == now)
        // From the hour of the visit on, and not those before.
        #expect(
            servers.requests.filter { $0.hasPrefix(WarningServers.hours + "/") }
                == ((hour - 3)...(hour - 1)).map { "\(WarningServers.hours)/\($0)" })
        #expect(try open().records == store.records)
        #expect(!fetcher.isDue(at: now + 60) && fetcher.isDue(at: now + 7_200) && fetcher.isDue(at: now - 60))
        // The next time only what is new.
        try store.change { $0.diary.acknowledge(upTo: 9) }
        try servers.publish(hour...hour)
        try servers.put(WarningServers.hours, Array(#"{"oldest":\#(hour - 5),"latest":\#(hour)}"#.utf8))
        try servers.forgetRequests()
        try run(store, at: now + 7_200)
        #expect(servers.requests.filter { $0.hasPrefix(WarningServers.hours + "/") } == ["\(WarningServers.hours)/\(hour)"])
        #expect(!store.records.diary.hasNews && store.records.diary.notices.count == 1)
    }

    @Test func aBrokenPackageKeepsNoOtherAwayAndIsAskedForAgain() throws {
        let store = try visited()
        let stranger = try P256.SigningKey.generate()
        try servers.publish((hour - 3)...(hour - 1))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)], with: stranger)
        try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 10, 3)])
        try run(store)
        // What is known is told; that something is missing is said, and nothing is called complete.
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.low))])
        #expect(store.records.downloads.checked[.coronaWarnApp] == nil)
        #expect(store.records.downloads.problems[.coronaWarnApp]?.contains("noTrustedSignature") == true)
        #expect(store.records.downloads.hours == [hour - 1] && store.records.downloads.unproven == [hour - 2])
        // Signed by whom it should be, its minutes are added to the others'.
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        try run(store, at: now + 7_200)
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(store.records.downloads.problems == [:] && store.records.diary.notices.count == 1)
    }

    @Test func aServerThatFailsLosesNothing() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try servers.publish(hour - 2, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        // Configuration, list and the first hour come; then the server fails.
        try servers.setFaults(#"[null, null, null, ["status", 500], ["status", 500]]"#)
        try run(store)
        #expect(store.records.downloads.unproven == [hour - 3] && store.records.diary.notices.isEmpty)
        #expect(store.records.downloads.problems[.coronaWarnApp] != nil)
        // Killed here, the next start goes on.
        let later = try open()
        #expect(later.records == store.records)
        try servers.setFaults("[]")
        try run(later, at: now + 7_200)
        #expect(later.records.diary.notices.count == 1 && later.records.downloads.problems == [:])
    }

    /// The server fails at the `number`th request of a run, and the board is started anew: whatever was done by then, each warning is told once.
    @Test(arguments: 0..<6) func aCutAnywhereTellsEachWarningOnce(number: Int) throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 10, 8)])
        try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        let failures = Array(repeating: #"["status", 500]"#, count: 10)
        try servers.setFaults("[\((Array(repeating: "null", count: number) + failures).joined(separator: ", "))]")
        try run(store)
        // Five requests make a run: the configuration, the list, and three hours.
        #expect((store.records.downloads.checked[.coronaWarnApp] != nil) == (number >= 5))
        try servers.setFaults("[]")
        for round in 1...2 {
            let later = try open()
            try run(later, at: now + Int64(round) * 7_200)
            #expect(later.records.diary.notices.map(\.content) == [.level(.level(.increased))])
            // 3 of the first warning, 23 of the second.
            #expect(later.records.diary.matches.map(\.minutes) == [26])
            #expect(
                later.records.downloads.hours == [hour - 3, hour - 1] && later.records.downloads.unproven == [hour - 2])
        }
    }

    /// Nobody signs that an hour has no warnings: a server that says so for a while loses the wearer none.
    @Test func anHourThatIsSaidToBeEmptyIsAskedForAgainOnTheNextDay() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try run(store)
        #expect(store.records.downloads.checked[.coronaWarnApp] == now && store.records.diary.notices.isEmpty)
        try servers.publish(hour - 2, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        try servers.forgetRequests()
        try run(store, at: now + 7_200)
        #expect(!servers.requests.contains { $0.hasPrefix(WarningServers.hours + "/") })
        let later = try open()
        try run(later, at: now + 86_400)
        #expect(later.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(later.records.downloads.hours == [hour - 2])
        #expect(later.records.downloads.unproven == [hour - 3, hour - 1])
    }

    /// A server can list 480 hours, and give 12 MiB for each, or a byte now and then.
    @Test func rubbishAndSlownessEndARun() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        for hour in (hour - 3)...(hour - 1) {
            try servers.put("\(WarningServers.hours)/\(hour)", [UInt8](repeating: 7, count: 100_000))
        }
        var fetcher = try servers.fetcher(store, [.coronaWarnApp])
        fetcher.wasteBytes = 150_000
        try fetcher.run(at: now)
        #expect(servers.requests.count { $0.hasPrefix(WarningServers.hours + "/") } == 2)
        #expect(store.records.downloads.problems[.coronaWarnApp]?.contains("not all warnings were looked at") == true)
        fetcher.packageTime = .zero
        try servers.forgetRequests()
        try fetcher.run(at: now + 7_200)
        #expect(!servers.requests.contains { $0.hasPrefix(WarningServers.hours + "/") })
        #expect(store.records.downloads.checked[.coronaWarnApp] == nil)
    }

    @Test func hostileListsAndConfigurations() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        for list in [
            "{}", "[]", "<html>", #"{"oldest":5,"latest":1}"#, #"{"oldest":0,"latest":9223372036854775807}"#,
            String(repeating: " ", count: 100_000),
        ] {
            try servers.put(WarningServers.hours, Array(list.utf8))
            try run(store)
            #expect(store.records.downloads.problems[.coronaWarnApp] != nil, "\(list.prefix(40))")
            #expect(store.records.downloads.hours == [] && store.records.downloads.checked == [:])
        }
        // No warnings at all are fine.
        try servers.put(WarningServers.hours, Array(#"{"oldest":null,"latest":null}"#.utf8))
        try run(store)
        #expect(store.records.downloads.problems == [:])
        for configuration in [
            try servers.signed([], with: try P256.SigningKey.generate()), try servers.signed([1, 2, 3]), [1, 2, 3], [],
        ] {
            try servers.put("version/v2/app_config_android", configuration)
            try run(store)
            #expect(store.records.downloads.problems[.coronaWarnApp] != nil)
        }
        // Nothing of the place is in what is said.
        #expect(!"\(store.records.downloads.json)".contains("anary"))
    }

    /// Other times of a visit: what was compared before is compared again, and nothing counts twice.
    @Test func anEditedVisitIsComparedAnew() throws {
        let store = try visited()
        try servers.publish((hour - 9)...(hour - 1))
        try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 10, 3)])
        try servers.publish(hour - 7, try cafe().id, [(now - 8 * 3_600, 60, 8)])
        try run(store)
        let before = store.records.diary.matches
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.low))] && before.count == 1)
        let desk = VisitDesk(store: store, reader: .init(), followed: [])
        _ = try desk.edit(.init(number: 1, arrival: now - 8 * 3_600, departure: now - 2 * 3_600), at: now)
        #expect(store.records.downloads.hours == [] && store.records.diary.notices.count == 1)
        try run(store, at: now + 7_200)
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        // The ten minutes of the first warning are those that the longer visit has in common with it, once.
        #expect(before.map(\.minutes) == [3])
        #expect(store.records.diary.matches.filter { $0.level == 3 }.map(\.minutes) == [10])
    }

    /// Nobody signs the list of hours. One that is shorter for a while, at either end, makes nothing count twice.
    @Test(arguments: [(-4, -3), (-2, -1)] as [(Int64, Int64)])
    func aShorterListMakesNothingCountTwice(first: Int64, last: Int64) throws {
        let store = try visited()
        func list(_ hours: ClosedRange<Int64>) throws {
            try servers.put(
                WarningServers.hours, Array(#"{"oldest":\#(hours.lowerBound),"latest":\#(hours.upperBound)}"#.utf8))
        }
        try servers.publish((hour - 4)...(hour - 1))
        for each in [hour - 3, hour - 1] { try servers.publish(each, try cafe().id, [(now - 3 * 3_600 + 1_200, 10, 3)]) }
        try run(store)
        let before = store.records.diary
        #expect(before.notices.map(\.content) == [.level(.level(.increased))] && before.matches.map(\.minutes) == [20])
        try store.change { $0.diary.acknowledge(upTo: 9) }
        try list((hour + first)...(hour + last))
        try run(store, at: now + 7_200)
        try list((hour - 4)...(hour - 1))
        try servers.forgetRequests()
        let later = try open()
        try run(later, at: now + 14_400)
        #expect(later.records.diary.matches == before.matches && !later.records.diary.hasNews)
        #expect(!servers.requests.contains { $0 == "\(WarningServers.hours)/\(hour - 3)" })
        #expect(later.records.downloads.hours == [hour - 3, hour - 1])
    }

    /// Records of places that cannot be read take the progress with them, and not the diary: what is found again counts once.
    @Test func progressThatIsLostMakesNothingCountTwice() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600 + 1_200, 10, 3)])
        try run(store)
        let before = store.records.diary
        #expect(before.matches.count == 1 && before.notices.map(\.content) == [.level(.level(.low))])
        let disk = try KeyValueStore(
            folder: folder, limit: VenueStore.storeBytes, seal: seal, slotBytes: VenueStore.slotBytes)
        try disk.update { $0["places"] = "no book" }
        let later = try open()
        #expect(later.wasDamaged && later.records.diary.visits == before.visits)
        try run(later, at: now + 7_200)
        #expect(later.records.diary.matches == before.matches && later.records.diary.notices == before.notices)
    }

    /// The authority takes a package back, and perhaps publishes another one of that hour.
    @Test(arguments: [true, false]) func aWithdrawnPackageCountsNoMore(isReplaced: Bool) throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        func publish(_ tag: String, _ minutes: Int64, _ level: Int64) throws {
            try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600 + 1_200, minutes, level)], tag: tag)
        }
        try publish("\"wrong\"", 20, 8)
        try run(store)
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        try servers.publishConfiguration(withdrawn: ["\"wrong\""])
        if isReplaced { try publish("\"right\"", 10, 3) }
        // The list fails first: nothing is taken away before all is compared anew.
        let list = Array(#"{"oldest":\#(hour - 3),"latest":\#(hour - 1)}"#.utf8)
        try servers.put(WarningServers.hours, Array("x".utf8))
        try run(store, at: now + 7_200)
        #expect(store.records.diary.notices.count == 1 && store.records.diary.matches.isEmpty)
        try servers.put(WarningServers.hours, list)
        let later = try open()
        try run(later, at: now + 14_400)
        #expect(later.records.diary.notices.map(\.content) == (isReplaced ? [.level(.level(.low))] : []))
        #expect(try open().records == later.records)
        // It is not asked for again and again.
        try servers.forgetRequests()
        try run(later, at: now + 21_600)
        #expect(!servers.requests.contains { $0.hasPrefix(WarningServers.hours + "/") })
        #expect(later.records.diary.notices.map(\.content) == (isReplaced ? [.level(.level(.low))] : []))
    }

    /// The authority withdraws a version of codes, and takes that back.
    @Test func aWithdrawnVersionIsRefusedWhileItIsWithdrawn() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        let desk = VisitDesk(
            store: store, reader: .init(descriptors: VenueCode.Descriptor.known), followed: [.coronaWarnApp])
        let code = VenueCode.text(try cafe("Other"))
        for versions in [[], [7, 1], [1], []] as [[UInt64]] {
            try servers.publishConfiguration(versions: versions)
            try run(store)
            #expect(try open().records.withdrawnVersions == Set(versions.map { UInt32($0) }))
            do {
                let reply = try desk.checkIn(.init(code: code), at: now)
                #expect(versions.isEmpty)
                try desk.delete(reply.visit.number)
            } catch let error as DiaryError { #expect(error.code == .codeRefused && !versions.isEmpty) }
        }
    }

    /// The wearer changes a visit between two hours of a run: no notice goes, and not all is called compared.
    @Test func aVisitThatIsChangedDuringARunIsComparedAnew() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        try run(store)
        let before = store.records.diary.notices
        #expect(before.map(\.content) == [.level(.level(.increased))] && store.records.diary.hasNews)
        // On the next day the two hours are asked for again that are said to be empty.
        let later = now + 86_400
        let (arrival, departure) = (now - 3 * 3_600, now - 2 * 3_600 - 600)
        try servers.interrupt("\(WarningServers.hours)/\(hour - 1)") {
            do {
                _ = try VisitDesk(store: store, reader: .init(), followed: []).edit(
                    .init(number: 1, arrival: arrival, departure: departure), at: later)
            } catch { Issue.record(error) }
        } during: {
            try run(store, at: later)
        }
        #expect(store.records.diary.visit(1)?.departure == departure)
        #expect(store.records.diary.notices == before)
        #expect(store.records.downloads.checked[.coronaWarnApp] == now && store.records.downloads.hours == [])
        #expect(store.records.downloads.problems[.coronaWarnApp]?.contains("a visit was changed") == true)
        #expect(try servers.fetcher(store, [.coronaWarnApp]).isDue(at: later))
        try run(store, at: later)
        #expect(store.records.diary.notices == before)
        #expect(store.records.downloads.checked[.coronaWarnApp] == later && store.records.downloads.problems == [:])
    }

    // MARK: SwissCovid

    @Test func aTraceKeyIsToldOnceAndTheTagIsKeptAfterIt() throws {
        let store = try open()
        let venue = try CrowdNotifierVenue(
            name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 2, count: 32), countryData: [])
        let start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
        let key = TraceKey(
            identity: venue.keys.identity(start: VisitHours.start(start)), secretKey: [UInt8](repeating: 0, count: 48),
            day: UTCDay(containing: start).start,
            encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 1_800).sealed(
                notificationKey: venue.keys.notificationKey, nonce: [UInt8](repeating: 4, count: 24)),
            nonce: [UInt8](repeating: 4, count: 24))
        let body = TraceKeyList.encoded([key])
        let tag = (now - 60) * 1_000
        func put(_ query: Int64, _ body: [UInt8], by signer: P256.SigningKey, tag: Int64) throws {
            let token = try #require(
                try ContentToken.text(body: body, issued: now, expires: now + 86_400) { try signer.sign($0) })
            try servers.put(
                "v3/traceKeys?lastKeyBundleTag=\(query)", body,
                headers: ["Signature: \(String(decoding: token, as: UTF8.self))", "x-key-bundle-tag: \(tag)"])
        }
        // By a stranger: nothing is told, and the tag is not kept.
        try put(0, body, by: try P256.SigningKey.generate(), tag: tag)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[.swissCovid] != nil)
        try put(0, body, by: servers.key, tag: tag)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.map(\.content) == [.message("Stay at home")])
        #expect(store.records.downloads.tag == tag && store.records.downloads.problems == [:])
        // The next time from there; the same key again is no news.
        try put(tag, body, by: servers.key, tag: .max)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.count == 1 && store.records.downloads.tag == tag)
        #expect(try open().records == store.records)
        // A clock that was set back by days: the list is compared as ever.
        try run(store, [.swissCovid], at: now - 10 * 86_400)
        #expect(store.records.downloads.tag == tag && store.records.diary.notices.count == 1)
        // A tag that the server does not know any more.
        try store.change { $0.downloads.noteTag(5_000) }
        try run(store, [.swissCovid])
        #expect(store.records.downloads.tag == nil && store.records.downloads.problems[.swissCovid] != nil)
    }

    // MARK: NHS

    private func poster() throws -> VenueTicket {
        let parts = [#"{"alg":"ES256","kid":"262"}"#, #"{"id":"ABC","opn":"Canary"}"#].map {
            Base64URL.string(Array($0.utf8))
        }
        let text = parts.joined(separator: ".")
        let signature = try #require(P256.RawSignature.raw(try servers.key.sign(SHA256.digest(of: Array(text.utf8)))))
        return .nhs(
            try VenuePoster(
                "UKC19TRACING:1:\(text).\(Base64URL.string(signature))",
                keys: [.init(id: "262", key: servers.key.verificationKey)]))
    }

    private func putVenues(
        _ list: [UInt8], by signer: P256.SigningKey, date: String = "Thu, 04 Mar 2021 09:00:00 UTC"
    ) throws {
        let signed = try signer.sign(SHA256.digest(of: NHSSignature.content(date: date, body: list)))
        try servers.put(
            "distribution/risky-venues", list,
            headers: [
                "\(NHSSignature.signatureHeader): \(NHSSignature.header(keyID: "262", signature: signed))",
                "\(NHSSignature.dateHeader): \(date)",
            ])
    }

    /// Whoever runs the web server and has no key can keep newer lists back, and give an old one that was genuinely signed: what is in it counts, and
    /// nothing is called complete.
    @Test(
        arguments: [VenueSystem.swissCovid, .nhs],
        [
            (0, "Thu, 04 Mar 2021 09:26:40 UTC"), (47, "Tue, 02 Mar 2021 10:26:40 UTC"),
            (49, "Tue, 02 Mar 2021 08:26:40 UTC"), (13 * 24, "Fri, 19 Feb 2021 09:26:40 UTC"),
        ] as [(Int64, String)])
    func anOldListIsNotComplete(system: VenueSystem, signed: (hours: Int64, date: String)) throws {
        let store = try open()
        let start = now - 3 * 3_600
        if system == .nhs {
            let ticket = try poster()
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let list =
                #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
            try putVenues(Array(list.utf8), by: servers.key, date: signed.date)
            try servers.put(
                "circuit-breaker/venue/request",
                Array(#"{"approvalToken":"\#(String(repeating: "T", count: 50))","approval":"yes"}"#.utf8))
        } else {
            let venue = try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 32), countryData: [])
            try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
            let nonce = [UInt8](repeating: 4, count: 24)
            let body = TraceKeyList.encoded([
                TraceKey(
                    identity: venue.keys.identity(start: VisitHours.start(start)),
                    secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: start).start,
                    encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 1_800).sealed(
                        notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
            ])
            let token = try #require(
                try ContentToken.text(body: body, issued: now - signed.hours * 3_600, expires: now + 86_400) {
                    try servers.key.sign($0)
                })
            try servers.put(
                "v3/traceKeys?lastKeyBundleTag=0", body,
                headers: ["Signature: \(String(decoding: token, as: UTF8.self))", "x-key-bundle-tag: 3600000"])
        }
        try run(store, [system])
        #expect(store.records.diary.notices.count == 1)
        let isRecent = signed.hours <= 48
        #expect((store.records.downloads.checked[system] == now) == isRecent)
        let problem = store.records.downloads.problems[system]
        #expect(
            problem == nil && isRecent || problem?.contains("was signed \(signed.hours / 24) days ago") == true,
            "\(problem ?? "")")
    }

    @Test(arguments: ["yes", "no", "pending"]) func theOperatorsAreAskedBeforeTheWearerIsTold(answer: String) throws {
        let store = try open()
        let ticket = try poster()
        let start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        let list = Array(
            #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
                .utf8)
        try putVenues(list, by: try P256.SigningKey.generate())
        try run(store, [.nhs])
        #expect(store.records.downloads.problems[.nhs] != nil && store.records.downloads.held.isEmpty)
        try putVenues(list, by: servers.key)
        // Silence: nobody is told, and nothing is lost.
        try run(store, [.nhs])
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.count == 1)
        #expect(try open().records == store.records)
        let question = String(repeating: "T", count: 50)
        try servers.put(
            "circuit-breaker/venue/request", Array(#"{"approvalToken":"\#(question)","approval":"\#(answer)"}"#.utf8))
        try run(store, [.nhs])
        switch answer {
        case "yes": #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
        case "no": #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.isEmpty)
        default:
            #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.map(\.token) == [question])
            try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"yes"}"#.utf8))
            try run(store, [.nhs])
            #expect(store.records.diary.notices.count == 1)
        }
        // Once.
        let before = store.records.diary
        try run(store, [.nhs])
        #expect(store.records.diary == before && store.records.downloads.held.isEmpty)
    }

    /// A key that was withdrawn signs nothing any more, although the settings have it; the one in its place does. Without the
    /// core's word nothing is believed.
    @Test func theCoresWordAboutSignersGoesBeforeTheSettings() throws {
        let store = try visited()
        let other = try P256.SigningKey.generate()
        func told(_ key: P256.SigningKey, inForce: Bool = true) -> [Trust1.Signer] {
            [Trust1.Role.export].map {
                Trust1.Signer(
                    role: $0, name: "262-v1", publicHalf: Base64.string(key.verificationKey.subjectPublicKeyInfo),
                    validUntil: nil, spare: false, inForce: inForce)
            }
        }
        func compare(_ told: [Trust1.Signer]?) throws -> String? {
            try servers.publish((hour - 2)...(hour - 1))
            try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 30, 8)], with: other)
            var fetcher = try servers.fetcher(store, [.coronaWarnApp])
            fetcher.told = [.coronaWarnApp: told.map { .signers($0) } ?? .silent]
            try fetcher.run(at: now)
            return store.records.downloads.problems[.coronaWarnApp]
        }
        #expect(try compare(nil)?.contains("org.vigil.trust1") == true)
        for signers in [[], told(servers.key), told(other, inForce: false)] {
            #expect(try compare(signers) != nil)
            #expect(store.records.diary.notices.isEmpty)
        }
        #expect(try compare(told(other)) == nil)
        #expect(store.records.diary.notices.count == 1)
    }

    @Test func signersThatAreFollowedAreNamedOnce() throws {
        var settings = VenueSettings()
        #expect(try settings.toldSystems().isEmpty)
        settings.signersOf = [.init(system: "nhs", source: "uk"), .init(system: "coronaWarnApp", source: nil)]
        let systems = try settings.toldSystems()
        #expect(systems.map(\.system) == [.nhs, .coronaWarnApp] && systems.map(\.source) == ["uk", nil])
        settings.signersOf?.append(.init(system: "nhs", source: nil))
        #expect(throws: VenueSettings.Fault.self) { try settings.toldSystems() }
        settings.signersOf = [.init(system: "luca", source: nil)]
        #expect(throws: VenueSettings.Fault.self) { try settings.toldSystems() }
    }

    /// Which requests a run makes may not depend on whether the wearer was at a place of the list.
    @Test func theQuestionToTheOperatorsComesWithOrWithoutANotice() throws {
        let token = String(repeating: "T", count: 50)
        func asked(isWarned: Bool) throws -> [[String]] {
            let part = isWarned ? "/warned" : "/not"
            let store = try open(part)
            let ticket = try poster()
            let start = now - 3 * 3_600
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let id = isWarned ? "ABC" : "XYZ"
            try putVenues(
                Array(
                    #"{"venues":[{"id":"\#(id)","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
                        .utf8), by: servers.key)
            var runs: [[String]] = []
            for (path, answer) in [
                ("request", #"{"approvalToken":"\#(token)","approval":"pending"}"#), ("resolution/\(token)", "{}"),
                ("resolution/\(token)", #"{"approval":"pending"}"#), ("resolution/\(token)", #"{"approval":"yes"}"#),
                ("request", #"{"approvalToken":"\#(token)","approval":"no"}"#),
            ] {
                try servers.put("circuit-breaker/venue/\(path)", Array(answer.utf8))
                let before = servers.requests.count
                try run(store, [.nhs])
                runs.append(Array(servers.requests.dropFirst(before)))
                // What is on the disk goes on as what is in memory.
                #expect(try open(part).records == store.records)
            }
            #expect(store.records.diary.notices.count == (isWarned ? 1 : 0) && store.records.downloads.held.isEmpty)
            return runs
        }
        let runs = try asked(isWarned: true)
        #expect(runs.allSatisfy { $0.count == 2 })
        #expect(try asked(isWarned: false) == runs)
    }

    /// An answer is about the notices that waited when it was asked for, and not about one of later.
    @Test func aNoticeThatComesWhileTheOperatorsThinkIsAskedAboutNext() throws {
        let token = String(repeating: "T", count: 50)
        var downloads = VenueDownloads()
        downloads.hold(HeldNotice(visit: 1, advice: .inform))
        var question = downloads.question
        #expect(question.take(Array(#"{"approvalToken":"\#(token)","approval":"pending"}"#.utf8)) == .wait)
        downloads.noteQuestion(question, at: now)
        downloads.hold(HeldNotice(visit: 2, advice: .bookATest))
        #expect(VenueDownloads(downloads.json) == downloads)
        #expect(downloads.asked.map(\.visit) == [1] && downloads.question.call.method == "GET")
        question = downloads.question
        #expect(question.take(Array(#"{"approval":"pending"}"#.utf8)) == .wait)
        downloads.noteQuestion(question, at: now + 7_200)
        #expect(downloads.asked.map(\.visit) == [1] && downloads.question.token == token)
        // Not for ever: after a day, or without an answer of use, it is put anew, for all that wait.
        for (isUsable, time) in [(true, now + 86_400), (false, now + 60), (true, now - 1)] {
            var other = downloads
            other.noteQuestion(question, isUsable: isUsable, at: time)
            #expect(other.question.token == nil && other.asked.map(\.visit) == [1, 2])
        }
        downloads.release(1)
        downloads.endQuestion()
        #expect(downloads.asked.map(\.visit) == [2] && downloads.question.call.method == "POST")
        // A release before this one kept a token with each notice and no question.
        let old: JSON = [
            "held": [["visit": 3, "advice": .string(RiskyVenue.Advice.inform.rawValue), "question": .string(token)]]
        ]
        #expect(VenueDownloads(old).held == [HeldNotice(visit: 3, advice: .inform)])
    }

    @Test func runsAreOnAGrid() {
        var downloads = VenueDownloads()
        #expect(downloads.takesRun(at: now) && downloads.nextRun == now + 7_200)
        #expect(!downloads.takesRun(at: now) && !downloads.takesRun(at: now + 7_199))
        #expect(VenueDownloads(downloads.json) == downloads)
        #expect(downloads.takesRun(at: now + 7_230) && downloads.nextRun == now + 14_400)
        #expect(downloads.takesRun(at: now + 30_000) && downloads.nextRun == now + 36_000)
        // A clock that was set back.
        #expect(downloads.takesRun(at: now) && downloads.nextRun == now + 7_200)
    }

    /// A run that came to nothing is tried again, a few times, and the grid stays.
    @Test func aRunThatIsPutOffMovesNoOther() {
        var downloads = VenueDownloads()
        func runs(_ moment: Int64) -> Bool { downloads.takesRun(at: moment) }
        #expect(runs(now))
        for number: Int64 in 1...3 {
            downloads.putOffRun(at: now + (number - 1) * 600)
            #expect(downloads.nextStart == now + number * 600 && downloads.nextRun == now + 7_200)
            #expect(VenueDownloads(downloads.json) == downloads)
            #expect(!runs(now + number * 600 - 1))
            #expect(runs(now + number * 600) && !runs(now + number * 600))
        }
        downloads.putOffRun(at: now + 1_800)
        #expect(downloads.nextStart == now + 7_200 && !runs(now + 7_199))
        #expect(runs(now + 7_200) && downloads.nextRun == now + 14_400 && downloads.retries == 0)
        // Said by a clock that was ahead.
        downloads.putOffRun(at: now + 8_000)
        #expect(runs(now + 7_300) && downloads.retry == nil)
    }

    /// A run that is asked for comes a quarter of an hour after the last one began, moves no other, and outlasts a cut.
    @Test func aRunThatIsAskedForMovesNoOther() {
        var downloads = VenueDownloads()
        func runs(_ moment: Int64) -> Bool {
            defer { #expect(VenueDownloads(downloads.json) == downloads) }
            return downloads.takesRun(at: moment)
        }
        #expect(runs(now))
        // Several are one.
        for seconds: Int64 in [1, 500, 899] {
            downloads.wishRun(at: now + seconds)
            #expect(downloads.nextStart == now + 900 && !runs(now + seconds))
        }
        #expect(runs(now + 900) && !runs(now + 901) && downloads.nextStart == now + 7_200)
        // Long after the last one: at once.
        downloads.wishRun(at: now + 5_000)
        #expect(downloads.nextStart == now + 5_000 && runs(now + 5_000))
        // A run of the grid does not serve a wish for later.
        #expect(!runs(now + 6_500))
        downloads.wishRun(at: now + 6_500)
        #expect(runs(now + 6_500))
        downloads.wishRun(at: now + 7_190)
        #expect(downloads.nextStart == now + 7_200 && runs(now + 7_200) && downloads.nextRun == now + 14_400)
        #expect(downloads.nextStart == now + 7_400 && runs(now + 7_400) && downloads.nextStart == now + 14_400)
        // A run that was put off and a wish are one run, if both are due.
        downloads.putOffRun(at: now + 7_400)
        downloads.wishRun(at: now + 7_401)
        #expect(runs(now + 8_300) && downloads.nextStart == now + 14_400)
        // Said by a clock that was ahead.
        downloads.wishRun(at: now + 14_000)
        #expect(runs(now + 9_000) && downloads.wished == nil)
    }

    /// The same for systems that have one list.
    @Test(arguments: [VenueSystem.swissCovid, .nhs])
    func aVisitThatIsChangedWhileAListComesIsComparedAnew(system: VenueSystem) throws {
        let store = try open()
        let (path, body): (String, [UInt8])
        let ticket: VenueTicket
        if system == .swissCovid {
            ticket = .swissCovid(
                try CrowdNotifierVenue(
                    name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                    seed: [UInt8](repeating: 2, count: 32), countryData: []))
            (path, body) = ("v3/traceKeys?lastKeyBundleTag=0", TraceKeyList.encoded([]))
            let token = try #require(
                try ContentToken.text(body: body, issued: now, expires: now + 86_400) { try servers.key.sign($0) })
            try servers.put(
                path, body,
                headers: [
                    "Signature: \(String(decoding: token, as: UTF8.self))", "x-key-bundle-tag: \((now - 60) * 1_000)",
                ])
        } else {
            ticket = try poster()
            (path, body) = ("distribution/risky-venues", Array(#"{"venues":[]}"#.utf8))
            try putVenues(body, by: servers.key)
        }
        let start = now - 3 * 3_600
        try store.change { records in
            _ = try records.diary.checkIn(ticket, at: start)
            try records.diary.checkOut(1, at: start + 3_600)
        }
        let moment = now
        try servers.interrupt(path) {
            do {
                _ = try VisitDesk(store: store, reader: .init(), followed: []).edit(
                    .init(number: 1, arrival: start - 3_600, departure: start), at: moment)
            } catch { Issue.record(error) }
        } during: {
            try run(store, [system])
        }
        #expect(store.records.downloads.checked == [:] && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[system]?.contains("a visit was changed") == true)
        #expect(try servers.fetcher(store, [system]).isDue(at: now))
        try run(store, [system])
        #expect(store.records.downloads.checked == [system: now] && store.records.downloads.problems == [:])
    }

    /// A visit that was told gets other times: what is said then is about those, once.
    @Test(arguments: [VenueSystem.swissCovid, .nhs], [true, false])
    func aVisitIsToldOfItsOwnTimes(system: VenueSystem, isWarned: Bool) throws {
        let store = try open()
        let start = now - 3 * 3_600, other = start - 86_400
        if system == .swissCovid {
            let venue = try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 32), countryData: [])
            try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
            let keys = try ([start] + (isWarned ? [other] : [])).map { time in
                TraceKey(
                    identity: venue.keys.identity(start: VisitHours.start(time)),
                    secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: time).start,
                    encryptedData: try AssociatedData(
                        message: String(repeating: "ü", count: 5_000), start: time, end: time + 1_800
                    ).sealed(notificationKey: venue.keys.notificationKey, nonce: [UInt8](repeating: 4, count: 24)),
                    nonce: [UInt8](repeating: 4, count: 24))
            }
            let tag = (now - 60) * 1_000
            for (query, body) in [(0, TraceKeyList.encoded(keys)), (tag, TraceKeyList.encoded([]))] {
                let token = try #require(
                    try ContentToken.text(body: body, issued: now, expires: now + 86_400) { try servers.key.sign($0) })
                try servers.put(
                    "v3/traceKeys?lastKeyBundleTag=\(query)", body,
                    headers: ["Signature: \(String(decoding: token, as: UTF8.self))", "x-key-bundle-tag: \(tag)"])
            }
        } else {
            let ticket = try poster()
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let first =
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}"#
            let second =
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-03T00:00:00Z","until":"2021-03-03T23:59:00Z"},"messageType":"M1"}"#
            try putVenues(Array(#"{"venues":[\#(first)\#(isWarned ? ",\(second)" : "")]}"#.utf8), by: servers.key)
            try servers.put(
                "circuit-breaker/venue/request",
                Array(#"{"approvalToken":"\#(String(repeating: "T", count: 50))","approval":"yes"}"#.utf8))
        }
        try store.change { try $0.diary.checkOut(1, at: start + 3_600) }
        try run(store, [system])
        let told = store.records.diary.notices
        #expect(told.map(\.day) == [Int(UTCDay(containing: start).number)] && store.records.diary.visit(1)?.wasTold == true)
        if case .message(let text) = told.first?.content { #expect(text.unicodeScalars.count == VisitDesk.messageLimit) }
        try store.change { $0.diary.acknowledge(upTo: 9) }
        // The same times are no change.
        let desk = VisitDesk(store: store, reader: .init(), followed: [])
        _ = try desk.edit(.init(number: 1, arrival: start, departure: start + 3_600), at: now)
        #expect(store.records.diary.notices.map(\.number) == told.map(\.number) && !store.records.diary.hasNews)
        #expect(store.records.diary.visit(1)?.wasTold == true)
        _ = try desk.edit(.init(number: 1, arrival: other, departure: other + 3_600), at: now)
        #expect(store.records.diary.notices.count == 1)
        for _ in 0..<2 {
            try run(store, [system], at: now + 7_200)
            #expect(store.records.downloads.problems == [:])
            let days = store.records.diary.notices.map(\.day)
            #expect(days == (isWarned ? [Int(UTCDay(containing: other).number)] : []))
            #expect(store.records.diary.hasNews == isWarned)
        }
    }

    /// What came later and weighs more is told, although the operators were asked before it.
    @Test func adviceToHaveATestGoesFirst() throws {
        let store = try open()
        let ticket = try poster(), start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        func list(_ types: [String]) throws {
            let venues = types.map {
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"\#($0)"}"#
            }
            try putVenues(Array(#"{"venues":[\#(venues.joined(separator: ","))]}"#.utf8), by: servers.key)
        }
        let question = String(repeating: "T", count: 50)
        try servers.put(
            "circuit-breaker/venue/request", Array(#"{"approvalToken":"\#(question)","approval":"pending"}"#.utf8))
        try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"pending"}"#.utf8))
        for types in [["M1"], ["M1", "M2"], ["M1"]] {
            try list(types)
            try run(store, [.nhs])
        }
        #expect(store.records.downloads.held == [HeldNotice(visit: 1, advice: .bookATest, token: question)])
        try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"yes"}"#.utf8))
        try run(store, [.nhs])
        #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
    }

    /// Deleted, and nothing of a system is left to ask for.
    @Test func withTheLastVisitEverythingGoes() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 1))
        try run(store)
        try store.change { try $0.diary.delete(1) }
        try run(store, at: now + 7_200)
        #expect(store.records.downloads.hours == [] && store.records.downloads.checked == [:])
        #expect(try !servers.fetcher(store, [.coronaWarnApp]).isDue(at: now + 20_000))
    }
}
