// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import DiagnosisPlugin
import Glibc
import HTTPClient
import Interfaces
import Logging
import PluginKit

/// One device's diagnosis plugin without its host: its own folder, seed and address, real slots over real TLS.
///
/// The day's time between slots is left out. Within a slot it passes `factor` times faster.
final class TrialDevice {
    /// What all devices of a trial have.
    struct Fleet: Sendable {
        let authorities: String
        let settings: DiagnosisSettings
        let density: SlotSchedule.Density
        let factor: Int64
        let fault: WireFault
        let way: WarningWay
    }

    private let fleet: Fleet
    private let address: String
    let store: TestStore
    let slots: [Int64]
    private var kept: HTTPClient?

    init(_ fleet: Fleet, folder: String, address: String, day: Int64) throws {
        self.fleet = fleet
        self.address = address
        var random = SystemRandomNumberGenerator()
        store = try TestStore(
            KeyValueStore(
                folder: folder, limit: TestStore.storeBytes, slotBytes: TestStore.slotBytes, hasPatches: true),
            using: &random)
        slots = try SlotSchedule(seed: store.seed, density: fleet.density).slots(day: day)
    }

    // MARK: The wearer

    func enter(_ key: RegistrationKey, at now: Int64) throws -> Int {
        var random = SystemRandomNumberGenerator()
        let request = ExchangeRequest.requestName(using: &random)
        let way = fleet.way.kind
        return try store.change { try $0.enter(key, kind: .pcr, request: request, way: way, at: now) }
    }

    /// Looks at the result, agrees, and the core hands out its keys.
    func warn(_ number: Int, _ story: DayPlan.Story, at now: Int64) throws {
        let symptoms: SymptomStatement = story.onset.map { .since(daysAgo: $0) } ?? .noStatement
        let agreement = WarningStage.Agreement(ticket: "ticket", symptoms: symptoms, isFederated: .random())
        try store.change {
            $0.see(number)
            try $0.agree(number, agreement, at: now)
        }
        var random = SystemRandomNumberGenerator()
        let today = UTCDay(containing: Int64(time(nil))).number
        let keys = (0..<story.keys).map { age in
            Release1.TemporaryExposureKey(
                keyData: Base64.string((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }),
                rollingStartIntervalNumber: (today - 1 - Int64(age)) * 144, rollingPeriod: 144)
        }
        try DiagnosisService(store: store, settings: fleet.settings).prepare(number, agreement, keys)
    }

    // MARK: Slots

    func play(_ slot: Int64) throws {
        let configuration = HTTPConfiguration(
            authorityFile: fleet.authorities, userAgent: fleet.settings.clientName, localAddress: address)
        // As if the plugin had stayed since a test was entered.
        let keeps = fleet.fault == .kept && !store.registry.tests.isEmpty
        if !keeps { kept = nil }
        let logger = Logger(label: "trial") { _ in SwiftLogNoOpLogHandler() }
        var player = try SlotPlayer(
            store: store, settings: fleet.settings, log: logger, clock: .showing(slot, factor: fleet.factor)
        ) { [self] in
            if let kept { return kept }
            let client = try HTTPClient(configuration)
            if keeps { kept = client }
            return client
        }
        if fleet.fault == .late { player.preparation = 0 }
        if fleet.fault == .bare, let task = store.registry.task(at: slot) {
            return try playBare(task, player, HTTPClient(configuration))
        }
        try player.play(slot, Cancellation(), HTTPCancellation())
    }

    /// The genuine steps at their seconds, and nothing else.
    private func playBare(_ task: TestRegistry.Task, _ player: SlotPlayer, _ http: HTTPClient) throws {
        var random = SystemRandomNumberGenerator()
        let (steps, way) = (Playbook(task.occasion, fleet.way.kind).steps, fleet.way)
        for (index, step) in steps.enumerated() {
            if step.isGenuine {
                let request = try store.change { try $0.begin(step.call, task.number, way, using: &random) }
                let outcome = player.exchange(request, http, HTTPCancellation())
                let now = player.clock.now()
                guard try store.change({ $0.finish(step.call, task.number, outcome, way, at: now) }) else { return }
            }
            // The gap between two steps, on a thread of the trial's own that has nothing else to do.
            if index < steps.count - 1 { usleep(UInt32(20_000_000 / fleet.factor)) }
        }
    }
}
