// SPDX-License-Identifier: Apache-2.0

public import HCI

/// The steps by which a controller is made to work again, mildest first.
public enum Rung: UInt8, Sendable, Comparable, CaseIterable {
    /// Ask the controller something that only a working controller answers correctly.
    case proveAlive = 1
    /// Switch the receiver off and on again.
    case restartScan
    /// Send HCI Reset, which interrupts broadcasting for some milliseconds.
    case resetController
    /// Close the transport and open it again, which reloads the drivers of adapters.
    case reopenTransport
    /// Ask for the controller's power to be cut, which only the board can do.
    case askForPowerCycle

    /// Returns whether `left` is the milder step.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The stable word for the step in logs, counters and the state file, such as `reset-controller`.
    public var name: String {
        switch self {
        case .proveAlive: "prove-alive"
        case .restartScan: "restart-scan"
        case .resetController: "reset-controller"
        case .reopenTransport: "reopen-transport"
        case .askForPowerCycle: "ask-for-power-cycle"
        }
    }
}

/// The reasons for taking a step of the ladder.
public enum Trouble: Sendable, Equatable, CustomStringConvertible {
    /// A command got no answer in time, or the controller gave no credit to send it.
    case silent
    /// The controller refused a command that must work, with this status.
    case refused(Opcode, HCIStatus)
    /// The controller's answer to this command cannot be read.
    case malformedAnswer(Opcode)
    /// The controller reports a fault of its own, with a code that its manufacturer defines.
    case hardwareError(UInt8)
    /// The controller had stopped scanning by itself.
    case lostScan
    /// At least three advertisers were received in each of the last scans (two to four), then none.
    case suddenSilence
    /// An advertising set stopped by itself.
    case advertisingEnded

    /// A sentence in English for logs; contains no address and no identifier.
    public var description: String {
        switch self {
        case .silent: "the controller does not answer"
        case .refused(let opcode, let status): "the controller refuses \(opcode.name): \(status)"
        case .malformedAnswer(let opcode): "the answer to \(opcode.name) cannot be read"
        case .hardwareError(let code): "the controller reports hardware error \(code)"
        case .lostScan: "the controller had stopped scanning by itself"
        case .suddenSilence: "nothing is heard where several advertisers were"
        case .advertisingEnded: "the controller ended advertising by itself"
        }
    }
}

/// Decides how hard to try: gentler steps first, harder ones when trouble comes back soon, never faster than a bound.
struct Ladder: Sendable, Equatable {
    /// Trouble that comes back within this time climbs higher.
    static let calm: Duration = .seconds(60)
    /// Reopenings in a row before power is asked to be cut. A driver that reloads firmware may need two.
    static let reopeningsBeforePower = 3
    /// Shortest time between two requests to cut the power: a hub needs seconds, a person minutes.
    static let powerPause: Duration = .seconds(600)
    /// Waiting times before the transport is opened again; the last one repeats.
    static let reopenDelays: [Duration] = [
        .milliseconds(50), .milliseconds(500), .seconds(2), .seconds(5), .seconds(10), .seconds(30),
    ]
    /// The same for a transport that was lost, where somebody may be plugging it in again.
    static let lostDelays: [Duration] = [
        .milliseconds(20), .milliseconds(100), .milliseconds(300), .milliseconds(500), .seconds(1), .seconds(2),
        .seconds(5),
    ]

    /// A transport that was there this long was no flicker: its next loss is tried again quickly.
    static let transportWorksAfter: Duration = .seconds(5)

    private var height: Rung?
    private var lastTrouble: Duration?
    private var lastPowerRequest: Duration?
    private(set) var reopeningsInARow = 0
    private var lossesInARow = 0

    /// What to do about trouble now.
    mutating func climb(at now: Duration) -> (rung: Rung, alsoAskForPower: Bool) {
        if let lastTrouble, now - lastTrouble > Self.calm { settle() }
        lastTrouble = now
        let rung: Rung
        switch height {
        case nil, .proveAlive, .restartScan: rung = .resetController
        case .resetController, .reopenTransport, .askForPowerCycle: rung = .reopenTransport
        }
        height = rung
        guard rung == .reopenTransport else { return (rung, false) }
        reopeningsInARow += 1
        guard reopeningsInARow > Self.reopeningsBeforePower,
            lastPowerRequest.map({ now - $0 >= Self.powerPause }) ?? true
        else { return (rung, false) }
        lastPowerRequest = now
        return (rung, true)
    }

    /// How long to wait before opening the transport for the ``reopeningsInARow``-th time.
    var reopenDelay: Duration { Self.delay(Self.reopenDelays, max(reopeningsInARow - 1, 0)) }

    /// How long to wait after the transport was lost, or could not be opened.
    mutating func delayAfterLoss() -> Duration {
        defer { lossesInARow += 1 }
        return Self.delay(Self.lostDelays, lossesInARow)
    }

    /// The transport was there for long enough.
    mutating func transportWorks() { lossesInARow = 0 }

    /// There was no trouble for long enough: the next one starts at the foot.
    mutating func settle() {
        height = nil
        reopeningsInARow = 0
    }

    private static func delay(_ delays: [Duration], _ index: Int) -> Duration { delays[min(index, delays.count - 1)] }
}
