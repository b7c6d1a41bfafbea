// SPDX-License-Identifier: Apache-2.0

/// Splits the H4 stream of a serial line or a socket into packets (Core Specification, Vol 4 Part A 2), no matter how the
/// stream is divided on arrival.
///
/// Holds at most one unfinished packet: 65,540 bytes if an ACL header announces the maximum, 258 as long as only events
/// arrive.
///
/// **A stream that has lost its framing cannot recover.** H4 has no checksum and no mark at the start of a packet, and
/// every value of an indicator is also an ordinary data byte: skipping to the next 4 would find a "packet" in the middle of
/// an advertisement that anybody nearby can write. So after an unknown indicator the framer refuses everything until
/// ``reset()``. The caller must first reset the transport (close it, or reset the controller's line) and discard what was
/// in progress. A wrong length that is not followed by an unknown indicator cannot be detected here.
public struct H4Framer: Sendable {
    /// The side that writes the stream. An indicator that this side never sends is treated as unknown.
    public enum Sender: Sendable {
        /// The controller, which sends events and ACL, SCO and ISO data.
        case controller
        /// The host, which sends commands and ACL, SCO and ISO data.
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
    /// The number of bytes in packets delivered since the start or the last ``reset()``, including indicators.
    public private(set) var deliveredByteCount: UInt64 = 0

    /// Creates a framer at offset 0 of a stream that `sender` writes. Cannot fail.
    public init(sender: Sender) { self.sender = sender }

    /// The number of bytes of an unfinished packet that are held; 0 between two packets.
    public var pendingByteCount: Int { pending.count }

    /// Adds the next piece of the stream and calls `deliver` for each packet that it completes, in order. Every byte is
    /// copied one time.
    ///
    /// Throws ``HCIError/Code/unknownPacketIndicator`` after delivering the packets before the unknown indicator, and on
    /// every later call. The error contains the offset of the indicator since the start or the last ``reset()``.
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

    /// Restarts at offset 0, discarding any unfinished packet; for a transport that was just reset.
    public mutating func reset() { self = Self(sender: sender) }
}
