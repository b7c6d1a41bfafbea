// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import GAEN
import HCI
import Radio
import RandomValues
import Simulation
import Testing
import VirtualAir

@Suite struct DoorTests {
    private static let code = DoorCode(content: (0..<190).map { UInt8($0) }, transmitPower: 4)

    private func door(_ bench: RadioBench) throws -> DoorIdentity {
        let code = try #require(Self.code)
        let address = try BluetoothAddress.nonResolvable(from: &bench.generator)
        return try #require(DoorIdentity(address: address, code: code))
    }

    private func profile(_ controller: Controllers) -> BoardProfile {
        var profile = BoardProfile.kiosk
        profile.commands = controller.profile.commands
        return profile
    }

    /// On every kind of controller, also those of Bluetooth 4, which refuse such packets more often than every 100 ms: fragments of the code,
    /// under one address, one after the other, and nothing else.
    @Test(arguments: Controllers.allCases) func aPlaceSendsFragmentsAndNothingElse(_ controller: Controllers) throws {
        let bench = try RadioBench(profile(controller), controller.model)
        let door = try door(bench)
        bench.broadcast(door)
        bench.radio.listen(true, at: bench.air.now)
        bench.run(for: .seconds(60))
        let isOn = bench.radio.isBroadcastingDoor
        #expect(isOn)
        bench.goSilent()
        bench.run(for: .seconds(1))
        #expect(!bench.isAdvertising)
        let sent = try bench.broadcasts.map { try #require(DoorFragment(advertisingData: $0.data)) }
        #expect(bench.broadcasts.allSatisfy { $0.address.bytes == door.address.littleEndianBytes && $0.address.isRandom })
        #expect(sent.allSatisfy { $0 == door.code.fragment($0.index) })
        #expect(Set(sent.map(\.index)).count == 256)
        // Ten a second, but for scans of those that do one thing at a time.
        #expect((450...605).contains(sent.count), "\(sent.count)")
        #expect(bench.count(.resetController) == 0)
    }

    /// A controller that loses its memory begins anew; the wish outlasts it.
    @Test func aPlaceGoesOnAfterAReset() throws {
        let bench = try RadioBench(.kiosk)
        bench.broadcast(try door(bench))
        bench.run(for: .seconds(5))
        bench.air.powerCycle(bench.port.node)
        bench.run(for: .seconds(10))
        let isOn = bench.radio.isBroadcastingDoor
        #expect(isOn)
    }

    /// From a person's identity to a place's code and back: each with its own interval, and never mixed.
    @Test(arguments: [Controllers.old, .extended]) func kindsAreNotMixed(_ controller: Controllers) throws {
        let bench = try RadioBench(controller.profile, controller.model)
        for _ in 0..<20 {
            let identity = try bench.broadcastNew()
            bench.run(for: .seconds(2))
            let door = try door(bench)
            bench.broadcast(door)
            bench.run(for: .seconds(2))
            for sent in bench.broadcasts {
                if DoorFragment(advertisingData: sent.data) != nil {
                    #expect(sent.address.bytes != identity.address.littleEndianBytes)
                } else {
                    #expect(throws: Never.self) { try AdvertisingPayload(advertisingData: sent.data) }
                    #expect(sent.address.bytes != door.address.littleEndianBytes)
                }
            }
        }
        #expect(bench.count(.resetController) == 0)
    }

    /// Fragments are told only to whoever asks, and cost nothing else.
    @Test func fragmentsAreReportedWhileTheyAreCollected() throws {
        let bench = try RadioBench()
        let code = try #require(Self.code)
        _ = bench.air.addAdvertiser(
            data: code.fragment(7).advertisingData, addressing: .fixed(AirAddress(value: 5, isRandom: true)))
        try bench.start()
        bench.run(for: .seconds(10))
        func heard() -> [DoorFragment] {
            bench.events.compactMap { if case .heardDoor(let fragment, _, _) = $0.event { fragment } else { nil } }
        }
        #expect(heard().isEmpty)
        #expect(bench.scans.count == 1)
        let counters = bench.radio.counters
        bench.radio.collectDoors(true)
        bench.radio.listenForDoors(at: bench.air.now)
        bench.run(for: .seconds(5))
        #expect(heard().count > 30 && heard().allSatisfy { $0 == code.fragment(7) })
        #expect(bench.scans.count == 1 && bench.radio.counters == counters)
        bench.radio.collectDoors(false)
        let count = heard().count
        bench.radio.scanEarly(at: bench.air.now)
        bench.run(for: .seconds(5))
        #expect(heard().count == count)
        #expect(bench.scans.count == 2)
        // A scan for sightings hears doors, too, while somebody asks.
        bench.radio.collectDoors(true)
        bench.radio.scanEarly(at: bench.air.now)
        bench.run(for: .seconds(5))
        #expect(heard().count > count + 30 && bench.scans.count == 3)
    }

    /// Scans for sightings begin at the same moments, on every kind of controller, whether doors are listened for between them or not, and so do
    /// changes of the identity; what the board says of its scanning is the same.
    @Test(arguments: Controllers.allCases, 1...3) func scansForDoorsMoveNoOther(
        _ controller: Controllers, _ seed: Int
    ) throws {
        func day(
            isPressed: Bool
        ) throws -> (
            starts: [Duration], scanning: [Bool], doorScans: Int, rungs: [Rung: UInt64]
        ) {
            let bench = try RadioBench(controller.profile, controller.model)
            for _ in 0..<3 { _ = bench.air.addPhone() }
            try bench.start()
            var starts: [Duration] = []
            var scanning: [Bool] = []
            var random = SeededGenerator(seed: seed)
            for round in 0..<400 {
                if round % 100 == 99 { try bench.broadcastNew() }
                // Held for some seconds, again and again, whatever is under way.
                let isHeld = random.next() % 4 > 0
                if isPressed, isHeld, !bench.radio.timeSlices {
                    bench.radio.collectDoors(true)
                    bench.radio.listenForDoors(at: bench.air.now)
                } else {
                    bench.radio.collectDoors(false)
                }
                bench.run(for: .milliseconds(Int64(random.next() % 4_000) + 2_000))
                scanning.append(bench.radio.isScanning)
            }
            for event in bench.events { if case .scanStarted = event.event { starts.append(event.at) } }
            let doorScans = bench.events.count { if case .doorScanFinished = $0.event { true } else { false } }
            return (starts, scanning, doorScans, bench.radio.counters.rungs)
        }
        let pressed = try day(isPressed: true), unpressed = try day(isPressed: false)
        #expect(unpressed.doorScans == 0)
        #expect(pressed.rungs == unpressed.rungs)
        #expect(pressed.doorScans > 100 || controller.model.canAdvertiseAndScanAtOnce == false)
        #expect(pressed.starts.count == unpressed.starts.count && pressed.starts.count > 4)
        for (one, other) in zip(pressed.starts, unpressed.starts) {
            // A change of the identity takes two commands more while the receiver is on.
            #expect(abs((one - other) / .milliseconds(1)) < 100, "\(one) and \(other)")
        }
        #expect(zip(pressed.scanning, unpressed.scanning).count { $0 != $1 } <= 2)
    }

    /// Scans for a held button, in an empty street after a crowd, are no sign of deafness: nothing is reset, and nothing changes on air.
    @Test func scansForDoorsSayNothingAboutDeafness() throws {
        let bench = try RadioBench()
        let crowd = (0..<5).map { _ in bench.air.addPhone() }
        try bench.start()
        bench.run(for: .seconds(900))
        for phone in crowd { bench.air.remove(phone) }
        bench.radio.collectDoors(true)
        for _ in 0..<10 {
            bench.radio.listenForDoors(at: bench.air.now)
            bench.run(for: .seconds(6))
        }
        #expect(bench.count(.resetController) == 0 && bench.count(.reopenTransport) == 0)
        #expect(bench.broadcasts.isEmpty)
    }
}
