// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import PresenceTracing
import Testing
import Trust

@Suite struct WarningTests {
    private let place = LocationID(payload: [1])
    private let other = LocationID(payload: [2])

    private func visit(
        _ number: Int, _ location: LocationID, _ start: Int64, _ end: Int64, isSubmitted: Bool = false
    ) throws -> Visit {
        try #require(Visit(number: number, location: location, start: start, end: end, isSubmitted: isSubmitted))
    }

    /// The warning is from 9:00 to 10:00.
    @Test func overlaps() throws {
        let table: [(Int64, Int64, Int64?)] = [
            (Samples.time(8), Samples.time(9), nil), (Samples.time(10), Samples.time(11), nil),
            (Samples.time(8), Samples.time(9, 0, 1), 0), (Samples.time(8), Samples.time(9, 0, 29), 0),
            (Samples.time(8), Samples.time(9, 0, 30), 1), (Samples.time(8), Samples.time(9, 1, 29), 1),
            (Samples.time(8), Samples.time(9, 1, 30), 2), (Samples.time(9, 59, 1), Samples.time(12), 1),
            (Samples.time(8), Samples.time(11), 60), (Samples.time(9, 20), Samples.time(9, 40), 20),
            (Samples.time(9, 20), Samples.time(9, 20), nil), (Samples.time(9), Samples.time(10), 60),
        ]
        let record = try Samples.record(9, period: 6)
        for (start, end, minutes) in table {
            let matches = WarningMatcher.matches(try visit(1, place, start, end), record)
            #expect(
                matches.map(\.minutes) == [minutes].compactMap(\.self),
                "\(start - Samples.time(0)) \(end - Samples.time(0))")
        }
    }

    @Test func eachDayIsAMatchOfItsOwn() throws {
        let stay = try visit(1, place, Samples.time(20), Samples.time(28))
        let matches = WarningMatcher.matches(stay, try Samples.record(22, 30, period: 18))
        #expect(matches.map(\.minutes) == [90, 90])
        #expect(matches.map(\.day.number) == [18_690, 18_691])
        // A warning of 40,000 years costs no more than the visit is long.
        let endless = try #require(CheckInRecord(start: 0, period: Int64(Int32.max), level: 1))
        #expect(WarningMatcher.matches(stay, endless).map(\.minutes) == [240, 240])
    }

    @Test func bothVersionsMatchTheSame() throws {
        let visits = [
            try visit(1, place, Samples.time(9), Samples.time(10)),
            try visit(2, place, Samples.time(9, 30), Samples.time(10)),
            try visit(3, other, Samples.time(9), Samples.time(10)),
            try visit(4, place, Samples.time(9), Samples.time(10), isSubmitted: true),
        ]
        let matcher = WarningMatcher(visits)
        #expect(matcher.wanted == [place.hash, other.hash])
        let record = try Samples.record(9, period: 6, level: 5)
        let vector = [UInt8](repeating: 9, count: 16)
        let report = try ProtectedReport(record, location: place, initializationVector: vector)
        // The hash of one place and the keys of another: whoever has a code may try that.
        let swapped = try ProtectedReport(
            locationIDHash: other.hash, initializationVector: vector, encryptedRecord: report.encryptedRecord,
            messageCode: report.messageCode)
        let plain = try TraceWarningPackage(
            decoding: TraceWarningPackage.encoded(
                hour: 5, region: "DE", warnings: [.init(locationIDHash: place.hash, record: record)]),
            wanted: matcher.wanted)
        let protected = try TraceWarningPackage(
            decoding: TraceWarningPackage.encoded(hour: 5, region: "DE", reports: [swapped, report]), wanted: matcher.wanted
        )
        let expected = [(1, 60), (2, 30)].map {
            PresenceMatch(visit: $0.0, day: UTCDay(number: 18_690), minutes: Int64($0.1), level: 5)
        }
        #expect(matcher.matches(plain) == expected)
        #expect(matcher.matches(protected) == expected)
        #expect(WarningMatcher([]).wanted.isEmpty)
    }

    @Test func onlyWantedPlacesAreKept() throws {
        let record = try Samples.record(9, period: 6)
        let bytes = TraceWarningPackage.encoded(
            hour: 448_000, region: "DE",
            warnings: [
                .init(locationIDHash: place.hash, record: record), .init(locationIDHash: other.hash, record: record),
            ],
            reports: [try ProtectedReport(record, location: other, initializationVector: [UInt8](repeating: 1, count: 16))])
        let all = try TraceWarningPackage(decoding: bytes, wanted: nil)
        #expect(all.hour == 448_000 && all.region == "DE" && all.warnings.count == 2 && all.reports.count == 1)
        let some = try TraceWarningPackage(decoding: bytes, wanted: [place.hash])
        #expect(some.warnings.count == 1 && some.reports.isEmpty && some.count == 3 && some.implausible == 0)
        let none = try TraceWarningPackage(decoding: TraceWarningPackage.encoded(hour: 1, region: ""), wanted: [])
        #expect(none.count == 0 && none.hour == 1)
    }

    @Test func aSlipOfTheServerCostsNobodyTheOtherWarnings() throws {
        let record = try Samples.record(9, period: 6)
        let good = TraceWarningPackage.encoded(
            hour: 1, region: "DE", warnings: [.init(locationIDHash: place.hash, record: record)])
        // Warnings without a hash and without a period, a report without anything.
        let bytes = [0x1A, 6, 0x10, 1, 0x18, 1, 0x20, 1, 0x1A, 36, 0x0A, 32] + place.hash + [0x20, 1, 0x22, 0] + good
        let package = try TraceWarningPackage(decoding: bytes, wanted: nil)
        #expect(package.count == 4 && package.implausible == 3 && package.warnings.count == 1)
    }

    @Test func malformedPackages() throws {
        for (index, bytes): (Int, [UInt8]) in [
            [0x0A], [0x08], [0x0A, 1, 1], [0x12, 1, 0xFF], [0x18, 1], [0x20, 1], [0x1A, 2, 0x08, 1], [0x1A, 1, 0x0A],
            [0x22, 2, 0x08, 1],
            [0x22, 5, 0x0A], [0x80],
        ].enumerated() {
            #expect(
                Samples.refusal { _ = try TraceWarningPackage(decoding: bytes, wanted: nil) } == .malformedPackage,
                "row \(index)")
        }
    }

    @Test func limitsHold() throws {
        let record = try Samples.record(9, period: 6)
        let entry = TraceWarningPackage.encoded(
            hour: 0, region: "", warnings: [.init(locationIDHash: place.hash, record: record)])
        var limits = TraceWarningPackage.Limits()
        limits.maximumWarnings = 10
        let ten = Array(repeatElement(entry, count: 10).joined())
        #expect(try TraceWarningPackage(decoding: ten, wanted: nil, limits: limits).count == 10)
        #expect(
            Samples.refusal { _ = try TraceWarningPackage(decoding: ten + entry, wanted: nil, limits: limits) }
                == .tooManyWarnings)
        limits.maximumBytes = ten.count - 1
        #expect(
            Samples.refusal { _ = try TraceWarningPackage(decoding: ten, wanted: nil, limits: limits) } == .packageTooLarge)
        // A million empty warnings: refused at the limit, not at the end.
        let million = Array(repeatElement([0x1A, 0] as [UInt8], count: 1_000_000).joined())
        #expect(Samples.refusal { _ = try TraceWarningPackage(decoding: million, wanted: []) } == .tooManyWarnings)
        let huge = [UInt8](repeating: 0, count: TraceWarningPackage.Limits.standard.maximumBytes + 1)
        #expect(Samples.refusal { _ = try TraceWarningPackage(decoding: huge, wanted: []) } == .packageTooLarge)
    }

    @Test func onlySignedPackagesOfTheHourAreTaken() throws {
        let (key, stranger) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        func trust(_ role: KeyRole, until: Int64? = nil) throws -> TrustStore {
            try TrustStore(keys: [
                TrustedKey(name: KeyName(id: "262", version: "v1"), role: role, key: key.verificationKey, validUntil: until)
            ])
        }
        let bin = TraceWarningPackage.encoded(hour: 448_000, region: "DE")
        // TEKSignatureList with an entry for each signature; every length is below 128.
        func list(_ signatures: [[UInt8]]) -> [UInt8] {
            signatures.flatMap { [0x0A, UInt8($0.count + 2), 0x22, UInt8($0.count)] + $0 }
        }
        let (good, bad) = (try key.sign(SHA256.digest(of: bin)), try stranger.sign(SHA256.digest(of: bin)))
        func refusal(
            _ bin: [UInt8], _ sig: [UInt8], _ trust: TrustStore, hour: UInt32 = 448_000, time: Int64? = 100
        ) -> PresenceTracingError.Code? {
            Samples.refusal {
                _ = try TraceWarningPackage(
                    exportBin: bin, exportSig: sig, trust: trust, time: time, hour: hour, wanted: nil)
            }
        }
        #expect(refusal(bin, list([good]), try trust(.export)) == nil)
        #expect(refusal(bin, list([bad, good]), try trust(.export)) == nil)
        #expect(refusal(bin, list([bad]), try trust(.export)) == .noTrustedSignature)
        #expect(refusal(bin, list([good]), try trust(.config)) == .noTrustedSignature)
        #expect(refusal(bin, list([good]), try trust(.export, until: 100)) == .noTrustedSignature)
        #expect(refusal(bin, list([good]), try trust(.export, until: 100), time: nil) == nil)
        #expect(refusal(bin, [], try trust(.export)) == .noTrustedSignature)
        #expect(refusal(bin, [0xFF], try trust(.export)) == .noTrustedSignature)
        #expect(refusal(bin + [0x18, 0], list([good]), try trust(.export)) == .noTrustedSignature)
        #expect(refusal(bin, list([good]), try trust(.export), hour: 448_001) == .wrongHour)
        // What cannot be read is told apart from what is not signed.
        let broken: [UInt8] = [0x0A]
        #expect(refusal(broken, list([try key.sign(SHA256.digest(of: broken))]), try trust(.export)) == .malformedPackage)
        #expect(
            refusal(broken, list([try stranger.sign(SHA256.digest(of: broken))]), try trust(.export)) == .noTrustedSignature
        )
    }
}
