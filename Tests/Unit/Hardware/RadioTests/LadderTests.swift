// SPDX-License-Identifier: Apache-2.0

import Radio
import Simulation
import Testing
import VirtualAir

/// What happens when the controller does not do what it should, and how soon all is well again.
@Suite struct LadderTests {
    /// A phone nearby, two more that make a crowd, and an hour of normal life before the fault.
    private func bench(_ profile: BoardProfile = .token, phones: Int = 4) throws -> RadioBench {
        let bench = try RadioBench(profile)
        for _ in 0..<phones { bench.air.addPhone() }
        try bench.start()
        bench.run(for: .seconds(3_600))
        #expect(bench.counters.rungs.filter { $0.key > .proveAlive }.isEmpty)
        return bench
    }

    @Test func aControllerThatVanishesForAMinute() throws {
        let bench = try bench()
        let start = bench.air.now
        bench.air.apply(Fault(.vanish, for: .seconds(60)), to: bench.port.node)
        bench.run(for: .seconds(300))
        #expect(bench.isAdvertising)
        let back = try #require(bench.first(after: start) { $0 == .onAir })
        // Tried again every five seconds at most.
        #expect(back - start <= .seconds(66), "\(back - start)")
        #expect(bench.heard(after: back) != nil)
        #expect(bench.counters.transportsLost == 1)
        #expect(bench.powerRequests.isEmpty)
    }

    @Test func aControllerThatFlickersIsBackAtOnce() throws {
        let bench = try bench()
        for _ in 0..<20 {
            let start = bench.air.now
            bench.air.detach(bench.port.node)
            bench.run(for: .seconds(30))
            let back = try #require(bench.first(after: start) { $0 == .onAir })
            #expect(back - start < .milliseconds(100), "\(back - start)")
        }
    }

    @Test func aControllerThatRefusesEverything() throws {
        let bench = try bench()
        let start = bench.air.now
        bench.air.apply(Fault(.errors, for: .seconds(600)), to: bench.port.node)
        bench.run(for: .seconds(1_200))
        let back = try #require(bench.first(after: start + .seconds(600)) { $0 == .onAir })
        #expect(back - start <= .seconds(632), "\(back - start)")
        #expect(bench.count(.resetController) >= 1)
        // Bounded: 0.05, 0.5, 2, 5, 10, then every 30 s.
        #expect((20...30).contains(bench.count(.reopenTransport)), "\(bench.count(.reopenTransport))")
        #expect(bench.powerRequests.count == 1)
        #expect(bench.isAdvertising)
    }

    @Test func aControllerThatFallsSilent() throws {
        for cure in [nil, Fault.Cure.reset, .reattach] {
            let bench = try bench()
            let start = bench.air.now
            bench.air.apply(Fault(.silent, for: cure == nil ? .seconds(600) : .seconds(100)), to: bench.port.node)
            bench.run(for: .seconds(1_200))
            // Noticed within a minute by the question that every quiet minute asks.
            let noticed = try #require(
                bench.first(after: start) { if case .climbed(.resetController, .silent) = $0 { true } else { false } })
            #expect(noticed - start <= .seconds(63), "\(noticed - start)")
            #expect(bench.isAdvertising)
            let back = try #require(bench.first(after: start) { $0 == .onAir })
            #expect(back - start <= (cure == nil ? .seconds(633) : .seconds(140)), "\(back - start)")
        }
    }

    /// A receiver that hears nothing although the controller answers everything: 120 s from the first scan that shows it.
    @Test(arguments: [Fault.Cure.scanRestart, .reset, .reattach]) func aDeafReceiver(_ cure: Fault.Cure) throws {
        for profile in [BoardProfile.token, .kiosk] {
            let bench = try bench(profile)
            let start = bench.air.now
            bench.air.apply(Fault(.deaf, cure: cure), to: bench.port.node)
            bench.run(for: .seconds(1_800))
            let shown = try #require(
                bench.first(after: start) { if case .scanFinished(let scan) = $0 { scan.isQuiet } else { false } }
                    ?? bench.heard(after: start))
            let back = try #require(bench.heard(after: shown))
            #expect(back - shown <= .seconds(120), "\(back - shown)")
            #expect(bench.powerRequests.isEmpty)
            #expect(bench.count(.reopenTransport) == (cure == .reattach ? 1 : 0))
        }
    }

    @Test func aScanThatWasSilentlySwitchedOff() throws {
        let bench = try bench(.kiosk)
        // In the first second of a scan.
        let started = bench.events.filter { $0.event == .scanStarted }.count
        while bench.events.filter({ $0.event == .scanStarted }).count == started { bench.run(for: .milliseconds(10)) }
        let start = bench.air.now
        bench.air.apply(Fault(.lostScan), to: bench.port.node)
        bench.run(for: .seconds(120))
        let back = try #require(bench.heard(after: start + .milliseconds(1)))
        #expect(back - start <= .seconds(120))
    }

    /// The same where nothing was heard before the loss: only the proof shows it.
    @Test func aLostScanInAQuietRoomIsProven() throws {
        let bench = try RadioBench(.kiosk)
        try bench.start()
        bench.run(for: .seconds(600))
        while !bench.radio.isScanning { bench.run(for: .milliseconds(10)) }
        bench.air.apply(Fault(.lostScan), to: bench.port.node)
        bench.run(for: .seconds(20))
        #expect(bench.count(.restartScan) == 1)
        #expect(bench.count(.resetController) == 0)
    }

    @Test func emptyReportsAreNoLife() throws {
        let bench = try bench()
        let start = bench.air.now
        bench.air.apply(Fault(.emptyReports, for: .seconds(600)), to: bench.port.node)
        bench.run(for: .seconds(900))
        #expect(bench.scans.contains { $0.start > start && $0.reports > 0 && $0.isQuiet })
        // Examined like silence.
        #expect(bench.count(.resetController) == 1)
    }

    @Test func noiseOnTheLine() throws {
        let bench = try bench()
        for _ in 0..<10 {
            bench.air.apply(Fault(.noise, rate: 500), to: bench.port.node)
            bench.run(for: .seconds(120))
        }
        #expect(bench.isAdvertising)
        #expect(bench.counters.transportsLost > 0)
    }

    @Test func aThousandReportsASecond() throws {
        let bench = try bench(.kiosk)
        let before = bench.counters.exposureNotifications
        let scansBefore = bench.scans.count
        bench.air.apply(Fault(.flood, for: .seconds(600), rate: 1_000), to: bench.port.node)
        bench.run(for: .seconds(600))
        let scans = bench.scans.count - scansBefore
        #expect(scans >= 9)
        let perScan = (bench.counters.exposureNotifications - before) / UInt64(scans)
        #expect((3_900...4_300).contains(perScan), "\(perScan)")
        #expect(bench.count(.resetController) == 0)
        #expect(bench.air.statistics.droppedReports == 0)
    }

    @Test func aQuietRoomForTenDays() throws {
        for profile in [BoardProfile.token, .kiosk] {
            let bench = try RadioBench(profile)
            try bench.start()
            bench.run(for: .seconds(10 * 86_400))
            #expect(bench.counters.scans > 2_800)
            #expect(bench.counters.quietScans == bench.counters.scans)
            for rung in Rung.allCases where rung > .proveAlive { #expect(bench.count(rung) == 0, "\(rung)") }
        }
    }

    /// People leave one after the other; nothing is reset for that either, in ten days.
    @Test func aRoomThatEmptiesAndStaysQuiet() throws {
        let bench = try RadioBench(.kiosk)
        let phones = (0..<8).map { _ in bench.air.addPhone() }
        try bench.start()
        for phone in phones {
            bench.run(for: .seconds(600))
            bench.air.remove(phone)
        }
        bench.run(for: .seconds(10 * 86_400))
        for rung in Rung.allCases where rung > .proveAlive { #expect(bench.count(rung) == 0, "\(rung)") }
    }

    /// A wearer who walks from a crowd into the woods costs one examination, not one per hour.
    @Test func aCrowdThatIsGoneAtOnce() throws {
        let bench = try RadioBench(.token)
        let phones = (0..<20).map { _ in bench.air.addPhone() }
        try bench.start()
        bench.run(for: .seconds(3_600))
        for phone in phones { bench.air.remove(phone) }
        bench.run(for: .seconds(5 * 86_400))
        #expect(bench.count(.resetController) == 1)
        #expect(bench.count(.reopenTransport) == 1)
        #expect(bench.events.filter { $0.event == .silenceAccepted }.count == 1)
        #expect(bench.isAdvertising)
    }
}
