// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import CommandFiles
import CrowdNotifier
import Cryptography
import Glibc
import Interfaces
import JSON
import KeyExport
import PluginTestKit
import PresenceTracing
import SyncKillTrial
import Trust
import VenueKillTrial
import VenuePlan
import VenuePlugin

/// Measures check-ins: warnings compared with a fortnight's visits, by the functions that the plugin calls; and the real process of the plugin, whose
/// core and servers are stand-ins.
public enum VenueBenchmark {
    private static let now: Int64 = 1_614_850_000
    private static let days: Int64 = 14
    private static let visitCount: Int64 = 42
    private static let warningCount: Int64 = 1_000
    private static let checkIns = 50
    private static let starts = 9

    /// Measures, and returns the figures; blocks for a minute. The least time of `rounds` comparisons (1 or more, not checked) counts. `plugins` is the
    /// path of `vigil-plugins`, by default that beside this program. Throws when a process cannot be started or hangs, and what the file system and the
    /// cryptographic library refuse.
    public static func run(rounds: Int = 9, plugins: String? = nil) throws -> BenchmarkResult {
        BenchmarkResult(
            "venue",
            try comparisons(rounds) + HiddenVisitBenchmark.figures(now: now)
                + process(plugins ?? ChildProcess.siblingPath("vigil-plugins")))
    }

    // MARK: Comparisons

    private static func comparisons(_ rounds: Int) throws -> [Figure] {
        let key = try P256.SigningKey.generate()
        let name = KeyName(id: "262", version: "v1")
        let trust = try TrustStore(
            keys: [KeyRole.config, .export].map { TrustedKey(name: name, role: $0, key: key.verificationKey) })

        let (swiss, venues) = try swissDiary()
        let body = TraceKeyList.encoded(try traceKeys(of: venues))
        guard let token = try ContentToken.text(body: body, issued: now, expires: now + 86_400, sign: { try key.sign($0) })
        else {
            throw TrialFailure("the list cannot be signed")
        }

        let diary = try presenceDiary()
        let reports = try reports(on: diary)
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        func package(_ hour: Int64, _ reports: [ProtectedReport]) throws -> (hour: Int64, bin: [UInt8], sig: [UInt8]) {
            let bin = TraceWarningPackage.encoded(hour: UInt32(hour), region: "DE", reports: reports)
            return (hour, bin, try encoder.exportSig(for: bin, keys: [key]))
        }
        let whole = [try package(now / 3_600 - 1, reports)]
        let hours = days * 24
        let hourly = try (0..<hours).map { number in
            try package(
                now / 3_600 - 1 - number,
                reports.indices.filter { Int64($0) % hours == number }.map { reports[$0] })
        }

        // What is found is counted: a comparison that finds nothing would be quick, too.
        var told: [Int] = []
        func compared(_ packages: [(hour: Int64, bin: [UInt8], sig: [UInt8])]) -> () -> Void {
            {
                let matcher = WarningMatcher(diary.presenceVisits(at: now))
                let matches = packages.flatMap { package in
                    (try? TraceWarningPackage(
                        exportBin: package.bin, exportSig: package.sig, trust: trust, time: now,
                        hour: UInt32(package.hour),
                        wanted: matcher.wanted)).map(matcher.matches) ?? []
                }
                var records = diary
                records.note(matches)
                records.judge(by: .published, at: now)
                told.append(records.notices.count)
            }
        }
        let least = Measurement.least(
            rounds: rounds,
            [
                {
                    let matcher = IdentityMatcher(swiss.crowdNotifierVisits(at: now))
                    let list = try? TraceKeyList(
                        body: body, token: Array(token), trust: trust, time: now, wanted: matcher.wanted)
                    var records = swiss
                    for match in matcher.matches(list?.keys ?? []) {
                        records.tell(match.visit, day: UTCDay(containing: match.hour), .message(match.data.message))
                    }
                    told.append(records.notices.count)
                }, compared(whole), compared(hourly),
            ]
        ).map { $0 / 1e6 }
        guard told.count == 3 * rounds, told.allSatisfy({ $0 > 0 }) else {
            throw TrialFailure("a comparison that was measured found nothing")
        }
        return [
            Figure("1,000 trace keys against 42 visits, by identity", least[0], "ms"),
            Figure("1,000 warnings in a package against 42 visits", least[1], "ms"),
            Figure("1,000 warnings in 336 packages against 42 visits", least[2], "ms"),
        ]
    }

    /// The beginning of a visit: three on each of fourteen days, the last some hours ago.
    private static func arrival(_ number: Int64) -> Int64 { now - 14_400 - number / 3 * 86_400 - number % 3 * 7_200 }

    private static func swissDiary() throws -> (VisitDiary, [CrowdNotifierVenue]) {
        var diary = VisitDiary()
        let venues = try (0..<visitCount).map { number in
            try CrowdNotifierVenue(
                name: "Place \(number)", address: "", start: 0, end: 2_000_000_000,
                publicKey: [UInt8](repeating: 1, count: 96), seed: [UInt8](repeating: UInt8(number), count: 32),
                countryData: [])
        }
        for (number, venue) in venues.enumerated() {
            let start = arrival(Int64(number))
            try diary.checkOut(diary.checkIn(.swissCovid(venue), at: start), at: start + 3_600)
        }
        return (diary, venues)
    }

    /// Of all warnings one is about a place that was visited, at that time; the others are about other places.
    private static func traceKeys(of venues: [CrowdNotifierVenue]) throws -> [TraceKey] {
        let nonce = [UInt8](repeating: 4, count: 24)
        return try (0..<warningCount).map { number in
            let start = VisitHours.start(number == 0 ? arrival(7) : now - number * 1_200)
            let keys = venues[7].keys
            let identity =
                number == 0 ? keys.identity(start: start) : SHA256.digest(of: Array("another place \(number)".utf8))
            return TraceKey(
                identity: identity, secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: start).start,
                encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 3_600).sealed(
                    notificationKey: keys.notificationKey, nonce: nonce), nonce: nonce)
        }
    }

    private static func location(_ number: Int64) throws -> TraceLocation {
        try TraceLocation(
            name: "Place \(number)", address: "Street 1", kind: .permanentFoodService, defaultMinutes: 60, publicKey: [],
            seed: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16))
    }

    private static func presenceDiary() throws -> VisitDiary {
        var diary = VisitDiary()
        for number in 0..<visitCount {
            let start = arrival(number)
            try diary.checkOut(diary.checkIn(.coronaWarnApp(location(number)), at: start), at: start + 3_600)
        }
        return diary
    }

    /// As many as there are visits are about these; the others are about other places.
    private static func reports(on diary: VisitDiary) throws -> [ProtectedReport] {
        try (0..<warningCount).map { number in
            let start = arrival(number % visitCount) / 600
            guard let record = CheckInRecord(start: start, period: 3, level: 5) else {
                throw TrialFailure("a warning of the benchmark is none")
            }
            return try ProtectedReport(
                record, location: location(number).id, initializationVector: (0..<16).map { UInt8(7 + 13 * $0) })
        }
    }

    // MARK: The process

    /// On a real disk, as long as TMPDIR is one: an answer waits for it.
    private static func process(_ plugins: String) throws -> [Figure] {
        let scratch = try TemporaryFolder()
        defer { withExtendedLifetime(scratch) {} }
        let folder = scratch.path
        let places = KillPlaces(folder: folder, programs: "")
        let board = try VenueBoard(places)
        board.now = now
        let diary = try presenceDiary()
        try board.store().change { $0.diary = diary }
        let clock = ContinuousClock()
        func checkIn(_ life: VenueLife, _ number: Int) throws -> Double {
            let code = VenueCode.text(try location(visitCount + Int64(number)))
            let start = clock.now
            let reply = try life.call(.checkIn, ["code": .string(code)])
            let time = (clock.now - start) / .milliseconds(1)
            guard reply?["began"]?.bool == true else { throw TrialFailure("a check-in was not answered") }
            return time
        }
        var cold: [Double] = []
        for number in 0..<starts {
            let start = clock.now
            let life = try VenueLife(places, program: plugins)
            _ = try checkIn(life, number)
            cold.append((clock.now - start) / .milliseconds(1))
            try life.stop()
        }
        let life = try VenueLife(places, program: plugins)
        _ = try checkIn(life, starts)
        let warm = try (1...checkIns).map { try checkIn(life, starts + $0) }
        let memory = BoardProcess.memory(of: life.process)
        let last = clock.now
        _ = try life.waits { life.isOver }
        let rest = (clock.now - last) / .seconds(1)
        let linking = memory.isSwiftDynamic ? "Swift as libraries" : "Swift in the executable, as on boards"
        return [
            Figure("check-in answered, median", Statistics.median(warm), "ms"),
            Figure("check-in answered, worst of 50", warm.max() ?? .nan, "ms"),
            Figure("check-in answered, plugin started for it, worst", cold.max() ?? .nan, "ms"),
            Figure("plugin, memory (PSS, \(linking))", memory.alone, "MiB"),
            Figure("plugin, anonymous memory", memory.anonymous, "MiB"),
            Figure("from the last answer to the plugin's end", rest, "s"),
        ]
    }
}
