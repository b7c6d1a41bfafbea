// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Interfaces
import Radio
import Simulation
import Testing
import TimeTrust
import Trust
import VirtualAir

@testable import Core

/// What a calibration at the console is told about who is near, and what it costs.
@Suite struct NeighbourTests {
    private static var console: Caller { ExposureServiceBench.caller() }

    private func sender(_ number: UInt8) throws -> AdvertisingPayload {
        let keys = try IdentifierKeys(SecretBytes(copying: [UInt8](repeating: number, count: 16)))
        let identifier = keys.identifier(for: ENIN(2_880_000))
        return AdvertisingPayload(
            identifier: identifier,
            metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier))
    }

    // MARK: Numbers

    @Test func theLoudestIsDescribedAndTheNextOneIsTold() throws {
        var measurement = NeighbourMeasurement(end: .seconds(30))
        #expect(measurement.result(at: .zero).median == nil && measurement.result(at: .zero).secondsLeft == 30)
        measurement.scanStarted(at: .zero)
        for number in 0..<40 {
            let moment = Duration.milliseconds(number * 100)
            measurement.add(try sender(1), Int8(-60 - number % 4 * 2), at: moment)
            measurement.add(try sender(2), -90, at: moment)
        }
        // One who passes by is louder, and is not what lies there; four packets say nothing at all.
        for number in 0..<10 { measurement.add(try sender(3), -62, at: .milliseconds(number * 100)) }
        for _ in 0..<4 { measurement.add(try sender(4), -20, at: .seconds(1)) }
        measurement.add(try sender(1), 127, at: .seconds(1))
        measurement.add(try sender(1), -20, at: .seconds(30))
        measurement.scanStarted(at: .seconds(30))
        let result = measurement.result(at: .seconds(30))
        #expect(!result.running && result.secondsLeft == 0 && result.scanCount == 1)
        #expect(result.count == 40 && result.median == -64)
        #expect(result.lowerQuartile == -66 && result.upperQuartile == -62 && result.deviation == 2)
        #expect(result.otherCount == 10 && result.otherMedian == -62 && !result.changed)
    }

    /// It is not linked with the one before: there is a sender that ended and one that began.
    @Test func aChangeOfIdentifierIsTold() throws {
        var measurement = NeighbourMeasurement(end: .seconds(30))
        for number in 0..<100 {
            measurement.add(try sender(number < 70 ? 1 : 2), -60, at: .milliseconds(number * 250))
        }
        let result = measurement.result(at: .seconds(29))
        #expect(result.changed && result.count == 70 && result.otherCount == 0)
        // Who is at another distance is somebody else.
        var other = NeighbourMeasurement(end: .seconds(30))
        for number in 0..<100 {
            other.add(try sender(number < 70 ? 1 : 2), number < 70 ? -60 : -75, at: .milliseconds(number * 250))
        }
        #expect(!other.result(at: .seconds(29)).changed)
    }

    /// A thousand senders, and a flood of one, take no more memory and stop nothing.
    @Test func aCrowdIsBounded() throws {
        var measurement = NeighbourMeasurement(end: .seconds(30))
        let flooding = try sender(7)
        for _ in 0..<70_000 { measurement.add(flooding, -50, at: .zero) }
        #expect(measurement.result(at: .zero).count == 65_535)
        let keys = try IdentifierKeys(SecretBytes(copying: [UInt8](repeating: 1, count: 16)))
        for number in 0..<1_000 as Range<UInt32> {
            let identifier = keys.identifier(for: ENIN(number))
            let payload = AdvertisingPayload(
                identifier: identifier,
                metadata: keys.encrypt(.version11(transmitPower: 0, confidence: .low), with: identifier))
            for _ in 0..<5 { measurement.add(payload, -30, at: .zero) }
        }
        #expect(measurement.result(at: .zero).median == -50 && measurement.result(at: .zero).otherMedian == -30)
    }

    // MARK: Who may

    private func refusal(_ bench: ExposureServiceBench, _ caller: Caller, seconds: Int = 10) -> String? {
        do {
            return try bench.service.measureNeighbours(seconds: seconds, by: caller, at: bench.now) ? nil : "Invalid"
        } catch { return error.name }
    }

    private func wait(_ bench: ExposureServiceBench, _ turns: Int = 4) {
        for _ in 0..<turns {
            bench.pass(.milliseconds(50))
            bench.service.advanceButton(to: bench.now)
        }
    }

    @Test func onePressIsGoodForOneCalibration() throws {
        var profile = BoardProfile.token
        profile.hasConsentButton = true
        let bench = try ExposureServiceBench(profile: profile)
        bench.service.connectButton(isPressed: false, at: bench.now)
        wait(bench, 40)
        func press() {
            bench.service.moveButton(isPressed: true, before: .zero, at: bench.now)
            wait(bench)
            bench.service.moveButton(isPressed: false, before: .zero, at: bench.now)
            wait(bench)
        }
        // Neither a press before it was asked for, nor one for a recording.
        press()
        #expect(refusal(bench, Self.console) == "ButtonNeeded")
        #expect(try bench.service.neighbours(for: Self.console, at: bench.now) == nil)
        press()
        #expect(refusal(bench, Self.console) == nil)
        let begun = bench.now
        let entry = try #require(try bench.service.audit(after: nil).records.last)
        #expect(entry.kind == "calibrationBegun" && entry.details == ["presence": "button"])
        #expect(throws: Refusal.self) {
            try bench.service.startRecording(
                seconds: 60, by: ExposureServiceBench.caller(spool: nil), at: bench.now)
        }
        bench.pass(.seconds(14 * 60))
        #expect(refusal(bench, Self.console) == nil)
        #expect(try bench.service.audit(after: nil).records.filter { $0.kind == "calibrationBegun" }.count == 1)
        bench.pass(.nanoseconds(begun.nanoseconds - bench.now.nanoseconds) + .seconds(15 * 60))
        #expect(refusal(bench, Self.console) == "ButtonNeeded")
    }

    @Test func onlyTheConsoleMeasures() throws {
        let bench = try ExposureServiceBench()
        for presence in ["caller", "signedIn", "button"] {
            let caller = Caller(name: "page", reading: .nothing, spool: nil, presence: presence)
            #expect(refusal(bench, caller) == "WrongRole")
            #expect(throws: Refusal.self) { try bench.service.neighbours(for: caller, at: bench.now) }
        }
        for seconds in [Int.min, 0, 1, 61, Int.max] { #expect(refusal(bench, Self.console, seconds: seconds) == "Invalid") }
        #expect(refusal(bench, Self.console) == nil)
    }

    // MARK: On air

    private struct Place {
        let air: VirtualAir
        let room: SimulatedRoom
        let board: SimulatedBoard

        init(controller: ControllerModel = ControllerModel(), role: BoardProfile = .token, seed: UInt64) throws {
            air = VirtualAir(seed: seed)
            air.epoch = Bench.epoch
            room = SimulatedRoom(air)
            var setup = SimulatedBoard.Setup(seed: seed)
            setup.controller = controller
            setup.profile = role
            setup.trust = try TrustStore(keys: [])
            board = SimulatedBoard(air, setup)
            room.add(board)
            board.start()
            room.run(for: .seconds(20))
        }

        @discardableResult func measure(_ seconds: Int) throws -> Device1.Neighbours {
            #expect(try board.ask { try $0.measureNeighbours(seconds: seconds, by: NeighbourTests.console, at: $1) })
            room.run(for: .seconds(seconds))
            return try look()
        }

        func look() throws -> Device1.Neighbours {
            try #require(try board.ask { try $0.neighbours(for: NeighbourTests.console, at: $1) })
        }

        func radio() throws -> Device1.Radio { try board.ask { $0.radio(at: $1) } }
    }

    /// The default air: a phone of -12 dBm is heard at -53 dBm at 1 m, every 250 to 260 ms, and nearly all of that is heard.
    @Test(arguments: [BoardProfile.token, .kiosk]) func theRadioListensAllTheTimeAndRestsAfterwards(
        role: BoardProfile
    ) throws {
        let place = try Place(role: role, seed: 1)
        place.air.addPhone(path: MotionPath(x: 1, y: 0))
        place.air.addPhone(path: MotionPath(x: 4, y: 0))
        let result = try place.measure(30)
        #expect(!result.running && result.median == -53 && result.otherMedian == -65)
        #expect((110...120).contains(result.count) && (110...120).contains(result.otherCount), "\(result)")
        let after = try place.radio().scanCount
        place.room.run(for: .seconds(50))
        // Only the rhythm's own, and what was under way.
        #expect(try place.radio().scanCount <= after + (role.role == .place ? 2 : 1))
        place.room.run(for: .seconds(600))
        #expect(try place.radio().scanCount >= after + 2)
        #expect(try place.look().count == result.count)
    }

    /// A crowd that leaves at once is what a receiver gone deaf hears, in the scans of the rhythm; not in those of a measurement.
    @Test(arguments: [true, false]) func nobodyThereIsNoTrouble(measures: Bool) throws {
        let place = try Place(seed: 2)
        let crowd = (0..<5).map { _ in place.air.addPhone() }
        place.room.run(for: .seconds(1_000))
        for phone in crowd { place.air.remove(phone) }
        if measures {
            for _ in 0..<10 {
                let result = try place.measure(30)
                #expect(result.count == 0 && result.median == nil && result.scanCount >= 7)
            }
        } else {
            place.room.run(for: .seconds(600))
        }
        // What it asks a controller that was silent for a minute is no trouble.
        let trouble = try place.radio().ladder.keys.filter { $0 != Rung.proveAlive.name }
        #expect(trouble.isEmpty == measures, "\(trouble)")
    }

    /// Also when the controller goes away meanwhile.
    @Test func aControllerThatDiesEndsNothingElse() throws {
        let place = try Place(seed: 3)
        place.air.addPhone(path: MotionPath(x: 1, y: 0))
        #expect(try place.board.ask { try $0.measureNeighbours(seconds: 60, by: Self.console, at: $1) })
        place.room.run(for: .seconds(10))
        place.air.apply(Fault(.vanish, for: .seconds(20)), to: place.board.node)
        place.room.run(for: .seconds(50))
        let result = try place.look()
        #expect(!result.running && result.median == -53 && (60...190).contains(result.count), "\(result)")
        let after = try place.radio()
        #expect(after.onAir)
        place.room.run(for: .seconds(900))
        #expect(try (3...6).contains(place.radio().scanCount - after.scanCount))
    }

    @Test func whoCannotDoBothAtOnceHearsHalf() throws {
        var controller = ControllerModel()
        controller.canAdvertiseAndScanAtOnce = false
        let place = try Place(controller: controller, seed: 4)
        place.air.addPhone(path: MotionPath(x: 1, y: 0))
        let result = try place.measure(30)
        #expect((40...75).contains(result.count) && result.median == -53, "\(result)")
    }

    /// Forty minutes of measuring beside as many without: the beacon is as punctual, and pauses no longer.
    @Test func theBeaconGoesOn() throws {
        var found: [(lateness: Int64, pause: Duration, turns: Int)] = []
        for measures in [false, true] {
            let place = try Place(seed: 5)
            place.air.addPhone(path: MotionPath(x: 1, y: 0))
            var (broadcasts, begun): ([Broadcast], Set<AirAddress>) = ([], [])
            place.air.addObserver {
                guard $0.node == place.board.node else { return }
                begun.insert($0.address)
                if $0.end != nil { broadcasts.append($0) }
            }
            for _ in 0..<80 {
                if measures { try place.measure(30) } else { place.room.run(for: .seconds(30)) }
            }
            var pause = Duration.zero
            for (one, next) in zip(broadcasts, broadcasts.dropFirst()) {
                pause = max(pause, next.start - (one.end ?? next.start))
            }
            found.append(
                (Int64(try place.radio().worstRotationLateness), pause, begun.count))
        }
        #expect(found.allSatisfy { $0.lateness <= 1 && $0.pause <= .milliseconds(10) && $0.turns >= 2 }, "\(found)")
        #expect(found[0].turns == found[1].turns)
    }
}
