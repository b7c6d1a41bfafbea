// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PresenceTracing
import Testing

@Suite struct ReportTests {
    private let location = LocationID(payload: [1, 2, 3])
    private let vector = Array(0..<16 as Range<UInt8>)

    @Test func whatCanBe() {
        let table: [(Int64, Int64, Int64, Bool)] = [
            (0, 1, 1, true), (1, 1, 8, true), (Int64(Int32.max), Int64(Int32.max), 8, true), (-1, 1, 1, false),
            (0, 0, 1, false),
            (0, -1, 1, false), (0, 1, 0, false), (0, 1, 9, false), (0, 1, -1, false), (Int64(Int32.max) + 1, 1, 1, false),
            (Int64(UInt32.max), 1, 1, false), (0, Int64(UInt32.max), 1, false), (.max, .max, .max, false),
            (.min, 1, 1, false),
        ]
        for (start, period, level, expected) in table {
            #expect(
                (CheckInRecord(start: start, period: period, level: level) != nil) == expected,
                "\(start) \(period) \(level)")
        }
    }

    @Test func aReportIsReadByTheVenuesCodeOnly() throws {
        for (start, period, level) in [(0, 1, 1), (2_691_422, 144, 8), (2_147_483_647, 1, 3)] as [(Int64, Int64, Int64)] {
            let record = try #require(CheckInRecord(start: start, period: period, level: level))
            let report = try ProtectedReport(record, location: location, initializationVector: vector)
            #expect(report.locationIDHash == location.hash)
            #expect(try report.open(location) == record)
            #expect(Samples.refusal { _ = try report.open(LocationID(payload: [1, 2, 4])) } == .wrongKey)
            #expect(try ProtectedReport(decoding: report.encoded) == report)
        }
    }

    @Test func everyChangedBitIsNoticed() throws {
        let record = try #require(CheckInRecord(start: 2_691_422, period: 2, level: 8))
        let report = try ProtectedReport(record, location: location, initializationVector: vector)
        func changed(_ part: Int, _ index: Int) throws -> ProtectedReport {
            var parts = [report.locationIDHash, report.initializationVector, report.encryptedRecord, report.messageCode]
            parts[part][index] ^= 0x10
            return try ProtectedReport(
                locationIDHash: parts[0], initializationVector: parts[1], encryptedRecord: parts[2], messageCode: parts[3])
        }
        for (part, count) in [(1, 16), (2, 16), (3, 32)] {
            for index in 0..<count {
                #expect(Samples.refusal { _ = try changed(part, index).open(location) } == .wrongKey, "\(part) \(index)")
            }
        }
    }

    /// By somebody who has the code: the message code is right, the content is not.
    @Test func signedNonsenseIsRefused() throws {
        func report(_ plain: [UInt8]) throws -> ProtectedReport {
            let encrypted = try AES256CBC.encrypt(plain, key: location.encryptionKey, initializationVector: vector)
            let code = try HMACSHA256.code(for: vector + encrypted, key: location.codeKey)
            return try ProtectedReport(
                locationIDHash: location.hash, initializationVector: vector, encryptedRecord: encrypted, messageCode: code)
        }
        #expect(try report([0x08, 5, 0x10, 1, 0x18, 8]).open(location) == CheckInRecord(start: 5, period: 1, level: 8))
        for (index, plain): (Int, [UInt8]) in [
            [], [0x08, 5, 0x10, 0, 0x18, 8], [0x08, 5, 0x10, 1], [0x08, 5, 0x10, 1, 0x18, 9], [0x08],
            [0x0A, 1, 5, 0x10, 1, 0x18, 8],
            [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x10, 1, 0x18, 8],
        ].enumerated() {
            #expect(Samples.refusal { _ = try report(plain).open(location) } == .implausibleRecord, "row \(index)")
        }
        // Two blocks are no report at all.
        #expect(Samples.refusal { _ = try report([UInt8](repeating: 0, count: 16)) } == .malformedReport)
    }

    @Test func otherLengthsAreRefused() {
        func refusal(_ lengths: [Int]) -> PresenceTracingError.Code? {
            let parts = lengths.map { [UInt8](repeating: 1, count: $0) }
            return Samples.refusal {
                _ = try ProtectedReport(
                    locationIDHash: parts[0], initializationVector: parts[1], encryptedRecord: parts[2],
                    messageCode: parts[3])
            }
        }
        #expect(refusal([32, 16, 16, 32]) == nil)
        for lengths in [[31, 16, 16, 32], [32, 32, 16, 32], [32, 16, 32, 32], [32, 16, 16, 31], [0, 0, 0, 0]] {
            #expect(refusal(lengths) == .malformedReport, "\(lengths)")
        }
        for bytes: [UInt8] in [[], [0x0A], [0x08, 1], [0x0A, 1, 1]] {
            #expect(Samples.refusal { _ = try ProtectedReport(decoding: bytes) } == .malformedReport)
        }
    }
}
