// SPDX-License-Identifier: Apache-2.0

/// Writes captures in the btsnoop format, version 1, datalink 1002 (HCI UART, H4), as ``CaptureReader`` and other tools read
/// them. It only makes bytes; nothing in a packet is changed.
public enum CaptureWriter {
    /// The sixteen bytes at the beginning of every file.
    public static let heading: [UInt8] = CaptureReader.magic + bytes(1, count: 4) + bytes(1002, count: 4)
    /// The number of bytes in front of each packet.
    public static let headByteCount = CaptureReader.headByteCount

    /// Returns the record of a packet that passed at `time`, in microseconds since 1970; a time that cannot be in a capture
    /// counts as the nearest that can. Commands are marked as sent by the host, everything else as received.
    public static func record(_ packet: HCIPacket, at time: Int64) -> [UInt8] {
        // Bit 0: received; bit 1: a command or an event.
        let flags: UInt64 =
            switch packet.indicator {
            case .command: 2
            case .event: 3
            case .acl, .sco, .iso: 1
            }
        let moment = UInt64(bitPattern: min(max(time, 0), CaptureReader.latest) + CaptureReader.epoch)
        let length = bytes(UInt64(packet.bytes.count), count: 4)
        return length + length + bytes(flags, count: 4) + bytes(0, count: 4) + bytes(moment, count: 8) + packet.bytes
    }

    private static func bytes(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }
}
