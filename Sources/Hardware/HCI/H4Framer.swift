// SPDX-License-Identifier: Apache-2.0

/// Cuts the H4 stream of a serial line or a socket into packets (Core Specification, Vol 4 Part A 2), whatever pieces it
/// arrives in.
///
/// Holds at most one unfinished packet: 65,540 bytes when an ACL header claims the maximum, 258 while only events come.
///
/// **A stream that is out of step stays out of step.** H4 has no checksum and no mark at the start of a packet, and every
/// value of an indicator is also an ordinary byte of data: skipping ahead to the next 4 would find a "packet" in the middle
/// of an advertisement that anybody nearby can write. So after an unknown indicator the framer refuses everything until
/// ``reset()``, and the caller must reset the transport first: close it, or reset the controller's line, and discard what was
/// under way. A length that lies without an unknown indicator following it cannot be noticed here.
public struct H4Framer: Sendable {
    /// The writer of the stream. Indicators that it never uses are as unknown as 0xFF.
    public enum Sender: Sendable {
        /// Events, ACL, SCO and ISO data.
        case controller
        /// Commands, ACL, SCO and ISO data.
        case host

        fileprivate func sends(_ indicator: HCIPacket.Indicator) -> Bool {
            switch indicator {
            case .acl, .sco, .iso: return true
            case .event: return self == .controller
            case .command: return self == .host
            }
        }
    }

    private let sender: Sender
    private var pending: [UInt8] = []
    private var failure: HCIError?
    /// Bytes of packets that were delivered since the start or the last ``reset()``, with their indicators, 0 or more.
    public private(set) var deliveredByteCount: UInt64 = 0

    /// Starts at offset 0 of a stream that `sender` writes. Cannot fail.
    public init(sender: Sender) { self.sender = sender }

    /// Bytes of an unfinished packet that are being held; 0 between two packets.
    public var pendingByteCount: Int { pending.count }

    /// Takes the next piece of the stream and hands out each packet that it completes, in order; every byte is copied once.
    ///
    /// Throws ``HCIError/Code/unknownPacketIndicator`` with the offset of the indicator since the start (or the last
    /// ``reset()``), after the packets before it were handed out, and on every later call.
    public mutating func push(
        _ piece: some RandomAccessCollection<UInt8>, deliver: (HCIPacket) -> Void
    ) throws(HCIError) {
        if let failure { throw failure }
        var index = piece.startIndex
        while index != piece.endIndex {
            let indicator = try indicator(pending.first ?? piece[index])
            let headerEnd = 1 + indicator.headerByteCount
            let goal = pending.count < headerEnd ? headerEnd : indicator.packetByteCount(pending)
            let count = min(goal - pending.count, piece.distance(from: index, to: piece.endIndex))
            let end = piece.index(index, offsetBy: count)
            pending.append(contentsOf: piece[index..<end])
            index = end
            guard pending.count >= headerEnd, pending.count == indicator.packetByteCount(pending) else { continue }
            let packet = HCIPacket(counted: pending, indicator: indicator)
            pending = []
            deliveredByteCount += UInt64(packet.bytes.count)
            deliver(packet)
        }
    }

    private mutating func indicator(_ byte: UInt8) throws(HCIError) -> HCIPacket.Indicator {
        if let indicator = HCIPacket.Indicator(rawValue: byte), sender.sends(indicator) { return indicator }
        let failure = HCIError(.unknownPacketIndicator, at: deliveredByteCount)
        self.failure = failure
        throw failure
    }

    /// Starts anew, at offset 0, with whatever comes next: for a transport that was just reset.
    public mutating func reset() { self = Self(sender: sender) }
}
