// SPDX-License-Identifier: Apache-2.0

import Core
import FoundationEssentials
import GAEN
import RandomValues
import Testing
import TimeTrust
import Vault
import VirtualAir

/// A board that its battery stopped, and that is switched on again later: with the real store on a real disk, and the real time ladder.
@Suite struct BatterySwapTests {
    /// What the clock chip did while there was no power.
    enum Chip: CaseIterable {
        case keptTime
        /// It shows the year 2000, as many do.
        case lostTime
        /// It is not there, or its driver refuses to say.
        case silent
    }

    /// How long the first life lasts: three identifiers.
    private static let life: Int64 = 2_700

    @Test(arguments: [600, 3 * 86_400] as [Int64], Chip.allCases)
    func timeDoesNotGoBack(off: Int64, chip: Chip) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-swap-\(Unique.name())"
        for part in ["", "/data", "/keys"] {
            try FileManager.default.createDirectory(atPath: folder + part, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func disk() throws -> (data: any StorageMedium, keys: any StorageMedium) {
            (try PosixStorage(folder: folder + "/data"), try PosixStorage(folder: folder + "/keys"))
        }

        let first = try Bench(clock: Bench.right, on: disk())
        first.run(for: .seconds(Self.life))
        first.stop()
        let stopped = Bench.epoch + Self.life + 1
        #expect(first.broadcasts.count >= 3 && first.broadcasts.last?.end != nil, "it went off air before it went off")
        let before = Set(first.broadcasts.map(Bench.identifier))
        let floor = first.beacon.present(at: first.now).floor
        let keys = try #require(first.vault.schedule.current)

        let start = stopped + off
        let second = try Bench(seed: 2, on: disk(), start: start, boot: 3)
        switch chip {
        case .keptTime: second.set(.clockChip, to: start)
        case .lostTime: second.set(.clockChip, to: 946_684_800)
        case .silent: break
        }
        second.run(for: .seconds(1_800))
        let now = second.beacon.present(at: second.now)
        let time = try #require(now.time?.seconds)
        // Never before what it knew when it stopped, nor before its floor; never ahead of what is.
        #expect(time >= stopped + 1_798 && now.floor >= floor && time <= start + 1_802)
        #expect(now.state == .plausible)
        if chip == .keptTime {
            #expect(abs(time - (start + 1_800)) <= 2 && now.reason == .clockChip)
        } else {
            // It cannot know how long it was off: it goes on from where it was, as a swapped battery has it, and says so.
            #expect(abs(time - (stopped + 1_800)) <= 2 && now.reason == .holdOver)
            #expect((now.contradiction != nil) == (chip == .lostTime))
        }
        // On air, with none of the identifiers of before: no interval of a key is used twice.
        #expect(second.broadcasts.count >= 2)
        #expect(before.isDisjoint(with: second.broadcasts.map(Bench.identifier)))

        // A clock is heard: the time goes forwards, and the floor stays.
        second.set(.network, to: start + 1_800)
        second.run(for: .seconds(1_200))
        let later = second.beacon.present(at: second.now)
        #expect(abs(try #require(later.time?.seconds) - (start + 3_000)) <= 2 && later.floor >= floor)
        #expect(before.isDisjoint(with: second.broadcasts.map(Bench.identifier)))
        // The key of the first life is there still: none of these clocks may delete anything.
        let all = second.vault.schedule.past + [second.vault.schedule.current].compactMap { $0 }
        #expect(all.contains { $0.rollingStart == keys.rollingStart })
    }
}
