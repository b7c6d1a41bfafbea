// SPDX-License-Identifier: Apache-2.0

/// One fragment of a place's code, as one advertisement of Bluetooth 4 carries it: 31 bytes, one structure of service data
/// with a UUID of our own.
///
/// Its text form shows nothing, because whoever received it was at a place.
public struct DoorFragment: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The service, a random 128-bit UUID that this project chose (c4c4a786-b6c2-46c6-915c-9b87ae8be15e), in the order of
    /// the air: the last byte first. Another form of fragments would get another one.
    public static let serviceUUID: [UInt8] = [
        0x5E, 0xE1, 0x8B, 0xAE, 0x87, 0x9B, 0x5C, 0x91, 0xC6, 0x46, 0xC2, 0xB6, 0x86, 0xA7, 0xC4, 0xC4,
    ]
    /// The number of bytes of a message in each fragment: what 31 bytes leave beside the UUID, tag, count and index.
    public static let pieceByteCount = 7
    /// The number of bytes of the advertising data, the most that Bluetooth 4 allows (Core Specification, Vol 6 Part B
    /// 2.3.1).
    public static let advertisingByteCount = 31

    /// Service Data with a 128-bit UUID (Core Specification, Supplement part A, 1.11).
    private static let serviceDataType: UInt8 = 0x21
    private static let head: [UInt8] = [UInt8(advertisingByteCount - 1), serviceDataType] + serviceUUID

    /// The beginning of the hash over the message, which all fragments of one code share.
    public let tag: UInt32
    /// The number of different fragments of this tag that give the message, within ``DoorCode/pieceCounts``.
    public let pieceCount: Int
    /// The number of the fragment, 0 to 255; the first ``pieceCount`` are the message itself.
    public let index: UInt8
    /// The fragment's part of the code: ``pieceByteCount`` bytes.
    public let bytes: [UInt8]

    init(tag: UInt32, pieceCount: Int, index: UInt8, bytes: [UInt8]) {
        self.tag = tag
        self.pieceCount = pieceCount
        self.index = index
        self.bytes = bytes
    }

    /// The advertising data, ``advertisingByteCount`` bytes: the length and type of the structure, the UUID, four bytes of
    /// tag with the highest first, one of count, one of index, and ``bytes``.
    public var advertisingData: [UInt8] {
        let tag = withUnsafeBytes(of: tag.bigEndian) { Array($0) }
        return Self.head + tag + [UInt8(pieceCount), index] + bytes
    }

    /// Reads a fragment from advertising data of any origin. Returns `nil` for everything that is not exactly in the form
    /// of ``advertisingData``: no other structure may stand before or after it.
    public init?(advertisingData data: some RandomAccessCollection<UInt8>) {
        guard data.count == Self.advertisingByteCount, data.starts(with: Self.head) else { return nil }
        let body = Array(data.dropFirst(Self.head.count))
        guard DoorCode.pieceCounts.contains(Int(body[4])) else { return nil }
        let tag = body[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(
            tag: tag, pieceCount: Int(body[4]), index: body[5],
            bytes: Array(body[6...]))
    }

    /// The same text for every fragment, so that logs and errors reveal no place.
    public var description: String { "a fragment of a door code" }
    /// A mirror without children, so that `dump` shows nothing of the place.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
