// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport

/// The message that a visitor uploads to warn others, or as cover traffic (`UserUploadPayload`, spec checkin-and-nhs
/// A.6).
public struct UserUpload: Sendable, Hashable {
    /// An hour of a visit, or part of one (`UploadVenueInfo`).
    public struct Entry: Sendable, Hashable {
        /// The venue's identifier, 32 bytes (``VenueKeys/preID``); random in a fake.
        public let preID: [UInt8]
        /// The venue's key of that hour, 32 bytes (``VenueKeys/timeKey(start:length:)``); random in a fake.
        public let timeKey: [UInt8]
        /// The venue's key that opens warnings, 32 bytes; random in a fake.
        public let notificationKey: [UInt8]
        /// The start of the stay in that hour, in Unix milliseconds; any number in a fake.
        public let start: UInt64
        /// The end of the stay in that hour, in Unix milliseconds; any number in a fake.
        public let end: UInt64
        /// Whether the entry is only padding, which the server drops.
        public let isFake: Bool

        /// Creates an entry from three keys of 32 bytes each and times in Unix milliseconds; nothing is checked.
        public init(
            preID: [UInt8], timeKey: [UInt8], notificationKey: [UInt8], start: UInt64, end: UInt64, isFake: Bool
        ) {
            self.preID = preID
            self.timeKey = timeKey
            self.notificationKey = notificationKey
            self.start = start
            self.end = end
            self.isFake = isFake
        }
    }

    /// The version of the format, 4 today (`UserUploadPayload`); any number is written and read, 0 when a message has
    /// none.
    public var version: Int32
    /// The genuine and fake entries: ``entryCount`` in an upload of a device, at most twice as many in one that was
    /// read.
    public var entries: [Entry]
    /// The number of milliseconds that the person took to agree; any number, boards write 0.
    public var interactionMilliseconds: UInt32

    /// The number of entries of every upload (SwissCovid's apps). Genuine entries are padded with fake ones, so that
    /// all uploads have the same size.
    public static let entryCount = 1_024
    /// The number of milliseconds added to the end of a visit because infectious air remains: 30 minutes (spec
    /// checkin-and-nhs A.6).
    public static let stayingAirMilliseconds: Int64 = 30 * 60_000
    /// Entries that are read at most.
    static let maximumEntries = 2 * entryCount
    /// Bytes that are read at most; uploads have 128,000.
    static let maximumBytes = 512 << 10

    /// Creates an upload; nothing is checked. `interactionMilliseconds` is the time that the person took to agree.
    public init(version: Int32 = 4, entries: [Entry], interactionMilliseconds: UInt32 = 0) {
        self.version = version
        self.entries = entries
        self.interactionMilliseconds = interactionMilliseconds
    }

    /// Returns an entry for each hour of a visit to the venue of `keys`, limited to the visit, in time order; at
    /// least one. Times are in Unix milliseconds: negative ones count as 0, and they are swapped when in the wrong
    /// order. `departure` is the time to publish, including ``stayingAirMilliseconds``. A visit that ends on the
    /// full hour has a last entry without length, which servers ignore. The length of a visit is not limited.
    public static func entries(keys: VenueKeys, arrival: Int64, departure: Int64) -> [Entry] {
        let (arrival, departure) = (max(0, min(arrival, departure)), max(0, max(arrival, departure)))
        let notificationKey = keys.notificationKey.withBytes { Array($0) }
        return VisitHours(from: arrival / 1_000, to: departure / 1_000).map { hour in
            Entry(
                preID: keys.preID, timeKey: keys.timeKey(start: hour), notificationKey: notificationKey,
                start: UInt64(max(hour * 1_000, arrival)),
                end: UInt64(min((hour + Int64(VisitHours.seconds)) * 1_000, departure)), isFake: false)
        }
    }

    /// Returns an upload of exactly ``entryCount`` entries in random order: the first ``entryCount`` genuine ones,
    /// and fake ones. Without genuine ones it is cover traffic. `random` must be cryptographically secure. Cannot
    /// fail.
    public static func filled(_ genuine: [Entry], using random: inout some RandomNumberGenerator) -> UserUpload {
        var entries = Array(genuine.prefix(entryCount))
        while entries.count < entryCount { entries.append(fake(using: &random)) }
        return UserUpload(entries: entries.shuffled(using: &random))
    }

    private static func fake(using random: inout some RandomNumberGenerator) -> Entry {
        func bytes() -> [UInt8] { (0..<32).map { _ in .random(in: 0...255, using: &random) } }
        return Entry(
            preID: bytes(), timeKey: bytes(), notificationKey: bytes(), start: random.next(), end: random.next(),
            isFake: true)
    }

    /// The upload as a protobuf message (`UserUploadPayload`), as it is sent. Cannot fail.
    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        if version != 0 { writer.int32(1, version) }
        for entry in entries { writer.data(2, entry.encoded) }
        if interactionMilliseconds != 0 { writer.fixed32(3, interactionMilliseconds) }
        return writer.bytes
    }

    /// Reads an upload as a server does. Throws `tooLarge` when it has more than 512 KiB, `tooManyEntries` when it
    /// has more than twice ``entryCount`` entries, and `malformedMessage` when it is not the message or an entry has
    /// keys that do not have 32 bytes or is neither genuine nor fake.
    public init(decoding bytes: [UInt8]) throws(CrowdNotifierError) {
        guard bytes.count <= Self.maximumBytes else { throw CrowdNotifierError(.tooLarge, "\(bytes.count) bytes") }
        var version: UInt32 = 0
        var milliseconds: UInt32 = 0
        var entries: [Entry] = []
        var count = 0
        let isWhole = bytes.withUnsafeBytes { message in
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: return store(value.uint32, in: &version)
                case 2:
                    count += 1
                    guard count <= Self.maximumEntries, let entry = value.buffer.flatMap(Entry.init(decoding:)) else {
                        return false
                    }
                    entries.append(entry)
                    return true
                case 3: return store(value.fixed32, in: &milliseconds)
                default: return true
                }
            }
        }
        guard count <= Self.maximumEntries else {
            throw CrowdNotifierError(.tooManyEntries, "more than \(Self.maximumEntries)")
        }
        guard isWhole else { throw CrowdNotifierError(.malformedMessage) }
        self.init(version: Int32(bitPattern: version), entries: entries, interactionMilliseconds: milliseconds)
    }
}

extension UserUpload.Entry {
    /// The entry as a protobuf message of its own (`UploadVenueInfo`). Cannot fail.
    public var encoded: [UInt8] {
        var message = ProtobufWriter()
        message.data(1, preID)
        message.data(2, timeKey)
        message.fixed64(3, start)
        message.fixed64(4, end)
        message.data(5, notificationKey)
        message.data(6, [isFake ? 1 : 0])
        return message.bytes
    }

    /// Reads a message `UploadVenueInfo`, of any origin and length. Throws `malformedMessage` when it is no such message,
    /// a key does not have 32 bytes, or it is neither genuine nor fake.
    public init(decoding bytes: [UInt8]) throws(CrowdNotifierError) {
        guard let entry = bytes.withUnsafeBytes({ Self(decoding: $0) }) else {
            throw CrowdNotifierError(.malformedMessage)
        }
        self = entry
    }

    /// The longest time of an entry in milliseconds: an hour (spec checkin-and-nhs A.6).
    public static let maximumMilliseconds: UInt64 = 3_600_000
    /// Whether the entry ends after it begins, at most ``maximumMilliseconds`` later; others warn nobody.
    public var hasUsableTime: Bool { start < end && end - start <= Self.maximumMilliseconds }

    /// `nil` when the message is malformed, a key has another length than 32 bytes, or it is neither genuine nor fake.
    fileprivate init?(decoding message: UnsafeRawBufferPointer) {
        var keys = [[UInt8]](repeating: [], count: 3)
        var (start, end): (UInt64, UInt64) = (0, 0)
        var fake: [UInt8] = []
        let isWhole = ProtobufCursor.forEachField(of: message) { field, value in
            switch field {
            case 1, 2: store(value.bytes, in: &keys[Int(field) - 1])
            case 3: store(value.fixed64, in: &start)
            case 4: store(value.fixed64, in: &end)
            case 5: store(value.bytes, in: &keys[2])
            case 6: store(value.bytes, in: &fake)
            default: true
            }
        }
        guard isWhole, keys.allSatisfy({ $0.count == 32 }), fake == [0] || fake == [1] else { return nil }
        self.init(preID: keys[0], timeKey: keys[1], notificationKey: keys[2], start: start, end: end, isFake: fake == [1])
    }
}
