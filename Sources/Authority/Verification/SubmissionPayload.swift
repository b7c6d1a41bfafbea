// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import KeyExport

/// The message of a board (`SubmissionPayload`, `cwa-protocols` section 5), before anybody judged it.
public struct SubmissionPayload: Sendable, Hashable {
    /// A key of the payload, and whether the payload gives its level.
    public struct Key: Sendable, Hashable {
        /// The key as it was sent, unchecked. Its data are zeros unless 16 bytes were sent; a number beyond 32 bits is
        /// 0, and ``ExportedKey/isUnrepresentable`` is true then; what was not sent is as in ``ExportedKey/init()``.
        public var key: ExportedKey
        /// Whether the payload has a transmission risk level for the key, 0 included; without one the level in ``key``
        /// is 0.
        public var hasLevel: Bool

        /// A key as it was sent, with a level of its own unless `hasLevel` is false. Nothing is checked.
        public init(_ key: ExportedKey, hasLevel: Bool = true) {
            self.key = key
            self.hasLevel = hasLevel
        }
    }

    /// The keys in the order they were sent; at most 1,000 in a payload that was read.
    public var keys: [Key] = []
    /// The number of bytes of padding, 0 or more; of several paddings the last one counts.
    public var paddingCount = 0
    /// The countries visited: texts as they were sent, in that order, unchecked; at most 100 in a payload that was
    /// read. Codes such as DE in a payload that keeps the rules.
    public var visitedCountries: [String] = []
    /// The country of the sender: a text as it was sent, unchecked, such as DE; `nil` when the payload has none.
    public var origin: String?
    /// Whether the keys may go to other health authorities; false when the payload has no such field.
    public var consentsToFederation = false
    /// The kind of test, unchecked: 0 PCR test, 1 rapid test, others as in the protocol; 0 when the payload has none.
    public var submissionType: Int64 = 0
    /// Check-ins of the first version (`CheckIn`), each a message as it was sent; at most 1,000 in a payload that was read.
    public var plainCheckIns: [[UInt8]] = []
    /// Check-ins of the second version (`CheckInProtectedReport`), each a message as it was sent; at most 1,000 in a payload that was read.
    public var reports: [[UInt8]] = []

    /// A payload without keys, countries, check-ins and padding, of a PCR test and without consent to federation.
    public init() {}

    // A payload has 14 keys; more than these are no payload, and take no memory.
    private static let maximumKeys = 1_000
    private static let maximumCountries = 100
    // The rules take 220 of each kind.
    private static let maximumCheckIns = 1_000

    /// Reads a protobuf message of any origin and any length; no bytes are the payload of ``init()``. `nil` when it is
    /// malformed (a text that is not UTF-8 and a known field of another wire type included), or has more than 1,000
    /// keys, 100 countries or 1,000 check-ins of a kind. Unknown fields are stepped over.
    public init?(_ bytes: [UInt8]) {
        let read = bytes.withUnsafeBytes { bytes -> SubmissionPayload? in
            var payload = SubmissionPayload()
            return payload.read(bytes) ? payload : nil
        }
        guard let read else { return nil }
        self = read
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var cursor = ProtobufCursor(bytes)
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return false }
            switch (field, type) {
            case (1, .bytes):
                guard keys.count < Self.maximumKeys, let content = cursor.bytes(), let key = Self.key(content) else {
                    return false
                }
                keys.append(key)
            case (2, .bytes):
                guard let content = cursor.bytes() else { return false }
                paddingCount = content.count
            case (3, .bytes):
                guard visitedCountries.count < Self.maximumCountries, let text = cursor.string() else { return false }
                visitedCountries.append(text)
            case (4, .bytes):
                guard let text = cursor.string() else { return false }
                origin = text
            case (5, .varint):
                guard let value = cursor.varint() else { return false }
                consentsToFederation = value != 0
            case (6, .bytes):
                guard plainCheckIns.count < Self.maximumCheckIns, let content = cursor.bytes() else { return false }
                plainCheckIns.append(Array(content))
            case (8, .bytes):
                guard reports.count < Self.maximumCheckIns, let content = cursor.bytes() else { return false }
                reports.append(Array(content))
            case (7, .varint):
                guard let value = cursor.varint() else { return false }
                submissionType = Int64(bitPattern: value)
            case (1...8, _): return false
            default: guard cursor.skip(type) else { return false }
            }
        }
        return true
    }

    /// `TemporaryExposureKey`.
    private static func key(_ bytes: UnsafeRawBufferPointer) -> Key? {
        var key = ExportedKey()
        var hasLevel = false
        var cursor = ProtobufCursor(bytes)
        /// A number of a field of type int32; what does not fit is marked, not cut.
        func number(_ cursor: inout ProtobufCursor) -> Int32? {
            guard let raw = cursor.varint() else { return nil }
            guard let value = Int32(exactly: Int64(bitPattern: raw)) else {
                key.isUnrepresentable = true
                return 0
            }
            return value
        }
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return nil }
            switch (field, type) {
            case (1, .bytes):
                guard let data = cursor.bytes() else { return nil }
                key.dataByteCount = UInt32(clamping: data.count)
                if let block = Block(Array(data)) { key.data = block }
            case (2, .varint):
                guard let value = number(&cursor) else { return nil }
                key.transmissionRiskLevel = value
                hasLevel = true
            case (3, .varint):
                guard let value = number(&cursor) else { return nil }
                key.rollingStart = value
            case (4, .varint):
                guard let value = number(&cursor) else { return nil }
                key.rollingPeriod = value
            case (5, .varint):
                guard let value = number(&cursor) else { return nil }
                key.reportType = value
            case (6, .varint):
                guard let raw = cursor.varint() else { return nil }
                // sint32: zigzag.
                let value = Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
                key.hasOnset = true
                if let days = Int32(exactly: value) { key.daysSinceOnset = days } else { key.isUnrepresentable = true }
            case (1...6, _): return nil
            default: guard cursor.skip(type) else { return nil }
            }
        }
        return Key(key, hasLevel: hasLevel)
    }
}
