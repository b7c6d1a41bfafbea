// SPDX-License-Identifier: Apache-2.0

import GAEN
import KeyExport
import SQLiteFile
import Testing
import Verification

/// The second TAN of a warning, for the rest of its day: given once, used once, for nothing else, and without a word of the first.
@Suite struct RemainderTests {
    private final class Shelf: KeyTaking {
        var keys: [ExportedKey] = []
        func take(
            _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
        ) throws(VerificationError) -> TakenSubmission {
            keys += accepted.keys
            return TakenSubmission(keys: accepted.keys.count)
        }
    }

    private static let credential = "0d5a7a2e-1111-4222-8333-944445555666"

    /// A scene with a registered positive test; gives its token.
    private func positive() throws -> (VerificationScene, String) {
        let scene = try VerificationScene()
        let teleTAN = try scene.server.issueTeleTAN(.test, now: scene.now)
        let key = try VerificationServer.key(teleTAN, type: "TELETAN", birth: nil)
        return (scene, try scene.server.register(key, now: scene.now))
    }

    @Test func itIsGoodForTheRestOfADayOnce() throws {
        let (scene, token) = try positive()
        let name = VerificationScene.name(1)
        let tan = try scene.server.tan(token: token, request: name, remainder: Self.credential, now: scene.now)
        // A TAN of its own: not for a warning, and not by asking for "any".
        #expect(code { _ = try scene.server.confirmTAN(Self.credential, type: .test, now: scene.now) } == .invalidTAN)
        #expect(code { _ = try scene.server.confirmTAN(Self.credential, now: scene.now) } == .invalidTAN)
        #expect(try scene.server.confirmTAN(tan, type: .test, now: scene.now) == .test)
        let late = scene.now + scene.rules.remainderSeconds
        #expect(
            try scene.server.confirmTAN(Self.credential.uppercased(), type: .remainder, request: [1], now: late)
                == .remainder)
        #expect(try scene.server.confirmTAN(Self.credential, type: .remainder, request: [1], now: late) == .remainder)
        #expect(
            code { _ = try scene.server.confirmTAN(Self.credential, type: .remainder, request: [2], now: late) }
                == .invalidTAN)
        #expect(
            code { _ = try scene.server.confirmTAN(Self.credential, type: .remainder, request: [1], now: late + 3_600) }
                == .invalidTAN)
    }

    /// One for one positive result, however often somebody asks and whatever they name.
    @Test func nobodyGetsASecondOne() throws {
        let (scene, token) = try positive()
        let name = VerificationScene.name(1)
        let others = (0..<8).map { "0d5a7a2e-1111-4222-8333-94444555566\($0)" }
        _ = try scene.server.tan(token: token, request: name, remainder: Self.credential, now: scene.now)
        for other in others { _ = try scene.server.tan(token: token, request: name, remainder: other, now: scene.now) }
        for other in others where other != Self.credential {
            #expect(code { _ = try scene.server.confirmTAN(other, type: .remainder, now: scene.now) } == .invalidTAN)
        }
        #expect(
            code { _ = try scene.server.tan(token: token, request: name, remainder: "x", now: scene.now) }
                == .malformedRequest)
        // Without a positive result there is none; and teleTANs for it there are not at all.
        let pending = try scene.register(3)
        #expect(code { _ = try scene.server.tan(token: pending, remainder: others[0], now: scene.now) } == .notPositive)
        #expect(code { _ = try scene.server.confirmTAN(others[0], type: .remainder, now: scene.now) } == .invalidTAN)
        #expect(code { _ = try scene.server.issueTeleTAN(.remainder, now: scene.now) } == .malformedRequest)
    }

    /// Another's TAN that somebody names as theirs stays what it was.
    @Test func aKnownTANIsNotReplaced() throws {
        let (scene, token) = try positive()
        let first = try scene.server.tan(token: token, now: scene.now)
        let teleTAN = try scene.server.issueTeleTAN(.test, now: scene.now)
        let other = try scene.server.register(VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), now: scene.now)
        _ = try scene.server.tan(token: other, remainder: first, now: scene.now)
        #expect(try scene.server.confirmTAN(first, type: .test, now: scene.now) == .test)
    }

    /// What a copy of the database shows: no row has both, and the second one's end is that of the hour, with whoever else had one then.
    @Test func nothingStoredJoinsTheTwo() throws {
        let scene = try VerificationScene()
        var now = scene.now
        for index in 0..<20 {
            now += 137
            let teleTAN = try scene.server.issueTeleTAN(.test, now: now)
            let token = try scene.server.register(VerificationServer.key(teleTAN, type: "TELETAN", birth: nil), now: now)
            let digits = index < 10 ? "0\(index)" : "\(index)"
            _ = try scene.server.tan(
                token: token, request: VerificationScene.name(index),
                remainder: "0d5a7a2e-1111-4222-8333-9444455556\(digits)",
                now: now)
        }
        let database = try SQLiteDatabase<VerificationError>(
            path: scene.path + "/verification.db", schema: SQLiteSchema(version: 2, statements: []))
        var ends: [String: [Int64]] = [:]
        var codes: [String: Set<[UInt8]>] = [:]
        try database.run("SELECT type, expiry, code FROM tan") { row in
            ends[row[0].text ?? "", default: []].append(row[1].integer ?? 0)
            codes[row[0].text ?? "", default: []].insert(row[2].blob ?? [])
        }
        #expect(ends["TEST"]?.count == 20 && ends["REMAINDER"]?.count == 20)
        #expect(ends["REMAINDER"]?.allSatisfy { $0 % 3_600 == 0 } == true)
        #expect(Set(ends["REMAINDER"] ?? []).count <= 2 && Set(ends["TEST"] ?? []).count <= 2)
        // Registrations name the first only.
        var named: Set<[UInt8]> = []
        try database.run("SELECT tan FROM registration") { row in named.insert(row[0].blob ?? []) }
        #expect(named == codes["TEST"] && named.isDisjoint(with: codes["REMAINDER"] ?? []))
    }

    private func body(_ days: [Int64], count: UInt8 = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        func varint(_ value: UInt64) -> [UInt8] {
            var (value, result) = (value, [UInt8]())
            repeat {
                result.append(UInt8(value & 127) | (value > 127 ? 128 : 0))
                value >>= 7
            } while value > 0
            return result
        }
        for (index, day) in days.enumerated() {
            let key =
                [10, 16] + [UInt8](repeating: UInt8(index) + count, count: 16) + [16, 6, 24]
                + varint(UInt64(day * 144)) + [32] + varint(144)
            bytes += [10, UInt8(key.count)] + key
        }
        return bytes
    }

    @Test func aSubmissionWithItIsOfOneDayThatIsOver() throws {
        let (scene, token) = try positive()
        _ = try scene.server.tan(
            token: token, request: VerificationScene.name(1), remainder: Self.credential, now: scene.now)
        let shelf = Shelf()
        let submission = SubmissionServer(rules: SubmissionRules(), tans: scene.server, taker: shelf)
        let today = scene.now / 86_400
        let tomorrow = scene.now + 86_400
        // Not what another warning would be: today, two days, a fortnight, long ago.
        for days in [[today + 1], [today, today - 1], Array(today - 13...today), [today - 5]] {
            #expect(
                code { _ = try submission.submit(body(days), tan: Self.credential, now: tomorrow) } == .invalidTAN,
                "\(days)")
        }
        #expect(shelf.keys.isEmpty)
        _ = try submission.submit(body([today]), tan: Self.credential, now: tomorrow)
        // The same bytes again are the same submission; others are none.
        _ = try submission.submit(body([today]), tan: Self.credential, now: tomorrow)
        #expect(
            code { _ = try submission.submit(body([today], count: 9), tan: Self.credential, now: tomorrow) } == .invalidTAN)
        #expect(Set(shelf.keys.map(\.data)).count == 1)
    }
}
