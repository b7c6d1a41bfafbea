// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import GAEN
import KeyExport
import PresenceTracing
import RandomValues
import Testing

/// Content for submissions, the same in every run.
enum Samples {
    static let day: UInt32 = 18_600

    static func keys(_ count: Int, using random: inout SeededGenerator) throws -> [DiagnosisKey] {
        let keys = try (0..<count).map { age in
            try #require(
                DiagnosisKey(
                    data: Block(low: random.next(), high: random.next()),
                    rollingStart: ENIN((day - UInt32(age)) * ENIN.perDay), rollingPeriod: age == 0 ? 77 : ENIN.perDay))
        }
        return SubmissionPayload.keys(keys, stating: .since(daysAgo: 3), day: day)
    }

    static func report(using random: inout SeededGenerator) throws -> ProtectedReport {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        return try ProtectedReport(
            locationIDHash: bytes(32), initializationVector: bytes(16), encryptedRecord: bytes(16), messageCode: bytes(32))
    }

    static func payload(_ keyCount: Int, reports: Int = 0, using random: inout SeededGenerator) throws -> SubmissionPayload
    {
        var payload = SubmissionPayload(keys: try keys(keyCount, using: &random))
        payload.visitedCountries = ["DE", "FR", "IT", "PL"].shuffled(using: &random).dropLast(
            Int.random(in: 0...4, using: &random))
        payload.consentToFederation = Bool.random(using: &random)
        payload.kind = Bool.random(using: &random) ? .pcrTest : .rapidTest
        payload.reports = try (0..<reports).map { _ in try report(using: &random) }
        return payload
    }
}

@Suite struct SubmissionPayloadTests {
    @Test func isReadAsItWasWrittenAndAlwaysOfOneLength() throws {
        var random = SeededGenerator(seed: 1)
        for keyCount in 0...14 {
            for reports in [0, 1, 7, 32] {
                let payload = try Samples.payload(keyCount, reports: reports, using: &random)
                let bytes = try payload.encoded(as: .standard, using: &random)
                #expect(bytes.count == 4_096)
                #expect(try SubmissionPayload(decoding: bytes) == payload)
            }
        }
        #expect(try SubmissionPayload.fake.encoded(as: .standard, using: &random).count == 4_096)
    }

    /// Also where the length of the padding needs one byte more, and with every period, level and day there can be.
    @Test func everyRoomIsFilledExactly() throws {
        var random = SeededGenerator(seed: 2)
        var payload = try Samples.payload(14, using: &random)
        payload.visitedCountries = []
        var lengths: Set<Int> = []
        for extra in 0...600 {
            payload.origin = String(repeating: "x", count: extra)
            let bytes = try payload.encoded(as: SubmissionShape(bytes: 1_024), using: &random)
            #expect(bytes.count == 1_024)
            #expect(try SubmissionPayload(decoding: bytes) == payload)
            lengths.insert(extra)
            if extra > 500 { break }
        }
        #expect(lengths.count == 502)
        for bytes in [16_384, 16_400, 65_536] {
            #expect(try payload.encoded(as: SubmissionShape(bytes: bytes), using: &random).count == bytes)
        }
        payload.origin = String(repeating: "x", count: 1_020)
        #expect(throws: DiagnosisPlanError(.doesNotFit)) {
            try payload.encoded(as: SubmissionShape(bytes: 1_024), using: &random)
        }
    }

    @Test func keysGetLevelsByAgeNewestFirst() throws {
        let all = try (0..<20).map { age in
            try #require(
                DiagnosisKey(
                    data: Block(low: UInt64(age)), rollingStart: ENIN((Samples.day + 1 - UInt32(age)) * ENIN.perDay)))
        }
        let keys = SubmissionPayload.keys(all.reversed(), stating: .since(daysAgo: 0), day: Samples.day)
        #expect(keys.map(\.data.low) == Array(1...14))
        #expect(keys.map(\.transmissionRiskLevel) == [8, 8, 7, 6, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(keys.compactMap(\.daysSinceOnset) == (0..<14).map { -$0 })
        try SubmissionPayload(keys: keys).check()
    }

    /// A day on which keys were released has several: all are sent, each from midnight on and each to its own end. Beyond 14, those stay that
    /// warn most.
    @Test func allKeysOfADayAreSent() throws {
        func key(_ number: UInt64, _ age: UInt32, from: UInt32, to: UInt32) throws -> DiagnosisKey {
            try #require(
                DiagnosisKey(
                    data: Block(low: number), rollingStart: ENIN((Samples.day - age) * ENIN.perDay + from),
                    rollingPeriod: to - from))
        }
        var random = SeededGenerator(seed: 5)
        let several = [
            try key(1, 0, from: 0, to: 61), try key(2, 0, from: 61, to: 80), try key(3, 1, from: 0, to: 10),
            try key(4, 1, from: 10, to: 144),
        ]
        let sent = SubmissionPayload.keys(several.shuffled(using: &random), stating: .noStatement, day: Samples.day)
        #expect(Set(sent.map(\.data.low)) == [1, 2, 3, 4])
        #expect(sent.allSatisfy { $0.rollingStart.number.isMultiple(of: ENIN.perDay) })
        for one in sent {
            #expect(
                several.contains { $0.data == one.data && ($0.end, $0.rollingStart.day) == (one.end, one.rollingStart.day) }
            )
        }
        #expect(sent.map(\.rollingStart.day) == [0, 0, 1, 1].map { Samples.day - $0 })
        #expect(sent.map(\.transmissionRiskLevel) == [5, 5, 6, 6])
        try SubmissionPayload(keys: sent).check()

        // 14 whole days, and two more keys of yesterday: level 1 goes before a short key of level 6 does.
        let many = several + (try (2..<14).map { try key(100 + UInt64($0), $0, from: 0, to: 144) })
        let kept = SubmissionPayload.keys(many.shuffled(using: &random), stating: .noStatement, day: Samples.day)
        #expect(kept.count == 14)
        #expect(Set(kept.map(\.data.low)).isSuperset(of: [1, 2, 3, 4]))
        #expect(
            kept.filter { $0.transmissionRiskLevel >= 3 }.count
                == many.filter { Samples.day - $0.rollingStart.day <= 7 }.count)
        try SubmissionPayload(keys: kept).check()
    }

    @Test func rulesOfServersAreKnownBefore() throws {
        var random = SeededGenerator(seed: 3)
        let good = try Samples.payload(14, using: &random)
        try good.check()
        func code(_ change: (inout SubmissionPayload) -> Void) -> DiagnosisPlanError.Code? {
            var payload = good
            change(&payload)
            do throws(DiagnosisPlanError) {
                try payload.check()
                return nil
            } catch { return error.code }
        }
        #expect(code { $0.keys = [] } == .noKeys)
        #expect(code { $0.keys.append($0.keys[0]) } == .tooManyKeys)
        #expect(code { $0.keys[3] = $0.keys[2] } == .malformedKey)
        #expect(code { $0.keys[3].rollingStart = $0.keys[2].rollingStart } == nil)
        #expect(code { $0.keys[3].data = $0.keys[2].data } == .malformedKey)
        #expect(code { $0.keys[3].rollingStart = ENIN($0.keys[3].rollingStart.number + 1) } == .malformedKey)
        #expect(code { $0.keys[3].daysSinceOnset = 4_001 } == .malformedKey)
        #expect(code { $0.keys[3].daysSinceOnset = -16 } == .malformedKey)
        #expect(code { $0.keys[3].daysSinceOnset = nil } == nil)
        #expect(
            code {
                $0.keys[3].daysSinceOnset = nil
                $0.keys[3].transmissionRiskLevel = 0
            } == .malformedKey)
        #expect(code { $0.visitedCountries = ["de"] } == .malformedCountry)
        #expect(code { $0.visitedCountries = Array(repeating: "DE", count: 65) } == .malformedCountry)
        #expect(code { $0.origin = "DEU" } == .malformedCountry)
        #expect(code { $0.origin = "" } == nil)
        // A report of other lengths, alone in a submission.
        var writer = ProtobufWriter()
        writer.data(8, [10, 1, 0])
        #expect(throws: DiagnosisPlanError(.malformedReport)) { try SubmissionPayload(decoding: writer.bytes) }
    }

    @Test func bytesOfAnybodyAreReadOrRefused() throws {
        var random = SeededGenerator(seed: 4)
        let right = try Samples.payload(14, reports: 3, using: &random).encoded(as: .standard, using: &random)
        for round in 0..<1_000 {
            var bytes = right
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<1_200, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 1...4_000, using: &random)) }
            guard let payload = try? SubmissionPayload(decoding: bytes) else { continue }
            // Padding is gone; everything else that was understood can be said again.
            guard let again = try? payload.encoded(as: .standard, using: &random) else { continue }
            #expect(try SubmissionPayload(decoding: again) == payload)
        }
        #expect(throws: DiagnosisPlanError(.malformedSubmission)) {
            try SubmissionPayload(decoding: [UInt8](repeating: 0, count: 100_001))
        }
        #expect(throws: DiagnosisPlanError(.malformedSubmission)) { try SubmissionPayload(decoding: [0x0A, 0xFF]) }
        #expect(throws: DiagnosisPlanError(.malformedKey)) { try SubmissionPayload(decoding: [0x0A, 0]) }
        #expect(try SubmissionPayload(decoding: []).keys.isEmpty)
    }

    /// A key as other software writes it: fields in another order, days since onset negative.
    @Test func fieldsMayComeInAnyOrder() throws {
        let key: [UInt8] = [0x30, 0x05, 0x20, 0x90, 0x01, 0x18, 0x90, 0x01, 0x10, 0x08, 0x0A, 16] + Array(1...16)
        let payload = try SubmissionPayload(decoding: [0x38, 1, 0x0A, UInt8(key.count)] + key)
        let read = try #require(payload.keys.first)
        #expect(read.daysSinceOnset == -3 && read.rollingPeriod == 144 && read.rollingStart == ENIN(144))
        #expect(read.transmissionRiskLevel == 8 && read.data.bytes == Array(1...16))
        #expect(payload.kind == .rapidTest)
    }

    /// Keys were released in the morning and got lost, and again in the evening: all of the day are sent, each from midnight, with the end that
    /// it has; what a server would refuse does not come about.
    @Test func everyKeyOfEachDay() throws {
        let midnight = ENIN(Samples.day * ENIN.perDay)
        func key(_ byte: UInt8, _ start: UInt32, _ period: UInt32, daysAgo: UInt32 = 0) throws -> DiagnosisKey {
            let data = try #require(Block([UInt8](repeating: byte, count: 16)))
            return try #require(
                DiagnosisKey(
                    data: data, rollingStart: ENIN(midnight.number - daysAgo * ENIN.perDay + start), rollingPeriod: period))
        }
        let all = [
            try key(1, 0, 20), try key(2, 20, 60), try key(3, 80, 10), try key(4, 30, 114, daysAgo: 1),
            try key(5, 0, 144, daysAgo: 2),
        ]
        for order in [all, all.reversed()] {
            let keys = SubmissionPayload.keys(order, stating: .noSymptoms, day: Samples.day)
            #expect(keys.map(\.data.bytes.first) == [3, 2, 1, 4, 5])
            #expect(keys.map(\.rollingStart) == [0, 0, 0, 1, 2].map { ENIN(midnight.number - $0 * ENIN.perDay) })
            #expect(keys.map(\.rollingPeriod) == [90, 80, 20, 144, 144])
            try SubmissionPayload(keys: keys).check()
        }
    }
}
