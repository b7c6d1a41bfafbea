// SPDX-License-Identifier: Apache-2.0

import GAEN
import HCI
import Radio
import Simulation
import Testing
import VirtualAir

/// Controllers that differ in what the radio has to cope with.
enum Controllers: String, CaseIterable, Sendable {
    case plain, old, extended, slow, oneAtATime, extendedOneAtATime

    var model: ControllerModel {
        var model = ControllerModel()
        switch self {
        case .plain: break
        case .old: model.version = .v42
        case .extended: model.hasExtendedAdvertising = true
        case .slow: model.answerDelay = .milliseconds(15)
        case .oneAtATime: model.canAdvertiseAndScanAtOnce = false
        case .extendedOneAtATime:
            model.hasExtendedAdvertising = true
            model.canAdvertiseAndScanAtOnce = false
        }
        return model
    }

    var profile: BoardProfile {
        var profile = BoardProfile.token
        if model.hasExtendedAdvertising { profile.commands = .extended }
        return profile
    }
}

@Suite struct RadioTests {
    @Test(arguments: Controllers.allCases) func goesOnAir(_ controller: Controllers) throws {
        let bench = try RadioBench(controller.profile, controller.model)
        let identity = try bench.broadcastNew()
        bench.run(for: .seconds(1))
        #expect(bench.isAdvertising)
        let usesExtended = bench.radio.facts.usesExtendedCommands
        #expect(usesExtended == controller.model.hasExtendedAdvertising)
        bench.goSilent()
        bench.run(for: .seconds(1))
        #expect(!bench.isAdvertising)
        // What was on air had both the right address and the right data, for the whole second.
        let sent = try #require(bench.broadcasts.last)
        #expect(sent.data == identity.payload.advertisingData())
        #expect(sent.address.bytes == identity.address.littleEndianBytes)
        #expect(sent.address.isRandom)
        #expect(try #require(sent.end) - sent.start > .milliseconds(700))
    }

    /// Rotations at any moment, scans under way or not: address and identifier change together, always.
    @Test(arguments: Controllers.allCases) func rotatesTogether(_ controller: Controllers) throws {
        var profile = controller.profile
        profile.scan = .init(duration: .seconds(4), period: .seconds(10), spread: .seconds(3))
        let bench = try RadioBench(profile, controller.model)
        bench.air.addPhone()
        try bench.start()
        for _ in 0..<500 {
            bench.run(for: .milliseconds(.random(in: 1...4_000, using: &bench.generator)))
            try bench.broadcastNew()
        }
        bench.run(for: .seconds(20))
        bench.goSilent()
        bench.run(for: .seconds(5))
        var identities: [[UInt8]: AirAddress] = [:]
        var addresses: [AirAddress: [UInt8]] = [:]
        for sent in bench.broadcasts {
            #expect(identities.updateValue(sent.address, forKey: sent.data) ?? sent.address == sent.address)
            #expect(addresses.updateValue(sent.data, forKey: sent.address) ?? sent.data == sent.data)
        }
        #expect(identities.count > 300, "\(identities.count) identities were on air")
        #expect(bench.count(.resetController) == 0)
        #expect(bench.scans.contains { $0.exposureNotifications > 0 })
    }

    @Test func scansAsTheProfileSays() throws {
        let bench = try RadioBench()
        let phone = bench.air.addPhone()
        bench.air.move(phone, x: 2, y: 0)
        try bench.start()
        bench.run(for: .seconds(3_600))
        let scans = bench.scans
        // Every 211 to 300 s for 4 s.
        #expect((12...18).contains(scans.count), "\(scans.count)")
        for (one, next) in zip(scans, scans.dropFirst()) {
            let pause = next.start - one.start
            #expect(pause >= .seconds(211) && pause <= .seconds(301), "\(pause)")
        }
        for scan in scans {
            #expect(scan.end - scan.start >= .seconds(4) && scan.end - scan.start < .milliseconds(4_100))
            // An advertisement every 250 to 260 ms.
            #expect((12...17).contains(scan.exposureNotifications), "\(scan.exposureNotifications)")
        }
        #expect(bench.count(.resetController) == 0 && bench.count(.restartScan) == 0)
    }

    /// Phones as they were captured: scannable, without flags, from resolvable addresses.
    @Test(arguments: [Controllers.plain, .extended]) func hearsPhonesAsTheyAre(_ controller: Controllers) throws {
        let bench = try RadioBench(controller.profile, controller.model)
        bench.air.addPhone(.captured)
        try bench.start()
        bench.run(for: .seconds(1_800))
        #expect(bench.scans.count >= 5)
        // 4 s, and an advertisement every 281 to 291 ms.
        #expect(bench.scans.allSatisfy { (12...16).contains($0.exposureNotifications) })
        let levels = bench.events.compactMap { event in
            if case .heard(_, let rssi, _) = event.event { rssi } else { nil }
        }
        #expect(levels.count > 60 && Set(levels) == [-70])
    }

    @Test(arguments: [Controllers.oneAtATime, .extendedOneAtATime]) func takesTurns(_ controller: Controllers) throws {
        let bench = try RadioBench(controller.profile, controller.model)
        bench.air.addPhone()
        try bench.start()
        bench.run(for: .seconds(1_800))
        let timeSlices = bench.radio.timeSlices
        #expect(timeSlices)
        #expect(bench.events.filter { $0.event == .timeSlicing }.count == 1)
        #expect(bench.scans.count >= 6)
        #expect(bench.scans.allSatisfy { $0.exposureNotifications > 10 })
        #expect(bench.isAdvertising)
        #expect(bench.count(.resetController) == 0)
    }

    /// The negative of the tests above: silence is heard as silence.
    @Test func hearsNothingWhereNothingIs() throws {
        let bench = try RadioBench()
        let far = bench.air.addPhone()
        bench.air.move(far, x: 5_000, y: 0)
        try bench.start()
        bench.run(for: .seconds(1_800))
        #expect(bench.scans.count >= 5)
        #expect(bench.scans.allSatisfy { $0.isQuiet })
        #expect(bench.heard(after: .zero) == nil)
    }

    @Test func rssiFollowsDistanceAndMissingMeasurementsAreLeftOut() throws {
        for (metres, measures) in [(2.0, true), (8.0, true), (2.0, false)] {
            var model = ControllerModel()
            model.measuresRSSI = measures
            let bench = try RadioBench(.token, model)
            let phone = bench.air.addPhone()
            bench.air.move(phone, x: metres, y: 0)
            bench.air.fix(phone, bench.port.node, rssi: metres == 2 ? -59 : -71)
            try bench.start()
            bench.run(for: .seconds(10))
            let heard = bench.events.compactMap { if case .heard(_, let rssi, _) = $0.event { rssi } else { nil } }
            #expect(heard.isEmpty != measures)
            #expect(heard.allSatisfy { $0 == (metres == 2 ? -59 : -71) })
            #expect((bench.scans.first?.withoutRSSI ?? 0 > 0) != measures)
        }
    }
}
