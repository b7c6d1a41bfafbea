// SPDX-License-Identifier: Apache-2.0

/// A packet between host and controller in the form of H4: indicator, header and payload (Core Specification, Vol 4 Part A
/// 2 and Part E 5.4). Its length always agrees with its header.
///
/// Its text form does not show the content, because received advertisements may identify a person.
public struct HCIPacket: Hashable, Sendable {
    /// The first byte of a packet, which gives its kind (Vol 4 Part A 2).
    public enum Indicator: UInt8, Sendable, CaseIterable {
        /// A command to the controller.
        case command = 1
        /// Data of a connection, in either direction.
        case acl = 2
        /// Voice, in either direction; not used here.
        case sco = 3
        /// An event from the controller.
        case event = 4
        /// Isochronous data, in either direction; not used here.
        case iso = 5

        /// Bytes between indicator and payload.
        var headerByteCount: Int {
            switch self {
            case .command, .sco: return 3
            case .acl, .iso: return 4
            case .event: return 2
            }
        }

        /// The size in bytes of the largest packet of this kind, including the indicator; a reader needs this much room.
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

    /// The kind of the packet.
    public let indicator: Indicator
    /// The complete packet, beginning with its indicator, as a transport carries it.
    public let bytes: [UInt8]

    /// The bytes after indicator and header. A slice of ``bytes``, so its indices do not begin at 0.
    public var payload: ArraySlice<UInt8> { bytes[(1 + indicator.headerByteCount)...] }

    /// For ``H4Framer``, which has counted already.
    init(counted bytes: [UInt8], indicator: Indicator) {
        self.bytes = bytes
        self.indicator = indicator
    }

    /// Reads a packet that arrived separately, as from the kernel's user channel, where each `read` returns one packet.
    ///
    /// Throws ``HCIError/Code/unknownPacketIndicator`` if the first byte is not an indicator, and
    /// ``HCIError/Code/packetLengthMismatch`` if there are no bytes or their number disagrees with the header.
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
    /// A text for logs with kind and length, never the content.
    public var description: String { "\(indicator) packet of \(bytes.count) bytes" }
    /// A mirror with the length only, so that `dump` shows nothing that may identify a person.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": bytes.count]) }
}
