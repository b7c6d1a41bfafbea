// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import KeyExport

/// The message that a board submits (`SubmissionPayload`, `cwa-protocols` section 5), before it is checked.
public struct SubmissionPayload: Sendable, Hashable {
    /// A key of the payload, and whether the payload states a level for it.
    public struct Key: Sendable, Hashable {
        /// The key as it was sent, not checked. Its data are zeros unless exactly 16 bytes were sent. If a number does not
        /// fit 32 bits, ``ExportedKey/isUnrepresentable`` is true and the number is 0. A field that was not sent has the
        /// value of ``ExportedKey/init()``.
        public var key: ExportedKey
        /// Whether the payload states a transmission risk level for the key, 0 included; otherwise the level in ``key`` is
        /// 0.
        public var hasLevel: Bool

        /// Creates a key as it was sent; `hasLevel` says whether its level was sent too. Nothing is checked.
        public init(_ key: ExportedKey, hasLevel: Bool = true) {
            self.key = key
            self.hasLevel = hasLevel
        }
    }

    /// The keys in the order in which they were sent; at most 1,000 in a payload that was read.
    public var keys: [Key] = []
    /// The number of bytes of padding, 0 or more; if there are several paddings, that of the last one.
    public var paddingCount = 0
    /// The visited countries as they were sent, in that order, not checked; at most 100 in a payload that was read. A valid
    /// payload has codes such as DE.
    public var visitedCountries: [String] = []
    /// The sender's country as it was sent, not checked, such as DE; `nil` if the payload states none.
    public var origin: String?
    /// Whether the keys may be passed on to other health authorities; `false` if the payload does not say.
    public var consentsToFederation = false
    /// The kind of test, not checked: 0 for a PCR test, 1 for a rapid test, others as in the protocol; 0 if the payload
    /// does not say.
    public var submissionType: Int64 = 0
    /// The check-ins of the first version (`CheckIn`), each a message as it was sent, not checked; at most 1,000 in
    /// a payload that was read.
    public var plainCheckIns: [[UInt8]] = []
    /// The check-ins of the second version (`CheckInProtectedReport`), each a message as it was sent, not checked;
    /// at most 1,000 in a payload that was read.
    public var reports: [[UInt8]] = []

    /// Creates a payload of a PCR test, without keys, countries, check-ins and padding, and without consent to federation.
    public init() {}

    // A payload has 14 keys; more than these are no payload, and take no memory.
    private static let maximumKeys = 1_000
    private static let maximumCountries = 100
    // The rules take 220 of each kind.
    private static let maximumCheckIns = 1_000

    /// Reads a protobuf message of any origin and length; empty input gives the payload of ``init()``. Unknown
    /// fields are skipped. `nil` if the message is malformed (which includes text that is not UTF-8 and a known
    /// field of a wrong wire type), or has more than 1,000 keys, 100 countries, or 1,000 check-ins of one version
    /// (our own bounds, above what the rules take).
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
