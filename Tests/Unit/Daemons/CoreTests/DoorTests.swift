// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DoorBroadcast
import GAEN
import Interfaces
import LabKit
import Radio
import RandomValues
import Simulation
import Testing
import TimeTrust
import Trust
import Vault
import VirtualAir

@testable import Core

/// Check-in by a held button: a kiosk and tokens with the core that ships, on the virtual air.
@Suite struct DoorTests {
    /// A street with a kiosk and a token, each a whole core, and as many phones as are asked for.
    private final class Street {
        let air: VirtualAir
        let room: SimulatedRoom
        let kiosk: SimulatedBoard
        let token: SimulatedBoard
        var generator: SeededGenerator
        /// What was on air, by everybody.
        private(set) var broadcasts: [Broadcast] = []
        /// Each packet that was not a place's, as a receiver heard it while it was switched on (``heard(_:)``).
        private(set) var packets: [AirReceiver.Packet] = []
        /// Not there before it is needed, since it draws from the air's random numbers.
        private lazy var receiver: AirReceiver = {
            let receiver = AirReceiver(air)
            room.receiver = receiver
            receiver.handler = { [weak self] in
                if DoorFragment(advertisingData: $0.data) == nil { self?.packets.append($0) }
            }
            return receiver
        }()

        init(
            seed: Int, phones: Int = 0, loss: Double = 0, controller: ControllerModel = ControllerModel(),
            environment: Environment = Environment()
        ) throws {
            let air = VirtualAir(seed: UInt64(seed))
            self.air = air
            air.epoch = Bench.epoch
            air.environment = environment
            room = SimulatedRoom(air)
            generator = SeededGenerator(seed: seed)
            func board(_ profile: BoardProfile, _ controller: ControllerModel, _ seed: Int) throws -> SimulatedBoard {
                var setup = SimulatedBoard.Setup(seed: UInt64(seed))
                setup.profile = profile
                setup.controller = controller
                setup.trust = try TrustStore(keys: [])
                return SimulatedBoard(air, setup)
            }
            kiosk = try board(.kiosk, ControllerModel(), seed + 1_000)
            token = try board(.token, controller, seed + 2_000)
            for board in [kiosk, token] {
                room.add(board)
                board.start()
            }
            for _ in 0..<phones {
                let phone = air.addPhone()
                air.move(
                    phone, x: .random(in: -10...10, using: &generator), y: .random(in: -10...10, using: &generator))
            }
            air.setLoss(loss, of: token.node)
            air.addObserver { [weak self] in if $0.end != nil { self?.broadcasts.append($0) } }
            room.run(for: .seconds(12))
            try ask { service, now in
                service.doorHold.hasTaker = true
                service.connectButton(isPressed: false, at: now)
            }
            try wait(.seconds(2))
        }

        func ask<Answer>(_ question: (ExposureService, BootInstant) throws -> Answer) throws -> Answer {
            try token.ask(question)
        }

        /// Lets time pass, and the button be looked at as often as the core does.
        func wait(_ span: Duration, until isOver: () -> Bool = { false }) throws {
            let end = air.now + span
            while air.now < end, !isOver() {
                room.run(for: min(.milliseconds(20), end - air.now))
                try ask { $0.advanceButton(to: $1) }
            }
        }

        func move(_ isPressed: Bool) throws {
            try ask { $0.moveButton(isPressed: isPressed, before: .zero, at: $1) }
        }

        var scene: Indicator1.Scene { get throws { try ask { $0.scene(at: $1) } } }

        /// Broadcasts on the kiosk from now on, for that long.
        func show(_ content: [UInt8], for seconds: Int64 = 3_600, by board: SimulatedBoard? = nil) throws {
            let isTaken = try (board ?? kiosk).ask { service, now in
                let time = try #require(service.beacon.present(at: now).time?.seconds)
                return try service.showDoors(
                    [Door1.Showing(content: Base64.string(content), from: time - 5, until: time + seconds)], at: now)
            }
            #expect(isTaken)
        }

        /// What a plugin would take.
        func take() throws -> (number: Int64, content: [UInt8])? {
            let reply = try ask { service, _ in service.takeDoorCode() }
            guard let number = reply.number, let content = reply.content.flatMap(Base64.bytes) else { return nil }
            return (number, content)
        }

        /// Does something while each packet is heard, and gives them.
        func heard(_ body: () throws -> Void) rethrows -> [AirReceiver.Packet] {
            packets = []
            receiver.listen(true)
            try body()
            receiver.listen(false)
            return packets
        }

        /// What the core says of the code at the door.
        func door(_ board: SimulatedBoard) throws -> Device1.Door? { try board.ask { $0.radio(at: $1).door } }

        func broadcasts(of board: SimulatedBoard) -> [Broadcast] { broadcasts.filter { $0.node == board.node } }
    }

    private static func content(_ length: Int, seed: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return generator.bytes(length)
    }

    /// Of a code with a name of 20 letters, an address of 30 and a public key of 96 bytes, as the Corona-Warn-App's were.
    private static let usualLength = 190

    // MARK: The place

    @Test func aPlaceBroadcastsItsCodeInItsTimeAndNothingElse() throws {
        let street = try Street(seed: 1)
        let content = Self.content(Self.usualLength, seed: 1)
        #expect(street.broadcasts(of: street.kiosk).isEmpty)
        #expect(try street.door(street.kiosk) == .nothing && street.door(street.token) == nil)
        try street.show(content, for: 60)
        street.room.run(for: .seconds(20))
        #expect(try street.door(street.kiosk) == .onAir)
        street.room.run(for: .seconds(100))
        #expect(try street.door(street.kiosk) == .nothing)
        let sent = street.broadcasts(of: street.kiosk)
        let code = try #require(DoorCode(content: content, transmitPower: BoardProfile.kiosk.calibration.transmitPower))
        #expect((550...610).contains(sent.count), "\(sent.count)")
        #expect(sent.allSatisfy { DoorFragment(advertisingData: $0.data).map { $0 == code.fragment($0.index) } ?? false })
        #expect(Set(sent.map(\.address)).count == 1)
        let last = try #require(sent.last?.end)
        #expect(last - sent[0].start <= .seconds(61))
        // The next time has another address.
        try street.show(content, for: 10)
        street.room.run(for: .seconds(20))
        #expect(Set(street.broadcasts(of: street.kiosk).map(\.address)).count == 2)
    }

    @Test func whatAPlaceMayNotBroadcastIsRefused() throws {
        let street = try Street(seed: 2)
        func tries(_ showings: [(content: String, from: Int64, until: Int64)], at board: SimulatedBoard) throws -> Bool {
            try board.ask { service, now in
                let time = try #require(service.beacon.present(at: now).time?.seconds)
                let all = showings.map {
                    Door1.Showing(content: $0.content, from: time + $0.from, until: time + $0.until)
                }
                return try service.showDoors(all, at: now)
            }
        }
        let good = Base64.string([1, 2, 3])
        let most = Base64.string([UInt8](repeating: 1, count: DoorCode.maximumByteCount))
        let tooLong = Base64.string([UInt8](repeating: 1, count: DoorCode.maximumByteCount + 1))
        #expect(try tries([(most, 0, 4 * 3_600)], at: street.kiosk))
        for bad in [(tooLong, 0, 60), ("", 0, 60), ("x", 0, 60), (good, 60, 60), (good, 0, 4 * 3_600 + 1)] {
            #expect(try !tries([(bad.0, Int64(bad.1), Int64(bad.2))], at: street.kiosk))
        }
        #expect(try !tries(Array(repeating: (good, 0, 60), count: 9), at: street.kiosk))
        // A person's device broadcasts nothing, whatever it is told.
        let error = #expect(throws: Refusal.self) { try tries([(good, 0, 60)], at: street.token) }
        #expect(error?.name == "WrongRole")
        street.room.run(for: .seconds(30))
        #expect(street.broadcasts(of: street.token).allSatisfy { DoorFragment(advertisingData: $0.data) == nil })
    }

    /// A device that becomes a person's is silent at once, and what it was to broadcast is gone.
    @Test func aPersonsDeviceNeverBroadcastsWhatThePlaceDid() throws {
        let street = try Street(seed: 3)
        try street.show(Self.content(50, seed: 3))
        street.room.run(for: .seconds(10))
        let console = ExposureServiceBench.caller()
        try street.kiosk.ask { try $0.setRole(.person, by: console, at: $1) }
        street.room.run(for: .milliseconds(500))
        let count = street.broadcasts(of: street.kiosk).count
        try street.kiosk.ask { try $0.enable(by: console, at: $1) }
        street.room.run(for: .seconds(30))
        #expect(
            street.broadcasts(of: street.kiosk).dropFirst(count).allSatisfy {
                DoorFragment(advertisingData: $0.data) == nil
            })
    }

    /// Whoever waits for the time is told once that it is known, in both roles, and need not ask again and again.
    @Test(arguments: [BoardProfile.kiosk, .token]) func thatTheTimeIsKnownIsSaidOnce(profile: BoardProfile) throws {
        let air = VirtualAir(seed: 14)
        air.epoch = Bench.epoch
        let room = SimulatedRoom(air)
        var setup = SimulatedBoard.Setup(seed: 14)
        setup.profile = profile
        setup.trust = try TrustStore(keys: [])
        let board = SimulatedBoard(air, setup)
        board.hasClock = false
        room.add(board)
        board.start()
        var count = 0
        try board.ask { service, _ in service.announcer.listen { if $0 == .doorCode { count += 1 } } }
        func run() throws {
            room.run(for: .seconds(20))
            for _ in 0..<2 { try board.ask { $0.advanceButton(to: $1) } }
        }
        try run()
        #expect(count == 0)
        board.hasClock = true
        try run()
        #expect(count == 1)
        try run()
        #expect(count == 1)
    }

    /// What the power cut left of a clock that was ahead is no time to broadcast by. Once a clock is heard, what was said by the other one is forgotten
    /// where it reaches too far, and is asked for anew.
    @Test func aTimeThatWasCarriedOverBroadcastsNothing() throws {
        let street = try Street(seed: 12)
        let content = Self.content(50, seed: 12)
        street.kiosk.setClock(error: .seconds(5 * 3_600))
        try street.show(content)
        street.room.run(for: .seconds(20))
        #expect(!street.broadcasts(of: street.kiosk).isEmpty)
        func restart() throws {
            street.kiosk.hasClock = false
            street.kiosk.cutPower()
            street.kiosk.start()
            street.room.run(for: .seconds(12))
            let reason = try street.kiosk.ask { $0.beacon.present(at: $1).reason }
            #expect(reason == .holdOver)
        }
        try restart()
        var outdated = 0
        try street.kiosk.ask { service, _ in service.announcer.listen { if $0 == .doorCode { outdated += 1 } } }
        let before = street.broadcasts(of: street.kiosk).count
        try street.show(content, for: 3_600)
        street.room.run(for: .seconds(60))
        #expect(street.broadcasts(of: street.kiosk).count == before && outdated == 0)
        #expect(try street.door(street.kiosk) == .timeUnsure)
        street.kiosk.setClock(error: .zero)
        try street.kiosk.ask { $0.advanceButton(to: $1) }
        try street.kiosk.ask { $0.advanceButton(to: $1) }
        #expect(outdated == 1)
        // Kept, it would be on air in five hours. Nobody can say, or keep, what ends in more than four.
        #expect(try street.kiosk.ask { service, _ in service.beacon.doors.due } == nil)
        try street.show(content)
        street.room.run(for: .seconds(20))
        #expect(street.broadcasts(of: street.kiosk).count > before)
        // Where the time that was carried over turns out to be right, what was said by it is broadcast as soon as a clock is heard.
        try restart()
        let count = street.broadcasts(of: street.kiosk).count
        try street.show(content)
        street.room.run(for: .seconds(20))
        #expect(street.broadcasts(of: street.kiosk).count == count)
        street.kiosk.setClock(error: .zero)
        street.room.run(for: .seconds(5))
        #expect(street.broadcasts(of: street.kiosk).count > count)
        #expect(try street.door(street.kiosk) == .onAir)
    }

    // MARK: The token

    /// Held until the light says that it is being written down, and then what became of it is told.
    @Test func aHeldButtonCollectsTheCodeAndTheLightSaysSo() throws {
        let street = try Street(seed: 4)
        let content = Self.content(Self.usualLength, seed: 4)
        try street.show(content)
        try street.move(true)
        try street.wait(.seconds(15)) { (try? street.scene.collecting) == true }
        #expect(try street.scene.button == .idle)
        #expect(try street.take() == nil)
        var taken: (number: Int64, content: [UInt8])?
        try street.wait(.seconds(15)) {
            taken = (try? street.take()) ?? nil
            return taken != nil
        }
        #expect(taken?.content == content)
        #expect(try street.take() == nil)
        #expect(try street.scene.done == 0 && street.scene.collecting == true)
        // However long it is held from now on: no countdown, no press.
        try street.wait(.seconds(15))
        #expect(try street.scene.button == .idle)
        let number = try #require(taken?.number)
        try street.ask { service, _ in
            service.noteVisit(number + 1, isKept: true)
            service.noteVisit(number, isKept: true)
            service.noteVisit(number, isKept: true)
        }
        let scene = try street.scene
        #expect(scene.done == 1 && scene.cancelled == 0 && scene.presses == 0 && scene.collecting == nil)
        try street.move(false)
        try street.wait(.seconds(2))
        #expect(try street.scene.presses == 0 && street.scene.cancelled == 0)
        // And once more with the next hold.
        try street.move(true)
        try street.wait(.seconds(10))
        #expect(try street.take()?.content == content)
    }

    /// Whoever lets go early, or has nobody who takes the code, is told that nothing came of it.
    @Test func whatIsNotFinishedIsCalledOff() throws {
        let street = try Street(seed: 5)
        try street.show(Self.content(400, seed: 5))
        try street.move(true)
        try street.wait(.seconds(15)) { (try? street.scene.collecting) == true }
        try street.move(false)
        try street.wait(.seconds(1))
        #expect(try street.scene.cancelled == 1 && street.scene.collecting == nil)
        #expect(try street.take() == nil)
        try street.move(true)
        try street.wait(.seconds(20))
        try street.move(false)
        #expect(try street.scene.collecting == true && street.scene.cancelled == 1)
        // Held once more while that waits: no countdown, and no other code.
        try street.move(true)
        try street.wait(.seconds(4))
        #expect(try street.scene.button == .idle && street.ask { service, _ in !service.beacon.isCollecting })
        try street.move(false)
        // Taken, and never settled.
        let taken = try #require(try street.take())
        try street.wait(.seconds(31))
        #expect(try street.scene.collecting == nil && street.scene.cancelled == 2)
        try street.ask { service, _ in service.noteVisit(taken.number, isKept: true) }
        #expect(try street.scene.done == 0)
    }

    /// Where no place is, or nobody takes codes, or the place is far, a hold is what it always was.
    @Test(arguments: [0, 1, 2]) func withoutAPlaceAHoldIsTheCountdown(_ kind: Int) throws {
        let street = try Street(seed: 6)
        if kind == 1 { street.air.move(street.kiosk.node, x: 60, y: 0) }
        if kind > 0 { try street.show(Self.content(50, seed: 6)) }
        if kind == 2 { try street.ask { service, _ in service.doorHold.hasTaker = false } }
        func scans() throws -> UInt64 { try street.ask { $0.radio(at: $1).scanCount } }
        let before = try scans()
        try street.move(true)
        try street.wait(.seconds(1))
        // It listens for a place unless nobody takes codes; no number says so.
        #expect(try street.ask { service, _ in service.beacon.isCollecting } == (kind != 2))
        try street.wait(.milliseconds(1_500))
        #expect(try street.scene.button == .countdown && street.scene.collecting == nil)
        try street.wait(.seconds(8))
        #expect(try street.scene.button == .release)
        try street.move(false)
        try street.wait(.seconds(1))
        #expect(try street.scene.button == .confirmWanted)
        #expect(try scans() == before)
    }

    /// A countdown that runs when the wearer comes to the place is called off, and nothing is erased.
    @Test func aPlaceThatIsHeardLateCallsTheCountdownOff() throws {
        let street = try Street(seed: 7)
        try street.move(true)
        try street.wait(.seconds(5))
        #expect(try street.scene.button == .countdown)
        try street.show(Self.content(50, seed: 7))
        try street.wait(.seconds(8))
        #expect(try street.scene.button == .idle && street.scene.collecting == true)
        #expect(try street.take() != nil)
    }

    /// A short press asks how the device is, also beside a place.
    @Test func aShortPressIsAPress() throws {
        let street = try Street(seed: 8)
        try street.show(Self.content(50, seed: 8))
        try street.wait(.seconds(2))
        for span in [200, 400] {
            try street.move(true)
            try street.wait(.milliseconds(span))
            try street.move(false)
            try street.wait(.seconds(1))
        }
        #expect(try street.scene.presses == 2 && street.scene.cancelled == 0 && street.scene.collecting == nil)
    }

    /// A beacon that pauses while its board listens would show that the button is held: there it collects nothing.
    @Test func aControllerThatDoesOneThingAtATimeCollectsNothing() throws {
        var controller = ControllerModel()
        controller.canAdvertiseAndScanAtOnce = false
        let street = try Street(seed: 9, controller: controller)
        try street.show(Self.content(50, seed: 9))
        try street.move(true)
        try street.wait(.seconds(1))
        #expect(try street.ask { service, _ in !service.beacon.isCollecting })
        try street.wait(.milliseconds(1_500))
        #expect(try street.scene.button == .countdown)
    }

    /// Two kiosks side by side: the code that comes is one of both, whole.
    @Test(arguments: 0..<10) func twoPlacesNeverMix(_ seed: Int) throws {
        let street = try Street(seed: 20 + seed, loss: 0.1)
        var setup = SimulatedBoard.Setup(seed: UInt64(900 + seed))
        setup.profile = .kiosk
        setup.trust = try TrustStore(keys: [])
        let other = SimulatedBoard(street.air, setup)
        street.room.add(other)
        other.start()
        street.room.run(for: .seconds(12))
        let contents = [Self.content(Self.usualLength, seed: seed), Self.content(Self.usualLength, seed: 100 + seed)]
        try street.show(contents[0])
        try street.show(contents[1], by: other)
        try street.move(true)
        try street.wait(.seconds(12))
        let taken = try #require(try street.take())
        #expect(contents.contains(taken.content))
    }

    // MARK: What was to be shown

    /// From the button to the code, with 30 phones around and a tenth of the packets lost. What the plugin needs on top is not in it. The
    /// figures of docs/check-in-rules.md are these.
    @Test func fromTheButtonToTheCode() throws {
        var times: [Duration] = []
        for seed in 0..<40 {
            let street = try Street(seed: 100 + seed, phones: 30, loss: 0.1, environment: .measured)
            // Half a metre: the air knows nothing nearer than one, where the level is 7.5 dB less.
            street.air.setTransmitPower(8, of: street.kiosk.node)
            let content = Self.content(Self.usualLength, seed: 100 + seed)
            try street.show(content)
            try street.wait(.milliseconds(.random(in: 1_000...6_000, using: &street.generator)))
            let start = street.air.now
            try street.move(true)
            try street.wait(.seconds(20)) {
                guard let taken = (try? street.take()) ?? nil else { return false }
                #expect(taken.content == content)
                times.append(street.air.now - start)
                return true
            }
        }
        #expect(times.count == 40)
        times.sort()
        let (median, worst) = (times[times.count / 2], try #require(times.last))
        print("from the button to the code: median \(median), worst \(worst)")
        #expect(median <= .seconds(5))
        #expect(worst <= .seconds(12))
    }

    /// The longest time between two packets of one identifier: a token that listens instead of sending shows it here, and not in the times at
    /// which identifiers begin and end.
    private static func longestPause(_ packets: [AirReceiver.Packet]) -> Duration {
        zip(packets, packets.dropFirst()).filter { $0.data == $1.data && $0.address == $1.address }
            .map { $1.at - $0.at }.max() ?? .seconds(60)
    }

    /// Between two packets: the longest interval, and the delay of at most ten milliseconds that the specification adds.
    private static let longestInterval = BoardProfile.token.beacon.interval.upperBound + .milliseconds(11)

    /// What is measured below is seen where there is something to be seen: this controller pauses its beacon for each scan.
    @Test func aPauseForAScanIsHeard() throws {
        var controller = ControllerModel()
        controller.canAdvertiseAndScanAtOnce = false
        let street = try Street(seed: 13, controller: controller)
        let packets = street.heard { street.room.run(for: .seconds(600)) }
        #expect(Self.longestPause(packets) > .seconds(3))
    }

    /// What a technician may read of a token's radio, but for how much was heard, which is random.
    private struct Reading {
        let scans, quietScans, lostScans, rotations: UInt64
        let isScanning: Bool
        let ladder: [String: UInt64]
        let evidence: [[UInt64]]
        let secondsOnAir: [Int]

        init(_ street: Street) throws {
            let (radio, hours) = try street.ask { ($0.radio(at: $1), try $0.evidence(since: nil, at: $1)) }
            scans = radio.scanCount
            quietScans = radio.quietScanCount
            lostScans = radio.lostScanCount
            rotations = radio.rotationCount
            isScanning = radio.scanning
            ladder = radio.ladder
            // The last hour has just begun, or goes on.
            evidence = hours.dropLast().map {
                [UInt64($0.start), $0.scanCount, $0.quietScanCount, $0.rotationCount, $0.troubleCount]
            }
            secondsOnAir = hours.dropLast().map { Int($0.secondsOnAir) }
        }

        /// Whether nobody can tell it from the other one. An hour ends with the first thing that a board does in the next one: a press, the next
        /// scan, or, on a board that is really asked, the question.
        func isAs(_ other: Reading) -> Bool {
            scans == other.scans && quietScans == other.quietScans && lostScans == other.lostScans
                && rotations == other.rotations && isScanning == other.isScanning && ladder == other.ladder
                && zip(evidence, other.evidence).allSatisfy { $0 == $1 }
                && zip(secondsOnAir, other.secondsOnAir).allSatisfy { abs($0 - $1) < 300 }
        }
    }

    /// A day of two tokens, of which one checks in twelve times: what both send is the same, byte for byte and moment for moment, and while the
    /// button is held no packet is missing. (Each packet has a random delay of its own, so their moments are not the same.) What a technician
    /// reads of their radios every second meanwhile is the same, too.
    @Test func onAirAPressedTokenIsAsAnyOther() throws {
        func day(
            isPressed: Bool
        ) throws -> (sent: [Broadcast], codes: Int, packets: [[AirReceiver.Packet]], read: [Reading]) {
            let street = try Street(seed: 11)
            var read: [Reading] = []
            let content = Self.content(Self.usualLength, seed: 11)
            var codes = 0
            var packets: [[AirReceiver.Packet]] = []
            for hour in 0..<24 {
                if hour.isMultiple(of: 2) {
                    // The kiosk sends for both, so that nothing else differs.
                    try street.show(content, for: 30)
                    let start = street.air.now
                    packets.append(
                        try street.heard {
                            try street.wait(.seconds(2))
                            if isPressed { try street.move(true) }
                            for _ in 0..<8 {
                                try street.wait(.seconds(1))
                                read.append(try Reading(street))
                            }
                            if isPressed {
                                if let taken = try street.take() {
                                    codes += 1
                                    try street.ask { service, _ in service.noteVisit(taken.number, isKept: true) }
                                }
                                try street.move(false)
                            }
                            try street.wait(.seconds(5))
                        })
                    try street.wait(.seconds(33))
                    read.append(try Reading(street))
                    street.room.run(until: start + .seconds(3_600))
                } else {
                    street.room.run(for: .seconds(3_600))
                }
            }
            return (street.broadcasts(of: street.token), codes, packets, read)
        }
        let (pressed, codes, packets, read) = try day(isPressed: true)
        let (unpressed, none, others, readOfOther) = try day(isPressed: false)
        #expect(read.count == readOfOther.count && read.count > 100)
        let differing = zip(read, readOfOther).first { !$0.isAs($1) }
        #expect(differing == nil)
        #expect(codes == 12 && none == 0)
        #expect(pressed.count == unpressed.count && pressed.count > 70)
        for (one, other) in zip(pressed, unpressed) {
            #expect(one.data == other.data && one.address == other.address)
            #expect(one.start == other.start && one.end == other.end)
        }
        #expect(packets.count == 12 && others.count == 12)
        for (held, free) in zip(packets, others) {
            // Four a second for fifteen seconds; one more or less, since their delays are random.
            #expect(held.count > 50 && abs(held.count - free.count) <= 2, "\(held.count) and \(free.count)")
            #expect(Set(held.map(\.data)) == Set(free.map(\.data)) && Set(held.map(\.address)) == Set(free.map(\.address)))
            #expect(Self.longestPause(held) <= Self.longestInterval && Self.longestPause(free) <= Self.longestInterval)
        }
    }
}
