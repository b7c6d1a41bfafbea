// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The code of a place in the form in which the place broadcasts it: its content, and the power it is sent with. What the
/// content means is the business of whoever makes and reads it; here it is bytes.
///
/// Its text form shows nothing, because whoever received a code was at a place (docs/decisions/0046-check-in-by-broadcast.md).
public struct DoorCode: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The content: 1 to ``maximumByteCount`` bytes.
    public let content: [UInt8]
    /// The power of the place's sender in dBm, -127 to 20, in the sense of the profile's calibration: that at which an
    /// average phone would be received as strongly.
    public let transmitPower: Int8

    /// The numbers of pieces that a message may have; any that many of its fragments suffice. Two are the least that a
    /// message needs; 96, our choice, take eleven seconds with an advertisement every 105 ms and a tenth of them lost.
    public static let pieceCounts = 2...96
    /// The most bytes of a content: what ``pieceCounts`` pieces hold, without the bytes around it.
    public static let maximumByteCount = pieceCounts.upperBound * DoorFragment.pieceByteCount - overhead

    /// The powers that a place may state, in dBm (the range of the HCI, Core Specification, Vol 4 Part E 7.8.53).
    static let powers: ClosedRange<Int8> = -127...20
    private static let headByteCount = 2
    private static let checkByteCount = 8
    private static let overhead = headByteCount + checkByteCount
    private static let purpose = Array("Vigil door code 1".utf8)

    /// Creates a code. Returns `nil` if the content is empty or longer than ``maximumByteCount``, or the power is out of its
    /// range.
    public init?(content: [UInt8], transmitPower: Int8) {
        guard (1...Self.maximumByteCount).contains(content.count), Self.powers.contains(transmitPower) else { return nil }
        self.content = content
        self.transmitPower = transmitPower
    }

    /// The number of pieces of this code's message, within ``pieceCounts``: that many different fragments give the code.
    public var pieceCount: Int {
        (Self.overhead + content.count + DoorFragment.pieceByteCount - 1) / DoorFragment.pieceByteCount
    }

    /// Returns the fragment with this index; 256 exist. Cannot fail.
    public func fragment(_ index: UInt8) -> DoorFragment {
        let (message, tag) = encoded
        let size = DoorFragment.pieceByteCount
        let pieces = stride(from: 0, to: message.count, by: size).map { Array(message[$0..<($0 + size)]) }
        return DoorFragment(
            tag: tag, pieceCount: pieces.count, index: index, bytes: ErasureCode.fragment(index, of: pieces))
    }

    // The message: one byte with the number of bytes of padding, 0 to 6; one with the power; the content; eight bytes of
    // check; the padding, zeros. The check and the tag of the fragments are the beginning of one hash over all that precedes.

    private var encoded: (message: [UInt8], tag: UInt32) {
        let padding = pieceCount * DoorFragment.pieceByteCount - Self.overhead - content.count
        let head = [UInt8(padding), UInt8(bitPattern: transmitPower)] + content
        let hash = Self.hash(head)
        return (head + hash.check + [UInt8](repeating: 0, count: padding), hash.tag)
    }

    /// Reads the message that fragments with this tag gave. Returns `nil` if it is not the message of the tag: a fragment
    /// was not of this code.
    init?(pieces: [[UInt8]], tag: UInt32) {
        let message = Array(pieces.joined())
        guard let first = message.first, Int(first) < DoorFragment.pieceByteCount else { return nil }
        let end = message.count - Int(first)
        guard end > Self.overhead, message[end...].allSatisfy({ $0 == 0 }) else { return nil }
        let head = message[..<(end - Self.checkByteCount)]
        let hash = Self.hash(head)
        guard hash.tag == tag, message[head.endIndex..<end].elementsEqual(hash.check) else { return nil }
        self.init(content: Array(head.dropFirst(Self.headByteCount)), transmitPower: Int8(bitPattern: head[1]))
        guard pieceCount == pieces.count else { return nil }
    }

    private static func hash(_ head: some Collection<UInt8>) -> (tag: UInt32, check: [UInt8]) {
        let digest = SHA256.digest(of: purpose + head)
        let tag = digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (tag, Array(digest[4..<(4 + checkByteCount)]))
    }

    /// The same text for every code, so that logs and errors reveal no place.
    public var description: String { "a door code" }
    /// A mirror without children, so that `dump` shows nothing of the place.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
