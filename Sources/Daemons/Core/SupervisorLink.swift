// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeyIntake
public import ProcessLink
import Varlink
public import VarlinkSocket

/// The core's end of the connection to the supervisor: callers and the radio come over it, signs of life go back (docs/supervisor.md).
///
/// The supervisor decides who may call; what it says is still checked, so that its mistake is a line in the log and not a hole.
/// Used from the thread of the beacon; never waits.
public final class SupervisorLink {
    /// One thing that the supervisor wants, or tells.
    public enum Order {
        /// Serve a caller, by a socket that listens already.
        case serve(Caller, Edge)
        /// Serve the caller of that name no more.
        case turnAway(String)
        /// Use this radio: an open descriptor, to be adopted as it is.
        case useRadio(descriptor: Int32)
        /// Use this button: an open descriptor of the board's line, to be adopted as it is.
        case useButton(descriptor: Int32)
        /// Stop in good order.
        case stop
        /// The answer to an order that the core has given the supervisor.
        case answered(SupervisorAnswer)
        /// Note in the audit log that the board stops because of its battery: `percent` is how full that is, or what else the gauge tells, `stops`
        /// how many times in a row. The order to stop follows.
        case noteBattery([String: String])
        /// The battery has become low, or is not low any more: for whoever shows it.
        case showBattery(isLow: Bool)
        /// The supervisor sent something that makes no sense: a sentence for the log.
        case refused(String)
    }

    private let socket: ControlSocket
    private let service: ServiceDescription
    private let interval: Duration
    private var lastAlive: Duration?
    private var isReady = false
    private var rotationDue: Duration?
    private var isGone = false
    /// The place of the radio that was handed over last, as the operator wrote it; `nil` while none was, or if the supervisor did not say it.
    public private(set) var radioName: String?

    /// Takes over the connection in this process's environment.
    ///
    /// - Throws: An error of ``CoreSockets`` when the core's own interfaces cannot be read: a mistake of the build.
    public init(_ environment: ProcessEnvironment) throws {
        socket = ControlSocket(adopting: environment.control)
        interval = .seconds(environment.heartbeat) / 3
        service = try CoreSockets.service()
    }

    /// For `poll`: readable when there are orders, or when the supervisor is gone; -1 once that was told.
    public var descriptor: Int32 { isGone ? -1 : socket.descriptor }

    /// The moment when ``report(secondsOnAir:at:)`` is wanted at the latest, on the boot clock; it may be past.
    public var due: Duration { (lastAlive ?? .zero) + interval }

    /// All orders that have come, oldest first; empty if none has. Descriptors in them are the caller's to close. The supervisor's end is an order to
    /// stop, told once: who started this process can no longer watch it.
    public func takeOrders() -> [Order] {
        var orders: [Order] = []
        while !isGone {
            switch socket.receive() {
            case .message(let message, let descriptor):
                if let order = order(message, descriptor) { orders.append(order) }
            case .malformed: orders.append(.refused("the supervisor sent something that is no order"))
            case .nothing: return orders
            case .closed:
                isGone = true
                orders.append(.stop)
            }
        }
        return orders
    }

    /// Tells the supervisor at `now`, on the boot clock, what it does not know yet: with the first call that the core works; for how many seconds the
    /// identifier on air is good (`nil` while none is), if its end has moved by more than 2 seconds; and a sign of life when that is due.
    public func report(secondsOnAir: Int64?, at now: Duration) {
        if !isReady {
            isReady = true
            socket.send("READY")
        }
        let rotation = secondsOnAir.map { now + .seconds($0) }
        // Whole seconds round: only a new identifier moves it by more.
        let isMoved =
            switch (rotation, rotationDue) {
            case (let new?, let old?): new - old > .seconds(2) || old - new > .seconds(2)
            case (nil, nil): false
            default: true
            }
        if isMoved {
            rotationDue = rotation
            socket.send(ControlMessage("ON-AIR", ["seconds": "\(secondsOnAir ?? 0)"]))
        }
        guard lastAlive.map({ now - $0 >= interval }) ?? true else { return }
        lastAlive = now
        socket.send("ALIVE")
    }

    /// Tells the supervisor that the radio was lost, or is none: only the supervisor can open another. The answer is an
    /// ``Order``. Cannot fail.
    public func askForRadio() { socket.send("RADIO-LOST") }

    /// Asks for something to be done; `false` when the supervisor does not take it now, or is gone.
    public func send(_ message: ControlMessage) -> Bool { !isGone && socket.send(message) == .sent }

    private func order(_ message: ControlMessage, _ descriptor: Int32?) -> Order? {
        switch message.verb {
        case "EDGE": return serve(message, descriptor)
        case "RADIO":
            guard let descriptor else { return .refused("RADIO came without a radio") }
            radioName = message.values["address"]
            return .useRadio(descriptor: descriptor)
        case "BUTTON":
            guard let descriptor else { return .refused("BUTTON came without a button") }
            return .useButton(descriptor: descriptor)
        default:
            if let descriptor { close(descriptor) }
            switch message.verb {
            case "UNEDGE": return message.values["caller"].map { .turnAway($0) }
            case "STOP": return .stop
            case "BATTERY": return .noteBattery(message.values)
            case "BATTERY-LOW": return .showBattery(isLow: message.values["low"] == "true")
            case SupervisorAnswer.verb:
                return SupervisorAnswer(message).map { .answered($0) } ?? .refused("the supervisor's answer makes no sense")
            // The core serves from the first edge on, and has no settings.
            case "START", "SETTINGS": return nil
            default: return .refused("the supervisor wants \(message.verb), which this core does not know")
            }
        }
    }

    private func serve(_ message: ControlMessage, _ descriptor: Int32?) -> Order {
        guard let descriptor else { return .refused("EDGE came without a socket") }
        let name = message.values["caller"] ?? ""
        do {
            let names = (message.values["grants"] ?? "").split(separator: ",").map(String.init)
            let grants = try Grants(Set(names))
            let users = message.values["users"].map { Set($0.split(separator: ",").compactMap { UInt32($0) }) }
            let spool = try message.values["spool"].map { try Spool(path: $0) }
            // Last of what can fail: from here on the descriptor is the listener's to close.
            let listener = try VarlinkListener(adopting: descriptor, allowedUsers: users)
            let isConsole = message.values["presence"] == "console"
            let edge = Edge(
                name: name, listener: listener, grants: grants, description: service, isPaced: !isConsole)
            let caller = Caller(
                name: name, spool: spool, presence: message.values["presence"] ?? "caller", isGranted: grants.allows)
            return .serve(caller, edge)
        } catch {
            close(descriptor)
            return .refused("\(name) cannot be served: \(error)")
        }
    }
}
