// SPDX-License-Identifier: Apache-2.0

/// One packet between host and controller, in the H4 form: indicator, header, payload (Core Specification, Vol 4 Part A 2
/// and Part E 5.4). Always exactly as long as its header says.
///
/// Has no text form of its content: advertisements in it are sightings.
public struct HCIPacket: Hashable, Sendable {
    /// The first byte on the wire, which says what the packet is (Vol 4 Part A 2).
    public enum Indicator: UInt8, Sendable, CaseIterable {
        /// A command to the controller.
        case command = 1
        /// Data of a connection, either way.
        case acl = 2
        /// Voice, either way; not used here.
        case sco = 3
        /// An event from the controller.
        case event = 4
        /// Isochronous data, either way; not used here.
        case iso = 5

        /// Bytes between indicator and payload.
        var headerByteCount: Int {
            switch self {
            case .command, .sco: return 3
            case .acl, .iso: return 4
            case .event: return 2
            }
        }

        /// The largest packet with this indicator, in bytes with the indicator: what a reader must be ready to hold.
        public var maximumByteCount: Int {
            switch self {
            case .command, .sco, .event: return 1 + headerByteCount + 0xFF
            case .acl: return 1 + headerByteCount + 0xFFFF
            case .iso: return 1 + headerByteCount + 0x3FFF
            }
        }

        /// Length of a whole packet whose first bytes are `start`; they must hold indicator and header.
        func packetByteCount(_ start: [UInt8]) -> Int {
            let payload: Int
            switch self {
            case .command, .sco: payload = Int(start[3])
            case .event: payload = Int(start[2])
            case .acl: payload = Int(start[3]) | Int(start[4]) << 8
            // Vol 4 Part E 5.4.5: 14 bits of length, the upper two are reserved.
            case .iso: payload = Int(start[3]) | Int(start[4] & 0x3F) << 8
            }
            return 1 + headerByteCount + payload
        }
    }

    /// The kind of packet, from its first byte.
    public let indicator: Indicator
    /// The whole packet with its indicator in the first byte: what a transport carries.
    public let bytes: [UInt8]

    /// The bytes behind indicator and header; a slice of ``bytes``, so its indices do not begin at 0.
    public var payload: ArraySlice<UInt8> { bytes[(1 + indicator.headerByteCount)...] }

    /// For ``H4Framer``, which has counted already.
    init(counted bytes: [UInt8], indicator: Indicator) {
        self.bytes = bytes
        self.indicator = indicator
    }

    /// Reads one packet that came alone, as the kernel's user channel hands them out: one `read`, one packet.
    ///
    /// Refuses with ``HCIError/Code/unknownPacketIndicator`` or ``HCIError/Code/packetLengthMismatch``.
    public init(datagram: some Collection<UInt8>) throws(HCIError) {
        let bytes = Array(datagram)
        guard let first = bytes.first else { throw HCIError(.packetLengthMismatch, at: 0, "empty") }
        guard let indicator = Indicator(rawValue: first) else { throw HCIError(.unknownPacketIndicator, at: 0) }
        guard bytes.count > indicator.headerByteCount, indicator.packetByteCount(bytes) == bytes.count else {
            throw HCIError(.packetLengthMismatch, at: 0, "\(bytes.count) bytes")
        }
        self.init(counted: bytes, indicator: indicator)
    }
}

extension HCIPacket: CustomStringConvertible, CustomReflectable {
    /// A text for logs: kind and length, never the content.
    public var description: String { "\(indicator) packet of \(bytes.count) bytes" }
    /// Shows the length alone, so that `dump` prints no sighting.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": bytes.count]) }
}
