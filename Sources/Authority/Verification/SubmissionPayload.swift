// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import KeyExport

/// The message of a board (`SubmissionPayload`, `cwa-protocols` section 5), before anybody judged it.
public struct SubmissionPayload: Sendable, Hashable {
    /// A key with what the payload says of it.
    public struct Key: Sendable, Hashable {
        /// The key as it was sent, unchecked.
        public var key: ExportedKey
        /// Whether the payload says a transmission risk level; in ``key`` it is 0 otherwise.
        public var hasLevel: Bool

        /// A key as it was sent, with a level of its own unless `hasLevel` is false. Nothing is checked.
        public init(_ key: ExportedKey, hasLevel: Bool = true) {
            self.key = key
            self.hasLevel = hasLevel
        }
    }

    /// The keys in the order they were sent; at most 1,000 are read.
    public var keys: [Key] = []
    /// How many bytes of padding the payload has, 0 or more.
    public var paddingCount = 0
    /// The countries visited, as they were sent; at most 100 texts are read, countries' codes in a payload that keeps the
    /// rules.
    public var visitedCountries: [String] = []
    /// Country of the sender as it was sent; `nil` when not said.
    public var origin: String?
    /// Whether the keys may go to other health authorities; false when not said.
    public var consentsToFederation = false
    /// The kind of test: 0 PCR test, 1 rapid test, others as in the protocol; 0 when not said.
    public var submissionType: Int64 = 0
    /// How many plain and encrypted check-ins the payload has, 0 or more; nothing here takes them.
    public var checkInCount = 0

    /// A payload without keys, countries or padding.
    public init() {}

    // A payload has 14 keys; more than these are no payload, and take no memory.
    private static let maximumKeys = 1_000
    private static let maximumCountries = 100

    /// Reads protobuf of any origin; `nil` when malformed, or with more than 1,000 keys or 100 countries. Unknown fields
    /// are stepped over.
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
            case (6, .bytes), (8, .bytes):
                guard cursor.bytes() != nil else { return false }
                checkInCount += 1
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
