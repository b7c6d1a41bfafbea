// SPDX-License-Identifier: Apache-2.0

import Core
import Interfaces
import JSON
import Radio
import Simulation
import Synchronization
import TimeTrust
import Trust
import VirtualAir

@testable import ControlTool

/// A board to be calibrated: the core that ships, on the virtual air, in virtual time, behind a real socket. The technician's hands are
/// ``turn(to:)``.
///
/// The air takes 48.5 dB at 1 m, as two calibrated devices see it, and fades as real phones saw it. How deaf the receiver is, is the loss of a
/// body at the board.
///
/// Unchecked, because board, room and air are no values and know no threads: the test and the thread of the socket use them in turns, under
/// `lock`, but for what a test sets before the first question.
final class CalibrationScene: @unchecked Sendable {
    static let power: Int8 = -12

    let air: VirtualAir
    let board: SimulatedBoard
    let phone: NodeID
    private let room: SimulatedRoom
    private let lock = Mutex<Void>(())
    private let deafness: Double
    /// What each orientation takes, dB.
    var pattern = [Double](repeating: 0, count: 12)
    /// Done when an orientation begins, on the number of times that Enter was pressed until then.
    var turned: (CalibrationScene, Int) -> Void = { _, _ in }
    private var pressCount = 0
    private(set) var isAsked = false

    init(seed: UInt64, deaf: Double = 0, metres: Double = 1, hasButton: Bool = false) throws {
        air = VirtualAir(seed: seed)
        air.epoch = 1_795_298_400
        air.environment.pathLoss.rssiAtOneMetre = -48.5
        air.environment.pathLoss.fading = 3.4
        deafness = deaf
        room = SimulatedRoom(air)
        var setup = SimulatedBoard.Setup(seed: seed)
        setup.profile.hasConsentButton = hasButton
        setup.trust = try TrustStore(keys: [])
        board = SimulatedBoard(air, setup)
        room.add(board)
        board.start()
        air.setBodyLoss(deaf, of: board.node)
        var model = PhoneModel()
        model.transmitPower = Self.power
        phone = air.addPhone(model, path: MotionPath(x: metres, y: 0))
        room.run(for: .seconds(20))
        guard hasButton else { return }
        try board.ask { $0.connectButton(isPressed: false, at: $1) }
        try wait(40)
    }

    /// Somebody walks by with a phone, within half a metre of the board, and stands there for so many seconds.
    func passBy(standing seconds: Int64 = 2) {
        let steps = [(0, 20.0), (7, 0.0), (7 + seconds, 0.0), (14 + seconds, -200.0)]
        air.addPhone(
            path: MotionPath(steps.map { Waypoint(time: air.now + .seconds($0.0), x: 0.5, y: $0.1) }))
    }

    func run(for span: Duration) { lock.withLock { _ in room.run(for: span) } }

    func correction() throws -> Int { try lock.withLock { _ in try board.ask { service, _ in service.correction } } }

    func radio() throws -> Device1.Radio { try lock.withLock { _ in try board.ask { $0.radio(at: $1) } } }

    /// The technician has pressed Enter: the next orientation.
    func turn(to index: Int) {
        lock.withLock { _ in
            air.setBodyLoss(deafness + pattern[index % 12], of: board.node)
            pressCount += 1
            turned(self, pressCount)
        }
    }

    /// The answers of the core to the tool.
    func answer(_ method: String, _ parameters: JSON) -> TestCore.Answer {
        lock.withLock { _ in
            do { return try reply(method, parameters) } catch let refusal as Refusal {
                isAsked = true
                // The wearer is there and presses.
                if refusal.name == "ButtonNeeded" { try? press() }
                return .error("\(Device1.name).\(refusal.name)", ["reason": .string(refusal.parameters.reason)])
            } catch { return .silence }
        }
    }

    private func reply(_ method: String, _ parameters: JSON) throws -> TestCore.Answer {
        let console = Caller(name: "ctl", reading: .windows, spool: nil, presence: "console")
        switch method {
        case "org.vigil.device1.GetMeasurement":
            return .reply(
                try JSON(
                    encoding: Device1.MeasurementReply(
                        measurement: nil, correction: try board.ask { service, _ in service.correction })))
        case "org.vigil.device1.MeasureNeighbours":
            let seconds = try parameters.decode(Device1.MeasureNeighboursCall.self).seconds
            guard try board.ask({ try $0.measureNeighbours(seconds: seconds, by: console, at: $1) }) else {
                return .error("org.varlink.service.InvalidParameter", ["parameter": "seconds"])
            }
            return .reply([:])
        case "org.vigil.device1.GetNeighbours":
            return .reply(try neighbours(console))
        case "org.vigil.device1.GetRadio":
            return .reply(try JSON(encoding: Device1.RadioReply(radio: try board.ask { $0.radio(at: $1) })))
        case "org.vigil.device1.SetCorrection":
            let value = try parameters.decode(Device1.SetCorrectionCall.self).correction
            _ = try board.ask { try $0.setCorrection(value, by: console, at: $1) }
            return .reply([:])
        default: return .silence
        }
    }

    private func neighbours(_ console: Caller) throws -> JSON {
        // Up to its end, and no further: what is near afterwards is another orientation's.
        while try board.ask({ try $0.neighbours(for: console, at: $1) })?.running == true { room.run(for: .seconds(1)) }
        return try JSON(
            encoding: Device1.NeighboursReply(neighbours: try board.ask { try $0.neighbours(for: console, at: $1) }))
    }

    private func press() throws {
        try board.ask { $0.moveButton(isPressed: true, before: .zero, at: $1) }
        try wait()
        try board.ask { $0.moveButton(isPressed: false, before: .zero, at: $1) }
        try wait()
    }

    private func wait(_ turns: Int = 4) throws {
        for _ in 0..<turns {
            room.run(for: .milliseconds(50))
            try board.ask { $0.advanceButton(to: $1) }
        }
    }
}
