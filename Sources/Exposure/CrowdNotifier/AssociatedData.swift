// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import KeyExport

/// The message of a warning to the visitors of a venue (`AssociatedData`, spec checkin-and-nhs A.5).
public struct AssociatedData: Sendable, Hashable {
    /// The urgency of a warning (`SwissCovidAssociatedData`); raw values are those of the message.
    public enum Criticality: UInt32, Sendable, Hashable {
        /// An ordinary warning; also the value when the message leaves the field out.
        case low = 0
        /// A warning that the health authority marks as urgent.
        case high = 1
    }

    /// The version of the format as the message states, 4 today; 0 when absent. Not checked.
    public var version: Int32
    /// The health authority's text for the visitors, of any length, may be empty; show it with `ForeignText`.
    public var message: String
    /// The start of the time that the warning is about, inclusive, in Unix seconds; 0 when absent. Not checked.
    public var start: Int64
    /// The end of the time that the warning is about, inclusive, in Unix seconds; 0 when absent. Not checked.
    public var end: Int64
    /// The country's own part, as bytes of a protobuf message; empty when absent. See ``criticality``.
    public var countryData: [UInt8]

    /// Creates a warning from these parts, which are not checked; `start` and `end` are in Unix seconds, both
    /// inclusive.
    public init(version: Int32 = 4, message: String = "", start: Int64, end: Int64, countryData: [UInt8] = []) {
        self.version = version
        self.message = message
        self.start = start
        self.end = end
        self.countryData = countryData
    }

    /// Reads the protobuf message, which may come from anybody. Returns `nil` when it is malformed. Absent fields are
    /// 0 or empty, and a later field replaces an earlier one.
    public init?(decoding bytes: [UInt8]) {
        self.init(version: 0, start: 0, end: 0)
        let isWhole = bytes.withUnsafeBytes { buffer in
            ProtobufCursor.forEachField(of: buffer) { field, value in
                switch field {
                case 1: store(value.uint32.map(Int32.init(bitPattern:)), in: &version)
                case 2: store(value.text, in: &message)
                case 3: store(value.number.map(Int64.init(bitPattern:)), in: &start)
                case 4: store(value.number.map(Int64.init(bitPattern:)), in: &end)
                case 5: store(value.bytes, in: &countryData)
                default: true
                }
            }
        }
        guard isWhole else { return nil }
    }

    /// The protobuf message (`AssociatedData`); fields of 0 and empty ones are left out. Cannot fail.
    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        if version != 0 { writer.int32(1, version) }
        if !message.isEmpty { writer.text(2, message) }
        if start != 0 { writer.number(3, UInt64(bitPattern: start)) }
        if end != 0 { writer.number(4, UInt64(bitPattern: end)) }
        if !countryData.isEmpty { writer.data(5, countryData) }
        return writer.bytes
    }

    /// The urgency that SwissCovid assigns, ``Criticality/low`` when ``countryData`` is empty or lacks the field;
    /// `nil` when it is malformed or has another number.
    public var criticality: Criticality? {
        var value: UInt32 = 0
        let isWhole = countryData.withUnsafeBytes { buffer in
            ProtobufCursor.forEachField(of: buffer) { field, entry in
                switch field {
                case 1: entry.number != nil
                case 2: store(entry.uint32, in: &value)
                default: true
                }
            }
        }
        return isWhole ? Criticality(rawValue: value) : nil
    }

    /// Returns the value of ``countryData`` that states this urgency (`SwissCovidAssociatedData`, version 1; spec
    /// checkin-and-nhs A.5). Cannot fail.
    public static func countryData(_ criticality: Criticality) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.number(1, 1)
        if criticality != .low { writer.number(2, UInt64(criticality.rawValue)) }
        return writer.bytes
    }

    /// The field for padding: unknown to every reader, and one byte as a tag.
    private static let paddingField = 15

    /// Returns the protobuf message with so many bytes, so that its length does not show whose text it is: zeros are added
    /// in a field that readers pass over, as every reader of protobuf passes over unknown fields. Returns ``encoded`` when
    /// that has `byteCount` bytes or more, or one byte less, since a field takes two. Cannot fail.
    public func encoded(byteCount: Int) -> [UInt8] {
        var writer = ProtobufWriter()
        let bytes = encoded
        var rest = byteCount - bytes.count
        guard rest >= 2 else { return bytes }
        // Beyond 127 bytes a length takes two, so one field cannot fill exactly 130.
        if rest == 130 {
            writer.data(Self.paddingField, [])
            rest -= 2
        }
        writer.data(Self.paddingField, [UInt8](repeating: 0, count: rest - (rest < 130 ? 2 : 3)))
        return bytes + writer.bytes
    }

    /// Returns the message sealed for those who have the venue's `notificationKey` of 32 bytes, and before that filled up to
    /// `byteCount` bytes (``encoded(byteCount:)``; 0 adds none). `nonce` must be 24 random bytes. Other lengths stop the
    /// program. Throws `operationFailed` when the cryptographic library fails.
    public func sealed(
        notificationKey: SecretBytes, nonce: [UInt8], byteCount: Int = 0
    ) throws(CryptographyError) -> [UInt8] {
        try SecretBox.seal(encoded(byteCount: byteCount), key: notificationKey, nonce: nonce)
    }

    /// Opens the sealed message of a warning; of a longer nonce the first 24 bytes count, as in the SDKs. Returns
    /// `nil` when the message is for another venue or malformed, when the nonce has fewer than 24 bytes, and when the
    /// cryptographic library fails. A key that does not have 32 bytes stops the program.
    public init?(opening sealed: [UInt8], notificationKey: SecretBytes, nonce: [UInt8]) {
        guard nonce.count >= SecretBox.nonceByteCount,
            let plain = try? SecretBox.open(
                sealed, key: notificationKey, nonce: Array(nonce.prefix(SecretBox.nonceByteCount)))
        else { return nil }
        self.init(decoding: plain)
    }
}
