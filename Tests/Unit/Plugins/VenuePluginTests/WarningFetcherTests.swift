// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import FoundationEssentials
import Interfaces
import PluginKit
import PresenceTracing
import RandomValues
import Testing
import VenuePlan

@testable import VenuePlugin

/// Warnings, from a real server and its signatures to the wearer's notices.
@Suite(.serialized) final class WarningFetcherTests {
    let now: Int64 = 1_614_850_000
    var hour: Int64 { now / 3_600 }
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-fetcher-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    let servers: WarningServers

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        servers = try WarningServers()
        try servers.publishConfiguration()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// What is on the disk at the moment.
    func open(_ part: String = "") throws -> VenueStore {
        let folder = folder + part
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try VenueStore.open(folder: folder, seal: seal)
    }

    func cafe(_ name: String = "Canary") throws -> TraceLocation {
        try TraceLocation(
            name: name, address: "Canary Street", kind: .permanentFoodService, defaultMinutes: 60, publicKey: [],
            seed: [UInt8](repeating: 2, count: 16))
    }

    /// A store with a visit of an hour, three hours ago.
    func visited() throws -> VenueStore {
        let store = try open()
        let place = VenueTicket.coronaWarnApp(try cafe())
        let start = now - 3 * 3_600
        try store.change { records in
            _ = try records.diary.checkIn(place, at: start)
            _ = records.diary.checkOutDue(at: self.now)
        }
        return store
    }

    func run(_ store: VenueStore, _ systems: [VenueSystem] = [.coronaWarnApp], at moment: Int64? = nil) throws {
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
        // From the hour before the visit on, whose reports may reach into it, and not those before.
        #expect(
            servers.requests.filter { $0.hasPrefix(WarningServers.hours + "/") }
                == ((hour - 4)...(hour - 1)).map { "\(WarningServers.hours)/\($0)" })
        #expect(try open().records == store.records)
        #expect(!fetcher.isDue(at: now + 60) && fetcher.isDue(at: now + 7_200) && fetcher.isDue(at: now - 60))
        // The next time only what is new, and what a visit could have gone on into.
        try store.change { $0.diary.acknowledge(upTo: 9) }
        try servers.publish(hour...hour)
        try servers.put(WarningServers.hours, Array(#"{"oldest":\#(hour - 5),"latest":\#(hour)}"#.utf8))
        try servers.forgetRequests()
        try run(store, at: now + 7_200)
        #expect(
            servers.requests.filter { $0.hasPrefix(WarningServers.hours + "/") }
                == [hour - 1, hour].map { "\(WarningServers.hours)/\($0)" })
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
        #expect(store.records.downloads.hours == [] && store.records.downloads.unproven == [hour - 2])
        #expect(store.records.diary.earlyHours == [hour - 1])
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

    /// Stores of files say so of a package that is not there: it keeps none of the others away.
    @Test(arguments: [403, 404, 410, 500]) func aPackageThatIsNotThereKeepsNoOtherAway(status: Int) throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publish(hour - 2, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        try servers.setFaults(#"[null, null, ["status", \#(status)]\#(status == 500 ? #", ["status", 500]"# : "")]"#)
        try run(store)
        #expect(store.records.downloads.problems[.coronaWarnApp] != nil && store.records.downloads.checked == [:])
        #expect(store.records.downloads.hours == (status == 500 ? [] : [hour - 2]))
        #expect(store.records.diary.notices.count == (status == 500 ? 0 : 1))
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

    /// A report that came in before the wearer did, or while they were there, reaches half an hour past that. An hour's package is compared once more when all that it
    /// is about is over, and counts once.
    @Test(arguments: [true, false]) func aWarningReachesIntoAVisitThatGoesOn(wasThere: Bool) throws {
        let store = try open()
        let place = VenueTicket.coronaWarnApp(try cafe())
        // Two minutes after the hour in which somebody who was there warned, until half past.
        let first = (now / 3_600) * 3_600 + 120
        let arrival = wasThere ? first - 420 : first + 180
        try servers.publish((hour - 1)...(hour - 1))
        try servers.publish(hour - 1, try cafe().id, [(first - 120 - 3_600, 90, 3)])
        // A visit of yesterday, so that warnings are looked at.
        try store.change { records in
            _ = try records.diary.checkIn(.coronaWarnApp(try self.cafe("Other")), at: first - 86_400)
            _ = records.diary.checkOutDue(at: first)
            if wasThere { _ = try records.diary.checkIn(place, at: arrival) }
        }
        try run(store, at: first)
        #expect(store.records.diary.matches.map(\.minutes) == (wasThere ? [7] : []))
        #expect(store.records.downloads.checked[.coronaWarnApp] == first && store.records.downloads.hours == [])
        try store.change { records in
            if !wasThere { _ = try records.diary.checkIn(place, at: arrival) }
            try records.diary.checkOut(2, at: first + 3_000)
        }
        let later = try open()
        #expect(later.records == store.records)
        for round: Int64 in 1...2 {
            try servers.forgetRequests()
            try run(later, at: first + round * 7_200)
            #expect(later.records.diary.matches.map(\.minutes) == [wasThere ? 35 : 25])
            #expect(later.records.diary.notices.map(\.content) == [.level(.level(.increased))])
            #expect(later.records.downloads.hours == [hour - 1] && later.records.diary.earlyHours == [])
            // No more is asked for because of the visit.
            #expect(servers.requests.count { $0 == "\(WarningServers.hours)/\(hour - 1)" } == (round == 1 ? 1 : 0))
        }
        #expect(try open().records == later.records)
    }

    /// Of a server that takes the place of another one, or of another country, nothing was compared yet.
    @Test func anotherServerIsLookedAtFromTheBeginning() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600 + 1_200, 10, 3)])
        try run(store)
        let before = store.records.diary
        #expect(before.notices.map(\.content) == [.level(.level(.low))])
        #expect(store.records.downloads.checked[.coronaWarnApp] == now && store.records.downloads.hours == [hour - 3])
        var fetcher = try servers.fetcher(store, [.coronaWarnApp])
        fetcher.settings.coronaWarnAppCountry = "EUR"
        try fetcher.run(at: now + 7_200)
        // It has no such country: what was told stays, and nothing is called complete.
        #expect(store.records.downloads.checked == [:] && store.records.downloads.hours == [])
        #expect(store.records.downloads.problems[.coronaWarnApp] != nil && store.records.diary.matches.isEmpty)
        #expect(store.records.diary.notices == before.notices)
        // And back: compared anew, and counted once.
        let later = try open()
        try run(later, at: now + 14_400)
        #expect(later.records.diary.matches == before.matches && later.records.diary.notices == before.notices)
        #expect(later.records.downloads.checked[.coronaWarnApp] == now + 14_400)
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

    /// An authority may have a configuration for the other phones only, which has other numbers.
    @Test func theConfigurationForIOSIsReadByItsOwnTable() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)], tag: "\"wrong\"")
        var fetcher = try servers.fetcher(store, [.coronaWarnApp])
        fetcher.settings.coronaWarnAppConfig = "version/v2/app_config_ios"
        try servers.publishConfiguration(versions: [7], isForIOS: true)
        try fetcher.run(at: now)
        #expect(store.records.downloads.problems[.coronaWarnApp]?.contains("has no rules for visits") == true)
        fetcher.settings.coronaWarnAppForm = "ios"
        try fetcher.run(at: now)
        #expect(store.records.diary.notices.map(\.content) == [.level(.level(.increased))])
        #expect(store.records.withdrawnVersions == [7] && store.records.downloads.problems == [:])
        try servers.publishConfiguration(withdrawn: ["\"wrong\""], isForIOS: true)
        try fetcher.run(at: now + 7_200)
        #expect(store.records.diary.notices.isEmpty)
        fetcher.settings.coronaWarnAppForm = "symbian"
        try fetcher.run(at: now + 14_400)
        #expect(store.records.downloads.problems[.coronaWarnApp]?.hasPrefix("coronaWarnAppForm: ") == true)
    }

    /// The authority says which packages count, and the settings can say otherwise. Of the others nothing counts as compared.
    @Test func theAuthoritySaysWhichPackagesAreRead() throws {
        let store = try visited()
        try servers.publish((hour - 3)...(hour - 2))
        try servers.publish(hour - 3, try cafe().id, [(now - 3 * 3_600, 30, 8)])
        let plain = "version/v1/twp/country/DE/hour"
        try servers.put(plain, Array(#"{"oldest":\#(hour - 3),"latest":\#(hour - 2)}"#.utf8))
        for hour in (hour - 3)...(hour - 2) { try servers.put("\(plain)/\(hour)", []) }
        var round: Int64 = 0
        func lists(_ feature: UInt64?, setting: Bool? = nil) throws -> [String] {
            try servers.publishConfiguration(plain: feature)
            if !servers.requests.isEmpty { try servers.forgetRequests() }
            var fetcher = try servers.fetcher(store, [.coronaWarnApp])
            fetcher.settings.coronaWarnAppPlain = setting
            try fetcher.run(at: now + round * 7_200)
            round += 1
            #expect(store.records.downloads.problems == [:])
            #expect(try open().records == store.records)
            return servers.requests.filter { $0.hasSuffix("/hour") }
        }
        #expect(try lists(nil) == [WarningServers.hours])
        #expect(store.records.diary.notices.count == 1)
        #expect(try lists(0) == [WarningServers.hours])
        #expect(try lists(1) == [plain])
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.hours == [])
        #expect(try lists(2, setting: false) == [WarningServers.hours])
        #expect(store.records.diary.notices.count == 1)
        #expect(try lists(0, setting: true) == [plain])
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
