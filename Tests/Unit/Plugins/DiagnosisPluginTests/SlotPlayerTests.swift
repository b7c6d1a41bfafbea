// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import FoundationEssentials
import GAEN
import Glibc
import HTTPClient
import Interfaces
import KeyExport
import Logging
import PluginKit
import RandomValues
import Testing

@testable import DiagnosisPlugin

/// Slots played against the real servers, over real sockets.
@Suite struct SlotPlayerTests {
    private let servers: Servers
    private let store: TestStore
    private let player: SlotPlayer
    private let service: DiagnosisService
    private let folder: String

    init() throws {
        servers = try Servers()
        folder = servers.folder + "/state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        store = try Self.store(folder)
        player = try Self.player(store, settings)
        service = try DiagnosisService(store: store, settings: settings)
    }

    private static func store(_ folder: String) throws -> TestStore {
        var random = SeededGenerator(seed: 1)
        return try TestStore(
            KeyValueStore(
                folder: folder, limit: TestStore.storeBytes, slotBytes: TestStore.slotBytes, hasPatches: true),
            using: &random)
    }

    private static func player(_ store: TestStore, _ settings: DiagnosisSettings) throws -> SlotPlayer {
        try SlotPlayer(
            store: store, settings: settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: SlotClock(factor: 500, origin: Int64(time(nil)))
        ) { try client() }
    }

    private static func client() throws -> HTTPClient { try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true)) }

    private func slot() throws { try player.play(Int64(time(nil)), Cancellation(), HTTPCancellation()) }

    /// Requests have names of their own: another for each `request` of a test.
    private func enter(_ key: RegistrationKey, request number: Int = 1) throws -> Int {
        var random = SeededGenerator(seed: number)
        let request = ExchangeRequest.requestName(using: &random)
        return try store.change { try $0.enter(key, kind: .pcr, request: request, at: Int64(time(nil))) }
    }

    /// What the core hands out, as it does.
    private static func keys(_ count: Int) -> [Release1.TemporaryExposureKey] {
        let today = Int64(time(nil)) / 86_400
        return (0..<count).map { age in
            .init(
                keyData: Base64.string((0..<16).map { UInt8($0 + age) }),
                rollingStartIntervalNumber: (today - 1 - Int64(age)) * 144, rollingPeriod: 144)
        }
    }

    private func agree(_ number: Int) throws -> WarningStage.Agreement {
        let agreement = WarningStage.Agreement(ticket: "t", symptoms: .since(daysAgo: 3), isFederated: true)
        try store.change { try $0.agree(number, agreement, at: Int64(time(nil))) }
        return agreement
    }

    /// From a hotline's number to keys on the authority's shelf: one slot to register and hear the result, one to warn.
    @Test func fromATeleTANToAWarning() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        #expect(store.registry.test(number)?.result?.meaning == .positive && store.registry.hasNews)
        let agreement = try agree(number)
        try service.prepare(number, agreement, Self.keys(5))
        #expect(servers.shelf.calls == 0)
        try slot()
        guard case .sent? = store.registry.test(number)?.warning else {
            Issue.record("\(String(describing: store.registry.test(number)?.warning))")
            return
        }
        #expect(servers.shelf.calls == 1 && servers.shelf.keys.count == 5)
        #expect(servers.shelf.keys.allSatisfy { $0.transmissionRiskLevel >= 1 && $0.hasOnset })
        // Nothing more to say, and nothing kept of the keys.
        #expect(store.registry.task(at: Int64(time(nil))) == nil)
        // Later slots are fakes, and change nothing. After each the plugin writes a whole slot of the file: two, and nothing of before is in any.
        for _ in 0..<2 {
            try slot()
            try store.rewrite()
        }
        let kept = try Data(contentsOf: URL(filePath: folder + "/store"))
        #expect(!String(decoding: kept, as: UTF8.self).contains("\"body\""))
        #expect(servers.shelf.calls == 1)
    }

    /// What anybody who sees the disk's figures could tell of the book.
    private struct Footprint: Hashable {
        let inode: UInt64
        let size: Int
        let blocks: Int
        let files: Set<String>
        let writes: Int
        let bytes: Int
    }

    private func footprint(of act: () throws -> Void) throws -> Footprint {
        let (before, bytesBefore) = (store.writeCount, store.writtenByteCount)
        try act()
        var status = stat()
        try #require(stat(folder + "/store", &status) == 0)
        return Footprint(
            inode: UInt64(status.st_ino), size: Int(status.st_size), blocks: Int(status.st_blocks),
            files: Set(try FileManager.default.contentsOfDirectory(atPath: folder)), writes: store.writeCount - before,
            bytes: store.writtenByteCount - bytesBefore)
    }

    /// A slot with nothing, one that registers, one after agreeing, the one that warns and one after it: the book is the same file of the same size, and
    /// written as often.
    @Test func noSlotShowsOnTheDiskWhatItWasFor() throws {
        var seen: [Footprint] = []
        // As the plugin: what it does after a slot is written once more, a whole slot of the file.
        func slot() throws {
            try self.slot()
            try store.rewrite()
        }
        for _ in 0..<2 { seen.append(try footprint { try slot() }) }
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        seen.append(try footprint { try slot() })
        #expect(store.registry.test(number)?.result?.meaning == .positive)
        let agreement = try agree(number)
        seen.append(try footprint { try slot() })
        try service.prepare(number, agreement, Self.keys(14))
        seen.append(try footprint { try slot() })
        guard case .sent? = store.registry.test(number)?.warning else {
            Issue.record("\(String(describing: store.registry.test(number)?.warning))")
            return
        }
        seen.append(try footprint { try slot() })
        // Withdrawn before it leaves.
        let other = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())), request: 2)
        seen.append(try footprint { try slot() })
        _ = try agree(other)
        _ = try store.change { $0.withdraw(other) }
        seen.append(try footprint { try slot() })
        #expect(Set(seen).count == 1, "\(seen)")
        #expect(seen[0].writes == 2 * Playbook.stepCount + 1 && seen[0].files == ["store"])
        // One block for each write of a step. With 48 slots a day that is 1.8 MB.
        #expect(seen[0].bytes == 2 * Playbook.stepCount * 4_096 + TestStore.slotBytes)
    }

    /// With a code from the laboratory: pending, then positive.
    @Test func fromACodeToAResult() throws {
        let code = try TestCode(scanned: "https://localhost/?123456-12345678-1234-4DA7-B166-B86D85475064")
        let number = try enter(RegistrationKey(code))
        try slot()
        #expect(store.registry.test(number)?.result?.meaning == .pending && !store.registry.hasNews)
        try servers.report(code.registrationKey, 1)
        // Asked again when it is due.
        try player.play(player.clock.now() + 7_201, Cancellation(), HTTPCancellation())
        #expect(store.registry.test(number)?.result?.meaning == .negative && store.registry.hasNews)
        #expect(throws: DiagnosisPlanError.self) { try agree(number) }
    }

    /// A second device cannot register the same test, and hears why.
    @Test func aCodeIsGoodOnce() throws {
        let teleTAN = try RegistrationKey(TeleTAN(typed: servers.teleTAN()))
        _ = try enter(teleTAN)
        try slot()
        let second = try enter(teleTAN, request: 2)
        try slot()
        #expect(store.registry.test(second)?.registration == .refused(.unknownOrUsed))
    }

    /// A step is written down before its second. What ends before that has not left, and counts for nothing.
    @Test func cancelledBeforeItLeft() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        let before = store.registry.test(number)
        let cancellation = Cancellation()
        var slow = player
        slow.clock = SlotClock(factor: 5, origin: Int64(time(nil)))
        Later.run(milliseconds: 200) { cancellation.cancel() }
        #expect(throws: CancellationError.self) { try slow.play(Int64(time(nil)), cancellation, HTTPCancellation()) }
        #expect(store.registry.test(number)?.registration == before?.registration && before != nil)
        try slot()
        #expect(store.registry.test(number)?.result?.meaning == .positive)
    }

    /// Withdrawn in those seconds: the slot is played as if there were nothing.
    @Test func withdrawnBeforeItLeft() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        try service.prepare(number, agree(number), Self.keys(2))
        var slow = player
        slow.clock = SlotClock(factor: 10, origin: Int64(time(nil)))
        let store = store
        Later.run(milliseconds: 100) { try? store.change { _ = $0.withdraw(number) } }
        try slow.play(Int64(time(nil)), Cancellation(), HTTPCancellation())
        #expect(store.registry.test(number)?.warning == .ended(.withdrawn) && servers.shelf.calls == 0)
    }

    /// The power goes before and after each step: the same story, once.
    @Test(arguments: 0..<12) func powerCutsAtEachStep(cut: Int) throws {
        var random = SeededGenerator(seed: 3)
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        var store = store
        let request = ExchangeRequest.requestName(using: &random)
        let key = try RegistrationKey(TeleTAN(typed: servers.teleTAN()))
        let number = try store.change { try $0.enter(key, kind: .pcr, request: request, at: Int64(time(nil))) }
        var step = 0
        // Whatever is written is the state after the cut; an answer that was not noted is lost.
        for _ in 0..<12 {
            store = try Self.store(folder)
            let player = try Self.player(store, settings)
            if store.registry.test(number)?.result?.meaning == .positive, store.registry.test(number)?.warning == nil {
                let agreement = WarningStage.Agreement(ticket: "t", symptoms: .noStatement, isFederated: false)
                try store.change { try $0.agree(number, agreement, at: Int64(time(nil))) }
                try DiagnosisService(store: store, settings: settings).prepare(number, agreement, Self.keys(3))
            }
            guard let task = store.registry.task(at: Int64(time(nil))) else { break }
            for call in Playbook(task.occasion).steps where call.isGenuine {
                guard let request = try? store.change({ try $0.begin(call.call, number, using: &random) }) else { break }
                defer { step += 1 }
                if step == cut { break }
                let outcome = try player.exchange(request, Self.client(), HTTPCancellation())
                if step + 6 == cut { break }
                let mayGoOn = try store.change {
                    $0.finish(call.call, number, outcome, .exactlyOnce, at: Int64(time(nil)))
                }
                if !mayGoOn { break }
            }
        }
        guard case .sent? = store.registry.test(number)?.warning else {
            Issue.record("cut \(cut): \(String(describing: store.registry.test(number)?.warning))")
            return
        }
        #expect(servers.shelf.calls >= 1 && servers.shelf.keys.count == 3)
    }

    /// The rest of the day: a second submission, by what the first request for a TAN named, wherever the power goes.
    @Test(arguments: 0..<4) func theRestOfTheDayArrivesOnce(cut: Int) throws {
        var random = SeededGenerator(seed: 4)
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        let now = Int64(time(nil))
        let rest = Release1.Remainder(from: now - 40_000, after: now - 1, until: now + 3_600)
        try service.prepare(number, agree(number), Self.keys(3), remainder: rest)
        #expect(store.registry.test(number)?.remainderHours == rest.from..<rest.after)
        let claim = try #require(store.registry.remaindersDue(at: now).first?.claim)
        let key = Release1.TemporaryExposureKey(
            keyData: Base64.string([UInt8](repeating: 201, count: 16)),
            rollingStartIntervalNumber: (now / 86_400 - 1) * 144 + 70,
            rollingPeriod: 74)
        // Before or after the warning itself is out.
        if cut < 2 { try service.prepareRemainder(number, claim, [key]) }
        try slot()
        #expect(servers.shelf.calls == 1 && servers.shelf.keys.count == 3)
        if cut >= 2 { try service.prepareRemainder(number, claim, [key]) }
        var calls = 2
        if cut > 0 {
            // The power goes before it leaves, or before the answer is noted.
            let request = try store.change { try $0.begin(.submission, number, using: &random) }
            if cut > 1 {
                calls += 1
                _ = try player.exchange(request, Self.client(), HTTPCancellation())
            }
        }
        let again = try Self.store(folder)
        try Self.player(again, settings).play(now, Cancellation(), HTTPCancellation())
        guard case .sent? = again.registry.test(number)?.remainder else {
            Issue.record("cut \(cut): \(String(describing: again.registry.test(number)?.remainder))")
            return
        }
        #expect(servers.shelf.calls == calls && servers.shelf.keys.count == 4)
        #expect(again.registry.task(at: now) == nil)
    }
}
