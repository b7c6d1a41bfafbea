// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import FoundationEssentials
import JSON
import KeyArchive
import KeyExport
import PresenceTracing
import TestKit
import Testing
import Trust
import Verification

@testable import Authority

/// Check-ins come in with keys and go out by the hour, as boards read them.
@Suite struct TracePackageTests {
    private static let now = Scene.start
    private static let hour = now / 3_600
    private static let cafe = LocationID(payload: [1])
    private static let bar = LocationID(payload: [2])

    private static func list(_ version: Int, _ region: String = "DE") -> String {
        "/version/v\(version)/twp/country/\(region)/hour"
    }

    private static func record(hoursAgo: Int64 = 3, period: Int64 = 6, level: Int64 = 5) throws -> CheckInRecord {
        try #require(CheckInRecord(start: now / 600 - hoursAgo * 6, period: period, level: level))
    }

    private static func report(_ number: UInt8, _ location: LocationID = cafe) throws -> ProtectedReport {
        try ProtectedReport(
            record(), location: location, initializationVector: [UInt8](repeating: number, count: 16))
    }

    private static func checkIns(
        plain: [(LocationID, CheckInRecord)] = [], reports: [ProtectedReport] = []
    ) throws -> SubmittedCheckIns {
        try SubmittedCheckIns(
            plain: plain.map { PlainCheckIn(location: $0, record: $1).encoded }, reports: reports.map(\.encoded))
    }

    private func accept(
        _ scene: Scene, _ checkIns: SubmittedCheckIns, person: Int = 0, now: Int64 = now
    ) throws -> AcceptanceReport {
        try scene.authority.accept([SubmittedKey(Scene.key(person))], checkIns: checkIns, source: "test", now: now)
    }

    /// Oldest and latest; `nil` when the list says that there is nothing.
    private func offered(_ scene: Scene, _ version: Int = 2) throws -> [Int64]? {
        let list = try scene.list(Self.list(version))
        guard list["oldest"] != .null || list["latest"] != .null else { return nil }
        return [list["oldest"], list["latest"]].compactMap { $0?.int }
    }

    /// As a board reads it; `nil` for an hour of no bytes.
    private func package(
        _ scene: Scene, _ hour: Int64, version: Int = 2, region: String = "DE"
    ) throws -> TraceWarningPackage? {
        let bytes = try #require(scene.file("\(Self.list(version, region))/\(hour)"), "\(hour)")
        guard !bytes.isEmpty else { return nil }
        let path = "\(scene.path)/unpacked-\(hour)-\(version).zip"
        try #require(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        let package = try TraceWarningPackage(
            exportBin: UnsignedKeyFile.exportBin(path: path), exportSig: UnsignedKeyFile.entry("export.sig", path: path),
            trust: scene.trust(), time: Self.now, hour: UInt32(hour), wanted: nil)
        #expect(package.region == region && package.implausible == 0)
        return package
    }

    @Test func anHoursReportsArePublishedWhenItIsOverAndOnce() throws {
        let scene = try Scene()
        try scene.publish(Self.now)
        #expect(try offered(scene) == nil)
        #expect(try offered(scene, 1) == nil)
        let reports = try [Self.report(1), Self.report(2), Self.report(3, Self.bar)]
        // Sent again, since the answer was lost; and by somebody else at the same table.
        for known in [0, 3] {
            let report = try accept(scene, Self.checkIns(reports: reports))
            #expect(report.checkIns == 3 - known && report.knownCheckIns == known)
        }
        #expect(try accept(scene, Self.checkIns(reports: [Self.report(4)]), person: 1).checkIns == 1)
        try scene.publish(Self.now + 60)
        #expect(try offered(scene) == nil)
        try scene.publish(Self.now + Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour])
        for region in ["DE", "EUR"] {
            let read = try #require(try package(scene, Self.hour, region: region))
            let all = try reports + [Self.report(4)]
            #expect(Set(read.reports) == Set(all) && read.reports.count == 4 && read.warnings.isEmpty)
        }
        #expect(try offered(scene, 1) == nil)
        let bytes = scene.file("\(Self.list(2))/\(Self.hour)")
        // Hours without warnings between two with some have no bytes; later ones are not named.
        _ = try accept(scene, Self.checkIns(reports: [Self.report(5)]), person: 2, now: Self.now + 3 * Scene.hour)
        try scene.publish(Self.now + 8 * Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour + 3])
        for empty in 1...2 { #expect(try package(scene, Self.hour + Int64(empty)) == nil) }
        #expect(try package(scene, Self.hour + 3)?.reports == [Self.report(5)])
        #expect(scene.file("\(Self.list(2))/\(Self.hour)") == bytes)
        // A third time, long after: nothing new.
        #expect(try accept(scene, Self.checkIns(reports: reports), now: Self.now + 9 * Scene.hour).knownCheckIns == 3)
        let audit = try scene.authority.audit()
        let published = audit.events.filter { $0.event == "warnings-published" }
        #expect(audit.isWhole && published.compactMap { $0.detail["warnings"]?.int } == [4, 4, 1, 1])
        #expect(try scene.authority.status(now: Self.now)["checkIns"]?["waiting"] == 0)
    }

    @Test func readableOnesArePublishedOnlyWhereTheSettingsSaySo() throws {
        let plain = try Self.checkIns(plain: [(Self.cafe, Self.record())], reports: [Self.report(1)])
        let scene = try Scene()
        #expect(try accept(scene, plain).filteredCheckIns == [.readable: 1])
        let open = try Scene { $0.checkIns.areReadableOnesTaken = true }
        try open.publish(Self.now)
        // Two people at one table stay two; the same encrypted one, whose vector is random, is a copy.
        #expect(try accept(open, plain).checkIns == 2)
        let other = try accept(open, plain, person: 1)
        #expect(other.checkIns == 1 && other.knownCheckIns == 1)
        try open.publish(Self.now + Scene.hour)
        let read = try #require(try package(open, Self.hour, version: 1))
        let warning = TraceWarningPackage.Warning(locationIDHash: Self.cafe.hash, record: try Self.record())
        #expect(read.warnings == [warning, warning] && read.reports.isEmpty)
        #expect(try package(open, Self.hour)?.warnings == [])
        // What opens encrypted ones is on no disk.
        var database: [UInt8] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: open.path) where name.hasPrefix("authority.db") {
            database += FileManager.default.contents(atPath: open.path + "/" + name).map { [UInt8]($0) } ?? []
        }
        #expect(!Data(database).contains(Self.cafe.bytes) && Data(database).contains(Self.cafe.hash))
    }

    /// The answer was lost before midnight, and by the next try a key is too old to be taken: the check-ins are the same ones all the same.
    @Test func theSameWarningOnAnotherDayAddsNothing() throws {
        let scene = try Scene { $0.checkIns.areReadableOnesTaken = true }
        try scene.publish(Self.now)
        let handle = try #require(WarningHandle(hexadecimal: String(repeating: "ab", count: 32)))
        let checkIns = try Self.checkIns(plain: [(Self.cafe, Self.record())], reports: [Self.report(1)])
        let (full, rest) = ([SubmittedKey(Scene.key(0)), SubmittedKey(Scene.key(1))], [SubmittedKey(Scene.key(1))])
        let first = try scene.authority.accept(
            full, checkIns: checkIns, source: "test", warning: handle, now: Self.now)
        #expect(first.checkIns == 2)
        let again = try scene.authority.accept(
            rest, checkIns: checkIns, source: "test", warning: handle, now: Self.now + 60)
        #expect(again.checkIns == 0 && again.knownCheckIns == 2)
        // Somebody else at the same table, by another warning.
        let other = try #require(WarningHandle(hexadecimal: String(repeating: "cd", count: 32)))
        let plain = try Self.checkIns(plain: [(Self.cafe, Self.record())])
        #expect(
            try scene.authority.accept(rest, checkIns: plain, source: "test", warning: other, now: Self.now + 60).checkIns
                == 1)
    }

    /// A region that was out of the settings for a while, and a file that somebody removed, stop nothing.
    @Test func aPackageThatIsGoneIsBuiltAgain() throws {
        let scene = try Scene()
        try scene.publish(Self.now)
        _ = try accept(scene, Self.checkIns(reports: [Self.report(1)]))
        try scene.publish(Self.now + Scene.hour)
        #expect(try package(scene, Self.hour)?.reports == [Self.report(1)])
        let regions = scene.authority.settings.regions
        try scene.reopen { $0.regions = ["EUR"] }
        try scene.publish(Self.now + 2 * Scene.hour)
        try scene.reopen { $0.regions = regions }
        try scene.publish(Self.now + 3 * Scene.hour)
        #expect(try package(scene, Self.hour)?.reports == [Self.report(1)])
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.folder.packages)
        where name.hasPrefix("trace-") {
            try FileManager.default.removeItem(atPath: "\(scene.folder.packages)/\(name)")
        }
        try scene.publish(Self.now + 4 * Scene.hour)
        #expect(try package(scene, Self.hour)?.reports == [Self.report(1)])
        #expect(try offered(scene) == [Self.hour, Self.hour])
    }

    /// A board refuses a list that names an hour far ahead; one publication by a clock that was ahead must not take the others from it.
    @Test func anHourThatIsToComeIsNotOffered() throws {
        let scene = try Scene()
        try scene.publish(Self.now)
        _ = try accept(scene, Self.checkIns(reports: [Self.report(1)]))
        try scene.publish(Self.now + Scene.hour)
        _ = try accept(scene, Self.checkIns(reports: [Self.report(2)]), person: 1, now: Self.now + 50 * Scene.hour)
        try scene.publish(Self.now + 51 * Scene.hour)
        try scene.publish(Self.now + 2 * Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour])
        try scene.publish(Self.now + 52 * Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour + 50])
    }

    /// A laboratory mixed up samples: what waits is never published, what came while two people decided neither, and nobody else's goes with it.
    @Test func checkInsThatWaitAreTakenBackWithTheirWarning() throws {
        let scene = try Scene { $0.checkIns.areReadableOnesTaken = true }
        try scene.publish(Self.now)
        let warnings = try ["ab", "cd"].map {
            try #require(WarningHandle(hexadecimal: String(repeating: $0, count: 32)))
        }
        func hand(_ numbers: [UInt8], of person: Int, after seconds: Int64) throws {
            let checkIns = try Self.checkIns(
                plain: [(Self.bar, Self.record())], reports: numbers.map { try Self.report($0) })
            _ = try scene.authority.accept(
                [SubmittedKey(Scene.key(person))], checkIns: checkIns, source: "test", warning: warnings[person],
                now: Self.now + seconds)
        }
        func propose(after seconds: Int64) throws -> Int64 {
            try scene.authority.propose(
                .revoked, of: .handles([warnings[0]]), by: "anna", reason: "samples", now: Self.now + seconds
            ).number
        }
        try hand([1, 2], of: 0, after: 60)
        try hand([3], of: 1, after: 60)
        let dropped = try propose(after: 120)
        _ = try scene.authority.confirm(dropped, by: "bert", isTrial: true, now: Self.now + 130)
        try scene.authority.drop(dropped, by: "bert", now: Self.now + 140)
        #expect(try scene.authority.status(now: Self.now)["checkIns"]?["waiting"] == 5)
        let number = try propose(after: 180)
        try hand([4], of: 0, after: 240)
        _ = try scene.authority.confirm(number, by: "bert", now: Self.now + 300)
        #expect(try scene.authority.status(now: Self.now)["checkIns"]?["waiting"] == 2)
        try scene.publish(Self.now + Scene.hour)
        #expect(try package(scene, Self.hour)?.reports == [Self.report(3)])
        #expect(try package(scene, Self.hour, version: 1)?.warnings.count == 1)
        // And later ones are refused.
        try hand([5], of: 0, after: 400)
        try scene.publish(Self.now + 2 * Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour])
    }

    /// docs/openapi/admin.yaml allows the members to be absent, not to be `null`.
    @Test(arguments: ["checkIns", "checkInProtectedReports"]) func nullIsNoListOfCheckIns(name: String) throws {
        let absent = Array(#"{"temporaryExposureKeys": []}"#.utf8)
        #expect(try KeySubmission.checkIns(in: absent).isEmpty)
        let bytes = Array(#"{"temporaryExposureKeys": [], "\#(name)": null}"#.utf8)
        #expect { try KeySubmission.checkIns(in: bytes) } throws: {
            ($0 as? AuthorityError)?.code == .unreadableSubmission
        }
    }

    /// cwa-server's `EventCheckinDataFilter`; the bounds to the interval.
    @Test func whatIsOldOrToComeOrWithoutWeightIsLeftOut() throws {
        let scene = try Scene { $0.checkIns.areReadableOnesTaken = true }
        try scene.publish(Self.now)
        let days = (Self.now / 86_400 - 10) * 144
        func record(_ start: Int64, _ period: Int64 = 1, _ level: Int64 = 5) throws -> (LocationID, CheckInRecord) {
            (Self.cafe, try #require(CheckInRecord(start: start, period: period, level: level)))
        }
        let interval = Self.now / 600
        let good = try [record(days - 1), record(interval), record(interval - 1, 144), record(interval - 9, 1, 3)]
        let bad = try [record(days - 2), record(interval + 1), record(interval - 9, 1, 1), record(interval - 9, 1, 2)]
        let report = try accept(scene, Self.checkIns(plain: good + bad))
        #expect(report.checkIns == 4 && report.filteredCheckIns == [.tooOld: 1, .inTheFuture: 1, .withoutWeight: 2])
        try scene.publish(Self.now + Scene.hour)
        let read = try #require(try package(scene, Self.hour, version: 1))
        #expect(Set(read.warnings.map(\.record)) == Set(good.map(\.1)))
    }

    @Test func tooManyWaitForTheNextHour() throws {
        let scene = try Scene { $0.checkIns.maximumWarnings = 4 }
        try scene.publish(Self.now)
        let reports = try (0..<10).map { try Self.report($0) }
        #expect(try accept(scene, Self.checkIns(reports: reports)).checkIns == 10)
        try scene.publish(Self.now + Scene.hour)
        #expect(try package(scene, Self.hour)?.reports.count == 4)
        try scene.publish(Self.now + 5 * Scene.hour)
        #expect(try offered(scene) == [Self.hour, Self.hour + 2])
        let all = try (0..<3).flatMap { try package(scene, Self.hour + $0)?.reports ?? [] }
        #expect(all.count == 10 && Set(all) == Set(reports))
    }

    @Test func randomOnesComeAlongAsWithKeys() throws {
        let scene = try Scene {
            $0.publishing.paddingMultiplier = 5
            $0.checkIns.areReadableOnesTaken = true
        }
        try scene.publish(Self.now)
        let both = try Self.checkIns(plain: [(Self.cafe, Self.record())], reports: [Self.report(1)])
        for _ in 0..<2 { _ = try accept(scene, both) }
        try scene.publish(Self.now + Scene.hour)
        let warnings = try #require(try package(scene, Self.hour, version: 1)).warnings
        let reports = try #require(try package(scene, Self.hour)).reports
        let record = try Self.record()
        #expect(warnings.count == 5 && Set(warnings.map(\.record)) == [record])
        #expect(Set(warnings.map(\.locationIDHash)).count == 5 && reports.count == 5)
        #expect(reports.count { $0.locationIDHash == Self.cafe.hash } == 1)
    }

    /// For demonstrations: at once, and no published package changes.
    @Test func earlyOnesAreInTheHourUnderWayAndThenInTheNext() throws {
        let scene = try Scene()
        for person in 0..<3 {
            _ = try accept(scene, Self.checkIns(reports: [Self.report(UInt8(person))]), person: person)
            try scene.publish(Self.now, early: true)
            // Boards take no hour later than the next.
            #expect(try offered(scene) == [Self.hour, Self.hour + min(1, Int64(person))])
        }
        #expect(try package(scene, Self.hour)?.reports == [Self.report(0)])
        #expect(try package(scene, Self.hour + 1)?.reports == [Self.report(1)])
        try scene.publish(Self.now + 3 * Scene.hour)
        #expect(try package(scene, Self.hour + 2)?.reports == [Self.report(2)])
    }

    @Test func theyAreOfferedAsLongAsKeysAreKept() throws {
        let scene = try Scene()
        try scene.publish(Self.now)
        _ = try accept(scene, Self.checkIns(reports: [Self.report(1)]))
        let days = scene.settings.publishing.retentionDays
        try scene.publish(Self.now + days * Scene.day)
        #expect(try offered(scene) == [Self.hour, Self.hour])
        // Nobody is offered it, and who has the list of an hour ago still gets it.
        try scene.publish(Self.now + days * Scene.day + Scene.hour)
        #expect(try offered(scene) == nil)
        #expect(try package(scene, Self.hour) != nil)
        try scene.publish(Self.now + days * Scene.day + 2 * Scene.hour)
        #expect(try offered(scene) == nil)
        #expect(scene.file("\(Self.list(2))/\(Self.hour)") == nil)
        let left = try FileManager.default.contentsOfDirectory(atPath: scene.path + "/packages")
        #expect(!left.contains { $0.hasPrefix("trace") })
    }

    /// Over HTTP, as a submission elsewhere hands them in, and as boards are answered.
    @Test func theServiceTakesThemAndAnswersWithThem() throws {
        let scene = try Scene()
        try scene.publish(Self.now - Scene.hour)
        let service = try ServiceTests.Service(scene, ["--now", "\(Self.now)", "--publish-now"])
        let token = try String(contentsOfFile: scene.path + "/admin-token", encoding: .utf8)
            .trimmingPrefix { $0.isWhitespace }.prefix { !$0.isWhitespace }
        func send(_ reports: String) throws -> (status: Int, body: String) {
            let list = #"{"temporaryExposureKeys": [], "checkInProtectedReports": \#(reports)}"#
            let answer = try ServiceTests.Service.curl(
                "http://127.0.0.1:\(service.adminPort)/admin/keys",
                ["-H", "Authorization: Bearer \(token)", "-H", "Content-Type: application/json", "-d", list])
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        for wrong in [
            "7", "[7]", #"["%"]"#, #"["AAAA"]"#, "[\(Array(repeating: #""""#, count: 221).joined(separator: ","))]",
        ] {
            #expect(try send(wrong).status == 400, "\(wrong.prefix(20))")
        }
        let sent = try send(#"["\#(Base64.string(Self.report(1).encoded))"]"#)
        #expect(sent.status == 200 && sent.body.contains(#""checkIns":{"accepted":1,"known":0,"filtered":{}}"#), "\(sent)")
        let list = Self.list(2)
        let expected = Array(#"{"oldest":\#(Self.hour),"latest":\#(Self.hour)}"#.utf8)
        let isThere = try eventually { try service.get(list).body == expected }
        #expect(isThere)
        let answer = try service.get("\(list)/\(Self.hour)")
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip" && !answer.body.isEmpty)
    }
}
