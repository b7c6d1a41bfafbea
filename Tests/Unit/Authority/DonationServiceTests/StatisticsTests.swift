// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Donation
import JSON
import RandomValues
import TestKit
import Testing

@testable import DonationService

@Suite struct StatisticsTests {
    private let today = DonationScene.today

    private func store(_ donations: [[UInt8]], day: UTCDay? = nil) throws -> (TemporaryFolder, DonationStore) {
        let folder = try TemporaryFolder()
        let store = try DonationStore(path: folder.file("server.db"))
        for (number, body) in donations.enumerated() {
            let content = try #require(DonationBody.content(of: body))
            let nonce = withUnsafeBytes(of: number) { Array($0) }
            #expect(
                try store.take(
                    content: content, digest: nonce, key: [1], nonce: nonce, days: RedemptionRule.days(ofKey: day ?? today),
                    today: day ?? today)
                    == .stored)
        }
        return (folder, store)
    }

    @Test func smallCountsAndTheirComplementsAreNotTold() {
        let cases: [([Int], [Int?])] = [
            ([10, 20, 30], [10, 20, 30]),
            // Of two that are hidden the sum is known, and not each.
            ([4, 3, 30, 40], [nil, nil, 30, 40]),
            // One alone would be the rest.
            ([4, 20, 30, 40], [nil, nil, 30, 40]),
            // Together they are fewer than five people.
            ([1, 2, 30, 40], [nil, nil, nil, 40]),
            ([0, 0, 0, 50], [nil, nil, nil, nil]),
            // Eight can only be four and four.
            ([4, 4, 30, 40], [nil, nil, nil, 40]),
            ([5, 5], [5, 5]),
            ([4, 5], [nil, nil]),
        ]
        for (counts, told) in cases { #expect(DonationStatistics.told(counts) == told) }
    }

    /// Whoever knows the rule and the total tries every set of counts that would look the same: none of the hidden counts is certain.
    @Test func noHiddenCountCanBeComputed() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<60 {
            let counts = (0..<4).map { _ in Int.random(in: 0...9, using: &generator) }
            let told = DonationStatistics.told(counts)
            let hidden = told.indices.filter { told[$0] == nil }
            guard !hidden.isEmpty else { continue }
            let sum = hidden.reduce(0) { $0 + counts[$1] }
            // Below five in all, the day would not be told.
            guard sum >= DonationStatistics.smallestCell else {
                #expect(counts.reduce(0, +) < DonationStatistics.smallestCell)
                continue
            }
            var possible = hidden.map { _ in Set<Int>() }
            func go(_ rest: Int, _ chosen: [Int]) {
                guard chosen.count < hidden.count else {
                    guard rest == 0 else { return }
                    var candidate = counts
                    for (place, value) in zip(hidden, chosen) { candidate[place] = value }
                    guard DonationStatistics.told(candidate) == told else { return }
                    for (index, value) in chosen.enumerated() { possible[index].insert(value) }
                    return
                }
                for value in 0...rest { go(rest - value, chosen + [value]) }
            }
            go(sum, [])
            #expect(possible.allSatisfy { $0.count > 1 }, "\(counts)")
        }
    }

    @Test func donationsAreCountedByDay() throws {
        let bodies =
            try (0..<10).map { _ in try DonationScene.donation(.low) }
            + (0..<6).map { _ in try DonationScene.donation(.high, windows: 7) }
            + (0..<2).map { _ in try DonationScene.donation(.none, board: .kiosk, windows: 20) }
        let (folder, store) = try store(bodies)
        defer { withExtendedLifetime(folder) {} }
        // The day under way is not told.
        #expect(try DonationStatistics(store, today: today).days.isEmpty)
        let statistics = try DonationStatistics(store, today: UTCDay(number: today.number + 1))
        let day = try #require(statistics.days.first)
        #expect(statistics.days.count == 1)
        #expect(day.total == 18)
        #expect(day.cells[.riskLevel]?.map(\.count) == [nil, nil, nil, 6])
        #expect(day.cells[.boardClass]?.map(\.count) == [nil, nil, nil])
        #expect(statistics.csv.contains("2026-11-27,total,all,18\n"))
        #expect(statistics.csv.contains("2026-11-27,boardClass,kiosk,\n"))
        #expect(statistics.json["days"]?.array?.first?["total"]?.int == 18)
        #expect(statistics.json["days"]?.array?.first?["boardClass"]?["kiosk"] == .null)
        #expect(statistics.bars().contains("not told"))
    }

    @Test func aDayOfFourTellsNothing() throws {
        let (folder, store) = try store((0..<4).map { _ in try DonationScene.donation(.high) })
        defer { withExtendedLifetime(folder) {} }
        let statistics = try DonationStatistics(store, today: UTCDay(number: today.number + 1))
        #expect(statistics.days.map(\.total) == [nil])
        #expect(statistics.days.allSatisfy { $0.cells.values.allSatisfy { $0.allSatisfy { $0.count == nil } } })
        #expect(statistics.bars().contains("fewer than 5"))
    }
}
