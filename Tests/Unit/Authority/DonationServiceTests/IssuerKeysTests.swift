// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Glibc
import PrivacyPass
import RandomValues
import SystemCalls
import TestKit
import Testing

@testable import DonationService

@Suite struct IssuerKeysTests {
    private let today = DonationScene.today

    /// The bytes of the database and its logs.
    private func bytes(_ folder: TemporaryFolder) throws -> [UInt8] {
        try folder.names.filter { $0.hasPrefix("keys.db") }.flatMap {
            try WholeFile.read(folder.file($0), limit: 1 << 26)
        }
    }

    private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        var from = bytes.startIndex
        while let found = bytes[from...].firstIndex(of: part[0]) {
            if bytes[found...].starts(with: part) { return true }
            from = found + 1
        }
        return false
    }

    @Test func twoKeysOfOneNameAreNeverLive() throws {
        let folder = try TemporaryFolder()
        let pool = DonationScene.keys
        // The same key again and again: only another one is taken.
        var order = [0, 0, 0, 1, 1, 0, 2].makeIterator()
        var made = 0
        let keys = try IssuerKeys(path: folder.file("keys.db")) {
            made += 1
            return pool[order.next() ?? 3]
        }
        try keys.keep(today: today, count: 3)
        #expect(keys.live.map(\.day.number) == [today.number, today.number + 1, today.number + 2])
        #expect(Set(keys.live.map(\.key.publicKey.truncatedID)).count == 3)
        #expect(made == 7)
        // All are there: none is made.
        try keys.keep(today: today, count: 3)
        #expect(made == 7)
    }

    @Test func keysAreThereAgainAfterAStart() throws {
        let folder = try TemporaryFolder()
        let keys = try DonationScene.issuerKeys(folder.file("keys.db"))
        try keys.keep(today: today, count: 3)
        let again = try IssuerKeys(path: folder.file("keys.db"))
        #expect(again.live.map(\.key.publicKey.id) == keys.live.map(\.key.publicKey.id))
    }

    /// Of each key a part of the middle is searched: the beginnings of all keys are alike.
    @Test func aKeyIsGoneFromTheDiskTwoDaysLater() throws {
        let folder = try TemporaryFolder()
        let keys = try DonationScene.issuerKeys(folder.file("keys.db"))
        try keys.keep(today: today, count: 3)
        let old = keys.live[0].key.encoded
        let other = keys.live[1].key.encoded
        let parts = stride(from: 300, to: old.count - 32, by: 32).map { Array(old[$0..<$0 + 32]) }
        let before = try bytes(folder)
        #expect(parts.allSatisfy { holds(before, $0) })
        let tomorrow = UTCDay(number: today.number + 1)
        try keys.keep(today: tomorrow, count: 2)
        #expect(keys.live.first?.day == today)
        #expect(keys.key(truncatedID: keys.live[0].key.publicKey.truncatedID, today: tomorrow) != nil)
        try keys.keep(today: UTCDay(number: today.number + 2), count: 1)
        let rest = try bytes(folder)
        #expect(!parts.contains { holds(rest, $0) })
        #expect(holds(rest, Array(other[300..<332])))
        #expect(keys.live.first?.day == tomorrow)
    }

    @Test func aKeyWhoseTokensAreOverSignsNothing() throws {
        let folder = try TemporaryFolder()
        let keys = try DonationScene.issuerKeys(folder.file("keys.db"))
        try keys.keep(today: today, count: 1)
        let id = keys.live[0].key.publicKey.truncatedID
        #expect(keys.key(truncatedID: id, today: today) != nil)
        #expect(keys.key(truncatedID: id, today: UTCDay(number: today.number + 2)) == nil)
    }
}
