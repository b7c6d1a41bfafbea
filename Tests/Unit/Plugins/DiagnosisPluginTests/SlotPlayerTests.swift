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
import Testing

@testable import DiagnosisPlugin

/// Slots played against the real servers, over real sockets.
@Suite struct SlotPlayerTests {
    private let servers: Servers
    private let keeper: BookKeeper
    private let player: SlotPlayer
    private let doors: DiagnosisDoors
    private let folder: String

    init() throws {
        servers = try Servers()
        folder = servers.folder + "/state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        keeper = try Self.keeper(folder)
        player = try Self.player(keeper, settings)
        doors = try DiagnosisDoors(keeper: keeper, settings: settings)
    }

    private static func keeper(_ folder: String) throws -> BookKeeper {
        var random = SystemRandomNumberGenerator()
        return try BookKeeper(KeyValueStore(folder: folder, limit: BookKeeper.storeBytes), using: &random)
    }

    private static func player(_ keeper: BookKeeper, _ settings: DiagnosisSettings) throws -> SlotPlayer {
        try SlotPlayer(
            keeper: keeper, settings: settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: SlotClock(factor: 500, origin: Int64(time(nil)))
        ) { try client() }
    }

    private static func client() throws -> HTTPClient { try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true)) }

    private func slot() throws { try player.play(Int64(time(nil)), Cancellation(), HTTPCancellation()) }

    private func enter(_ key: RegistrationKey) throws -> Int {
        var random = SystemRandomNumberGenerator()
        let request = ExchangeRequest.requestName(using: &random)
        return try keeper.change { try $0.enter(key, kind: .pcr, request: request, at: Int64(time(nil))) }
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
        try keeper.change { try $0.agree(number, agreement, at: Int64(time(nil))) }
        return agreement
    }

    /// From a hotline's number to keys on the authority's shelf: one slot to register and hear the result, one to warn.
    @Test func fromATeleTANToAWarning() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        #expect(keeper.book.test(number)?.result?.meaning == .positive && keeper.book.hasNews)
        let agreement = try agree(number)
        try doors.prepare(number, agreement, Self.keys(5))
        #expect(servers.shelf.calls == 0)
        try slot()
        guard case .sent? = keeper.book.test(number)?.warning else {
            Issue.record("\(String(describing: keeper.book.test(number)?.warning))")
            return
        }
        #expect(servers.shelf.calls == 1 && servers.shelf.keys.count == 5)
        #expect(servers.shelf.keys.allSatisfy { $0.transmissionRiskLevel >= 1 && $0.hasOnset })
        // Nothing more to say, and nothing kept of the keys.
        #expect(keeper.book.task(at: Int64(time(nil))) == nil)
        let kept = try Data(contentsOf: URL(filePath: folder + "/store"))
        #expect(String(decoding: kept, as: UTF8.self).utf8.count < 2_000)
        // Later slots are fakes, and change nothing.
        try slot()
        #expect(servers.shelf.calls == 1)
    }

    /// With a code from the laboratory: pending, then positive.
    @Test func fromACodeToAResult() throws {
        let code = try TestCode(scanned: "https://localhost/?123456-12345678-1234-4DA7-B166-B86D85475064")
        let number = try enter(RegistrationKey(code))
        try slot()
        #expect(keeper.book.test(number)?.result?.meaning == .pending && !keeper.book.hasNews)
        try servers.report(code.registrationKey, 1)
        // Asked again when it is due.
        try player.play(player.clock.now() + 7_201, Cancellation(), HTTPCancellation())
        #expect(keeper.book.test(number)?.result?.meaning == .negative && keeper.book.hasNews)
        #expect(throws: DiagnosisPlanError.self) { try agree(number) }
    }

    /// A second device cannot register the same test, and hears why.
    @Test func aCodeIsGoodOnce() throws {
        let teleTAN = try RegistrationKey(TeleTAN(typed: servers.teleTAN()))
        _ = try enter(teleTAN)
        try slot()
        let second = try enter(teleTAN)
        try slot()
        #expect(keeper.book.test(second)?.registration == .refused(.unknownOrUsed))
    }

    /// A step is written down before its second. What ends before that has not left, and counts for nothing.
    @Test func cancelledBeforeItLeft() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        let before = keeper.book.test(number)
        let cancellation = Cancellation()
        var slow = player
        slow.clock = SlotClock(factor: 5, origin: Int64(time(nil)))
        Later.run(milliseconds: 200) { cancellation.cancel() }
        #expect(throws: CancellationError.self) { try slow.play(Int64(time(nil)), cancellation, HTTPCancellation()) }
        #expect(keeper.book.test(number)?.registration == before?.registration && before != nil)
        try slot()
        #expect(keeper.book.test(number)?.result?.meaning == .positive)
    }

    /// Withdrawn in those seconds: the slot is played as if there were nothing.
    @Test func withdrawnBeforeItLeft() throws {
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        try doors.prepare(number, agree(number), Self.keys(2))
        var slow = player
        slow.clock = SlotClock(factor: 10, origin: Int64(time(nil)))
        let keeper = keeper
        Later.run(milliseconds: 100) { try? keeper.change { _ = $0.withdraw(number) } }
        try slow.play(Int64(time(nil)), Cancellation(), HTTPCancellation())
        #expect(keeper.book.test(number)?.warning == .ended(.withdrawn) && servers.shelf.calls == 0)
    }

    /// The power goes before and after each step: the same story, once.
    @Test(arguments: 0..<12) func powerCutsAtEachStep(cut: Int) throws {
        var random = SystemRandomNumberGenerator()
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        var keeper = keeper
        let request = ExchangeRequest.requestName(using: &random)
        let key = try RegistrationKey(TeleTAN(typed: servers.teleTAN()))
        let number = try keeper.change { try $0.enter(key, kind: .pcr, request: request, at: Int64(time(nil))) }
        var step = 0
        // Whatever is written is the state after the cut; an answer that was not noted is lost.
        for _ in 0..<12 {
            keeper = try Self.keeper(folder)
            let player = try Self.player(keeper, settings)
            if keeper.book.test(number)?.result?.meaning == .positive, keeper.book.test(number)?.warning == nil {
                let agreement = WarningStage.Agreement(ticket: "t", symptoms: .noStatement, isFederated: false)
                try keeper.change { try $0.agree(number, agreement, at: Int64(time(nil))) }
                try DiagnosisDoors(keeper: keeper, settings: settings).prepare(number, agreement, Self.keys(3))
            }
            guard let task = keeper.book.task(at: Int64(time(nil))) else { break }
            for call in Playbook(task.occasion).steps where call.isGenuine {
                guard let request = try? keeper.change({ try $0.begin(call.call, number, using: &random) }) else { break }
                defer { step += 1 }
                if step == cut { break }
                let outcome = try player.exchange(request, Self.client(), HTTPCancellation())
                if step + 6 == cut { break }
                let mayGoOn = try keeper.change {
                    $0.finish(call.call, number, outcome, .exactlyOnce, at: Int64(time(nil)))
                }
                if !mayGoOn { break }
            }
        }
        guard case .sent? = keeper.book.test(number)?.warning else {
            Issue.record("cut \(cut): \(String(describing: keeper.book.test(number)?.warning))")
            return
        }
        #expect(servers.shelf.calls >= 1 && servers.shelf.keys.count == 3)
    }

    /// The rest of the day: a second submission, by what the first request for a TAN named, wherever the power goes.
    @Test(arguments: 0..<4) func theRestOfTheDayArrivesOnce(cut: Int) throws {
        var random = SystemRandomNumberGenerator()
        let settings = try JSONDecoder().decode(DiagnosisSettings.self, from: Data(servers.settings.utf8))
        let number = try enter(RegistrationKey(TeleTAN(typed: servers.teleTAN())))
        try slot()
        let now = Int64(time(nil))
        let rest = Release1.Remainder(from: now - 40_000, after: now - 1, until: now + 3_600)
        try doors.prepare(number, agree(number), Self.keys(3), remainder: rest)
        #expect(keeper.book.test(number)?.remainderHours == rest.from..<rest.after)
        let claim = try #require(keeper.book.remaindersDue(at: now).first?.claim)
        let key = Release1.TemporaryExposureKey(
            keyData: Base64.string([UInt8](repeating: 201, count: 16)),
            rollingStartIntervalNumber: (now / 86_400 - 1) * 144 + 70,
            rollingPeriod: 74)
        // Before or after the warning itself is out.
        if cut < 2 { try doors.prepareRemainder(number, claim, [key]) }
        try slot()
        #expect(servers.shelf.calls == 1 && servers.shelf.keys.count == 3)
        if cut >= 2 { try doors.prepareRemainder(number, claim, [key]) }
        var calls = 2
        if cut > 0 {
            // The power goes before it leaves, or before the answer is noted.
            let request = try keeper.change { try $0.begin(.submission, number, using: &random) }
            if cut > 1 {
                calls += 1
                _ = try player.exchange(request, Self.client(), HTTPCancellation())
            }
        }
        let again = try Self.keeper(folder)
        try Self.player(again, settings).play(now, Cancellation(), HTTPCancellation())
        guard case .sent? = again.book.test(number)?.remainder else {
            Issue.record("cut \(cut): \(String(describing: again.book.test(number)?.remainder))")
            return
        }
        #expect(servers.shelf.calls == calls && servers.shelf.keys.count == 4)
        #expect(again.book.task(at: now) == nil)
    }
}
