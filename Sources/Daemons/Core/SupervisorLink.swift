// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeyIntake
public import ProcessLink
import Varlink
public import VarlinkSocket

/// The core's end of the connection to the supervisor: callers and the radio arrive over it, and signs of life are sent
/// back (docs/supervisor.md).
///
/// The supervisor decides who may call; its messages are checked all the same, so that a mistake of its leads to a line in
/// the log and not to a hole. Used on the thread of the beacon; it never waits.
public final class SupervisorLink {
    /// One order or report of the supervisor.
    public enum Order {
        /// Serve a caller, by a socket that listens already.
        case serve(Caller, Edge)
        /// Stop serving the caller with this name.
        case turnAway(String)
        /// Use this radio: an open descriptor, to be adopted as it is.
        case useRadio(descriptor: Int32)
        /// Use this button: an open descriptor of the board's line, to be adopted as it is.
        case useButton(descriptor: Int32)
        /// Stop in order.
        case stop
        /// The answer to an order that the core has given the supervisor.
        case answered(SupervisorAnswer)
        /// Note in the audit log that the board stops because of its battery: `percent` is its charge, or another value of
        /// the gauge, and `stops` the number of such stops in a row. The order to stop follows.
        case noteBattery([String: String])
        /// Show whether the battery is low.
        case showBattery(isLow: Bool)
        /// A message of the supervisor that is not valid: a sentence for the log.
        case refused(String)
    }

    private let socket: ControlSocket
    private let service: ServiceDescription
    private let interval: Duration
    private var lastAlive: Duration?
    private var isReady = false
    private var rotationDue: Duration?
    private var wasWanted: Bool?
    private var isGone = false
    /// The location of the radio that was last handed over, as the operator wrote it; `nil` if none was, or if the
    /// supervisor did not name it.
    public private(set) var radioName: String?

    /// Takes over the connection in this process's environment. Signs of life are sent three times as often as the
    /// supervisor expects them.
    ///
    /// - Throws: `VarlinkError` if the core's own interfaces cannot be read, which is a fault of the build.
    public init(_ environment: ProcessEnvironment) throws {
        socket = ControlSocket(adopting: environment.control)
        interval = .seconds(environment.heartbeat) / 3
        service = try CoreSockets.service()
    }

    /// The descriptor to poll: it is readable if there are orders, or if the supervisor is gone; -1 after that was
    /// reported.
    public var descriptor: Int32 { isGone ? -1 : socket.descriptor }

    /// The time at which ``report(secondsOnAir:at:)`` has to be called at the latest, on the boot clock; it may be past.
    public var due: Duration { (lastAlive ?? .zero) + interval }

    /// Returns all orders that have arrived, oldest first; empty if there are none. The caller owns the descriptors
    /// of radios and buttons in them; that of a listener belongs to its edge. The supervisor's end becomes an order
    /// to stop, once, because a process that is gone cannot watch this one.
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

    /// Tells the supervisor at `now`, on the boot clock, the news of the core: with the first call, that the core
    /// works; if its end has moved by more than 2 seconds, for how many seconds the identifier on air is still good
    /// (`nil` if none is on air), and whether the device is switched on at all (`isWanted`); and a sign of life if that is due. Never waits: a message that cannot be sent is
    /// lost, though it counts as sent.
    public func report(secondsOnAir: Int64?, isWanted: Bool, at now: Duration) {
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
        if isMoved || isWanted != wasWanted {
            rotationDue = rotation
            wasWanted = isWanted
            socket.send(
                ControlMessage("ON-AIR", ["seconds": "\(secondsOnAir ?? 0)", "wanted": isWanted ? "1" : "0"]))
        }
        guard lastAlive.map({ now - $0 >= interval }) ?? true else { return }
        lastAlive = now
        socket.send("ALIVE")
    }

    /// Tells the supervisor that the radio was lost, or is not usable, because only the supervisor can open another. The
    /// answer is an ``Order``. Cannot fail.
    public func askForRadio() { socket.send("RADIO-LOST") }

    /// Sends a message to the supervisor; returns `false` if it cannot be sent now, or the supervisor is gone.
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
