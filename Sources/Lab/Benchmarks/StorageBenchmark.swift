// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Core
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import Ledger
import Matching
import TimeTrust
import Vault
import VirtualAir

/// Measures the real vault on real files: the time to load 14 days, and what a day writes to the flash memory.
public enum StorageBenchmark {
    private static let sightingCount = 50_000
    private static let firstDay: UInt32 = 20_000
    private static let scanSeconds: UInt32 = 4
    private static let scanPeriodSeconds: UInt32 = 250

    /// Measures in temporary folders, and returns the figures; blocks. The least time of `rounds` loads (1 or more,
    /// not checked) counts. MB are millions of bytes. Stops the program when the vault does not return what was
    /// stored. Throws when a folder cannot be created, or the vault or the ledger fails.
    public static func run(rounds: Int = 9) throws -> BenchmarkResult {
        var figures: [Figure] = []
        let load = try inFolder { try loadTime(in: $0, rounds: rounds) }
        figures.append(Figure("loading 50,000 sightings of 14 days", load / 1e6, "ms"))
        for (name, fill) in [("noise", noise), ("record headers", headers)] {
            let time = try inFolder { try damagedReadTime(in: $0, fill) }
            figures.append(Figure("reading a log of 64 MiB of \(name)", time / 1e6, "ms"))
        }
        for (name, devices) in [("quiet", 0), ("busy", 100)] {
            let day = try inFolder { try Day(devices: devices, in: $0) }
            figures.append(Figure("\(name) day, keys and time", Double(day.written.schedule) / 1e6, "MB"))
            figures.append(Figure("\(name) day, sightings", Double(day.written.sightings) / 1e6, "MB"))
            figures.append(Figure("\(name) day, bytes written", Double(day.bytes) / 1e6, "MB"))
            figures.append(Figure("\(name) day, pages of 4 KiB written", Double(day.pages), "pages"))
            figures.append(Figure("\(name) day, longest append or store", day.longest, "ms"))
        }
        let ledger = try inFolder { try ledgerDay(in: $0) }
        figures.append(Figure("a day of the ledger, 24 hours of evidence and one file, bytes written", ledger / 1e6, "MB"))
        return BenchmarkResult("storage", figures)
    }

    /// The ledger's share of a day once it is two weeks old: an hour of evidence 24 times, and a file of keys of which two were met, with
    /// everything its commit writes. Counted by the kernel as it takes the bytes.
    private static func ledgerDay(in folder: String) throws -> Double {
        let ledger = try Ledger(path: folder + "/ledger.sqlite", keys: MemoryLedgerKeys())
        var generator = SplitMix64(seed: 5)
        func day(_ day: UInt32) throws {
            for hour in 0..<24 as Range<UInt32> {
                var evidence = EvidenceHour(hour: day * 24 + hour)
                evidence.scans = 14
                evidence.secondsOnAir = 3_600
                try ledger.write { try $0.record(evidence) }
            }
            let digests = (0..<2).map { _ in (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) } }
            let matches = (0..<2).compactMap { _ in
                DiagnosisKey(
                    data: Block(low: generator.next(), high: generator.next()), rollingStart: ENIN((day - 1) * ENIN.perDay),
                    transmissionRiskLevel: 3, reportType: .confirmedTest, daysSinceOnset: 0
                ).map { Match(key: $0, sightings: []) }
            }
            try ledger.write {
                _ = try $0.recordAttempt(by: "sync", kind: "provide", day: day)
            }
            try ledger.write {
                _ = try $0.merge(matches)
                try $0.rememberFile(signatureListDigest: digests[0], contentDigest: digests[1], day: day)
                _ = try $0.audit(
                    AuditEntry(kind: "filesMatched", actor: "sync", time: Int64(day) * 86_400, details: ["files": "1"]))
            }
        }
        for number in 0..<14 as Range<UInt32> { try day(firstDay + number) }
        let before = try writtenByteCount()
        try day(firstDay + 14)
        return try writtenByteCount() - before
    }

    /// Bytes this process has given to the kernel to write (proc(5), `wchar`).
    private static func writtenByteCount() throws -> Double {
        let text = String(decoding: try Files.read("/proc/self/io", limit: 4_096), as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }.flatMap { Double($0.dropFirst(7)) } ?? .nan
    }

    private static func inFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-storage-\(getpid())"
        guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    private static func open(_ medium: any StorageMedium) throws -> Vault {
        try Vault(medium, provider: FileKeyProvider(medium), dailyQuota: .max)
    }

    /// Every sighting from a sender of its own, which is the most bytes and the most work there can be for it.
    private static func loadTime(in folder: String, rounds: Int) throws -> Double {
        var generator = SplitMix64(seed: 1)
        do {
            let vault = try open(PosixStorage(folder: folder))
            let scans = 14 * 86_400 / scanPeriodSeconds
            for number in 0..<scans {
                let start = firstDay * 86_400 + number * scanPeriodSeconds
                var collector = ScanCollector()
                let share = { (scan: UInt32) in Int(scan) * sightingCount / Int(scans) }
                for _ in share(number)..<share(number + 1) {
                    collector.add(
                        payload: payload(&generator), rssi: .random(in: -95 ... -50, using: &generator), offset: 1)
                }
                try vault.append(collector.finish(start: start, previousScan: start - 246, profileRevision: 1))
            }
        }
        var failure: (any Error)?
        let least = Measurement.least(
            rounds: rounds,
            [
                {
                    do {
                        // With opening: this is what a start costs.
                        let vault = try open(PosixStorage(folder: folder))
                        let loaded = SightingLoading(vault, now: (firstDay + 14) * 86_400 - 1) { _ in -3 }
                        precondition(loaded.index.count == sightingCount, "every sighting must come back")
                    } catch {
                        failure = error
                    }
                }
            ])
        if let failure { throw failure }
        return least[0]
    }

    private static func payload(_ generator: inout SplitMix64) -> AdvertisingPayload {
        AdvertisingPayload(
            identifier: RollingProximityIdentifier(Block(low: generator.next(), high: generator.next())),
            metadata: AssociatedEncryptedMetadata(word: UInt32(truncatingIfNeeded: generator.next())))
    }

    /// What a damaged or hostile log costs: its length, and not the square of it.
    private static func damagedReadTime(in folder: String, _ fill: () -> [UInt8]) throws -> Double {
        let medium = try PosixStorage(folder: folder)
        var generator = SplitMix64(seed: 2)
        let vault = try open(medium)
        var collector = ScanCollector()
        collector.add(payload: payload(&generator), rssi: -60, offset: 0)
        try vault.append(collector.finish(start: firstDay * 86_400, previousScan: 0, profileRevision: 1))
        try medium.write(fill(), to: "day-\(firstDay).log", at: 0)
        let start = Measurement.threadNanoseconds()
        let found = try vault.scans(day: firstDay)
        precondition(found.isEmpty, "there is no record in it")
        return Double(Measurement.threadNanoseconds() - start)
    }

    private static func noise() -> [UInt8] {
        var generator = SplitMix64(seed: 3)
        var bytes = [UInt8](repeating: 0, count: 64 << 20)
        bytes.withUnsafeMutableBytes { buffer in
            for offset in stride(from: 0, to: buffer.count, by: 8) {
                buffer.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
        }
        return bytes
    }

    private static func headers() -> [UInt8] {
        let magic = Array("VSR1".utf8)
        return (0..<(64 << 20)).map { magic[$0 & 3] }
    }

    /// One UTC day of a device: an identifier every 10 to 20 minutes, the time stored every 10, a scan of 4 s every 250 s in which each
    /// device around is heard 12 to 16 times and sends another identifier every 15 minutes.
    private struct Day {
        let written: Vault.Written
        let bytes: UInt64
        let pages: Int
        /// Milliseconds, by the wall clock.
        let longest: Double

        init(devices: Int, in folder: String) throws {
            var generator = SplitMix64(seed: 4)
            let medium = PageCounter(try PosixStorage(folder: folder))
            let vault = try open(medium)
            var schedule = TEKSchedule()
            var longest = Duration.zero
            let begin = firstDay * 86_400
            var nextRotation: UInt32 = 0
            var previousScan: UInt32 = 0
            var payloads = (0..<devices).map { _ in StorageBenchmark.payload(&generator) }
            var appended = 0
            func timed(_ body: () throws -> Void) rethrows {
                longest = max(longest, try ContinuousClock().measure(body))
            }
            for second in 0..<86_400 as Range<UInt32> {
                if second == nextRotation {
                    _ = schedule.next(at: ENIN((begin + second) / 600), using: &generator)
                    nextRotation += .random(in: 600...1_200, using: &generator)
                    try timed { try vault.store(schedule, time: Self.snapshot(begin + second)) }
                }
                if second % 600 == 300 { try timed { try vault.store(schedule, time: Self.snapshot(begin + second)) } }
                if second % 900 == 0 {
                    for index in payloads.indices { payloads[index] = StorageBenchmark.payload(&generator) }
                }
                guard devices > 0, second % scanPeriodSeconds == 0 else { continue }
                var collector = ScanCollector()
                for round in 0..<16 {
                    for payload in payloads where round < 12 || Bool.random(using: &generator) {
                        collector.add(
                            payload: payload, rssi: .random(in: -90 ... -60, using: &generator), offset: UInt8(round / 4))
                    }
                }
                let scan = collector.finish(start: begin + second, previousScan: previousScan, profileRevision: 1)
                previousScan = begin + second + scanSeconds
                try timed { try vault.append(scan) }
                appended += 1
            }
            let kept = try vault.scans(day: firstDay).count
            precondition(kept == appended, "every scan must come back")
            precondition(vault.findings.isEmpty, "nothing may be wrong")
            written = vault.written
            bytes = medium.bytesWritten
            pages = medium.pages
            let (seconds, attoseconds) = longest.components
            self.longest = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        }

        private static func snapshot(_ time: UInt32) -> TrustedTime.Snapshot {
            let point = TrustedTime.Snapshot.Point(
                source: TrustedTime.Source.signed.rawValue, time: UnixTime(seconds: Int64(time)),
                uncertaintyMilliseconds: 500, ageMilliseconds: 0)
            return TrustedTime.Snapshot(
                bootIdentity: BootIdentity(high: 1, low: 2), boot: BootInstant(nanoseconds: Int64(time)),
                signedFloor: point.time, current: point, reference: point, isOrderlyStop: false)
        }
    }
}
