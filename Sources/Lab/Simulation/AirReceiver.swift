// SPDX-License-Identifier: Apache-2.0

public import VirtualAir

/// A receiver that shares no code with the firmware, so that it finds faults of the firmware's codec: it encodes HCI
/// commands and decodes reports by itself. Use it on one thread at a time.
public final class AirReceiver {
    /// An advertising packet that was received.
    public struct Packet: Sendable {
        /// The time at which the packet was collected, in time of the air.
        public let at: Duration
        /// The address that the packet came from.
        public let address: AirAddress
        /// The advertising data, at most 31 bytes.
        public let data: [UInt8]
        /// The received strength in dBm; 127 when the controller did not measure it.
        public let rssi: Int8

        /// Creates a packet of these parts, for tests. `moment` is in time of the air, `rssi` in dBm.
        public init(at moment: Duration, address: AirAddress, data: [UInt8], rssi: Int8) {
            at = moment
            self.address = address
            self.data = data
            self.rssi = rssi
        }
    }

    /// The number of the receiver's controller in the air.
    public let node: NodeID
    /// The function that is called with every packet during ``collect()`` and ``listen(_:)``; it does nothing unless set.
    public var handler: (Packet) -> Void = { _ in }
    private let air: VirtualAir

    /// Adds a controller to `air`, which does not listen yet.
    public init(_ air: VirtualAir) {
        self.air = air
        node = air.attach(ControllerModel())
        // Reset; event mask with LE Meta; LE event mask with advertising reports; passive scan of 10 ms in 10 ms.
        air.write([0x01, 0x03, 0x0C, 0x00], to: node)
        air.write([0x01, 0x01, 0x0C, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F], to: node)
        air.write([0x01, 0x01, 0x20, 0x08, 0x02, 0, 0, 0, 0, 0, 0, 0], to: node)
        air.write([0x01, 0x0B, 0x20, 0x07, 0x00, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00], to: node)
        _ = air.takeOutput(of: node)
    }

    /// Switches the receiver on (`true`) or off, and then collects the packets that have arrived.
    public func listen(_ isOn: Bool) {
        air.write([0x01, 0x0C, 0x20, 0x02, isOn ? 1 : 0, 0x00], to: node)
        collect()
    }

    /// Passes every report of a single advertisement that has arrived to ``handler``, and drops everything else. Call it
    /// whenever something may have arrived.
    public func collect() {
        guard air.outputCount(of: node) > 0 else { return }
        let bytes = air.takeOutput(of: node)
        var offset = 0
        while offset + 3 <= bytes.count {
            let end = offset + 3 + Int(bytes[offset + 2])
            guard end <= bytes.count else { return }
            // LE Meta, advertising report, one of them.
            if bytes[offset] == 0x04, bytes[offset + 1] == 0x3E, bytes[offset + 3] == 0x02, bytes[offset + 4] == 1 {
                report(bytes[(offset + 5)..<end])
            }
            offset = end
        }
    }

    /// Event type (1), address type (1), address (6), length (1), data, RSSI (1).
    private func report(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count >= 10, bytes.count == 10 + Int(bytes[start + 8]), let last = bytes.last else { return }
        handler(
            Packet(
                at: air.now,
                address: AirAddress(littleEndian: bytes[(start + 2)..<(start + 8)], isRandom: bytes[start + 1] == 1),
                data: Array(bytes[(start + 9)..<(bytes.endIndex - 1)]), rssi: Int8(bitPattern: last)))
    }
}
