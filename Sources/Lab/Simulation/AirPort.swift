// SPDX-License-Identifier: Apache-2.0

public import HCI
public import VirtualAir

/// A board's transport to a controller in a ``VirtualAir``. It fails as a real one does: it vanishes, refuses to open, is out of step. One thread.
public final class AirPort {
    /// An event of a transport, for its owner.
    public enum Event: Equatable {
        /// The port is open: packets go through from now on.
        case opened
        /// The port could not be opened.
        case openFailed
        /// The port was lost while it was open.
        case lost
        /// A packet came from the controller.
        case packet(HCIPacket)
    }

    /// The air in which the controller is.
    public let air: VirtualAir
    /// The controller's number; stays the same over reopenings.
    public let node: NodeID
    /// Whether packets go through, as far as ``takeEvents()`` has told: it stays `true` until a loss is told.
    public private(set) var isOpen = false
    private var openAt: Duration?
    private var framer = H4Framer(sender: .controller)

    /// Adds a controller to `air`. The port is not open yet: the next ``takeEvents()`` tries it.
    public init(_ air: VirtualAir, _ model: ControllerModel = ControllerModel()) {
        self.air = air
        node = air.attach(model)
        air.detach(node)
        openAt = air.now
    }

    /// The time of the next try to open the port, in time of the air. `nil` when none is under way: the port is open, closed for good or lost, or
    /// its last try failed.
    public var nextEvent: Duration? { openAt }

    /// Hands H4 bytes to the controller, cut anywhere; dropped while the port is closed.
    public func send(_ bytes: [UInt8]) { if isOpen { air.write(bytes, to: node) } }

    /// Closes, and tries once to open after `delay` of the air's time; ``takeEvents()`` says how that went. Takes the place of an earlier try.
    public func reopen(after delay: Duration) {
        close()
        openAt = air.now + delay
    }

    /// Closes for good: no try to open is under way afterwards.
    public func close() {
        if isOpen { air.detach(node) }
        isOpen = false
        openAt = nil
    }

    /// Events up to now, oldest first; empty without any. A loss is told once, after the packets before it; bytes that are no packets are a loss,
    /// too.
    public func takeEvents() -> [Event] {
        if let due = openAt, air.now >= due {
            openAt = nil
            guard air.reattach(node) else { return [.openFailed] }
            isOpen = true
            framer.reset()
            return [.opened]
        }
        guard isOpen else { return [] }
        var events: [Event] = []
        do throws(HCIError) {
            try framer.push(air.takeOutput(of: node)) { events.append(.packet($0)) }
            if air.isConnected(node) { return events }
        } catch {
            air.detach(node)
        }
        isOpen = false
        return events + [.lost]
    }
}
