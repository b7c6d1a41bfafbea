// SPDX-License-Identifier: Apache-2.0

public import HCI
public import VirtualAir

/// The transport between a board and its controller in a ``VirtualAir``. It fails as a real one does: it is lost, does not
/// open, or delivers bytes that are not packets. Use it on one thread.
public final class AirPort {
    /// An event of the transport, for its owner.
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

    /// The air that the controller is in.
    public let air: VirtualAir
    /// The number of the controller, which stays the same when the port is opened again.
    public let node: NodeID
    /// Whether packets pass, as far as ``takeEvents()`` has reported: it stays `true` until a loss is reported.
    public private(set) var isOpen = false
    private var openAt: Duration?
    private var framer = H4Framer(sender: .controller)

    /// Adds a controller to `air`. The port is closed; the next ``takeEvents()`` tries to open it.
    public init(_ air: VirtualAir, _ model: ControllerModel = ControllerModel()) {
        self.air = air
        node = air.attach(model)
        air.detach(node)
        openAt = air.now
    }

    /// The time of the next attempt to open the port, in time of the air; `nil` if none is planned: the port is open,
    /// closed for good or lost, or the last attempt failed.
    public var nextEvent: Duration? { openAt }

    /// Sends H4 bytes, split anywhere, to the controller; they are dropped while the port is closed.
    public func send(_ bytes: [UInt8]) { if isOpen { air.write(bytes, to: node) } }

    /// Closes the port, and tries once to open it after `delay` of the air's time; ``takeEvents()`` reports the result.
    /// Replaces an earlier planned attempt.
    public func reopen(after delay: Duration) {
        close()
        openAt = air.now + delay
    }

    /// Closes the port for good, and cancels a planned attempt to open it.
    public func close() {
        if isOpen { air.detach(node) }
        isOpen = false
        openAt = nil
    }

    /// Returns the events up to now, oldest first; empty if there are none. A loss is reported once, after the packets
    /// before it. Bytes that are not packets count as a loss.
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
