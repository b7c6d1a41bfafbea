// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import KeyExport

/// What a warning says to those who were there (`AssociatedData`, spec checkin-and-nhs A.5).
public struct AssociatedData: Sendable, Hashable {
    /// Of `SwissCovidAssociatedData`.
    public enum Criticality: UInt32, Sendable, Hashable {
        case low = 0
        case high = 1
    }

    public var version: Int32
    /// Of the health authority; show it by `ForeignText`.
    public var message: String
    /// Unix seconds.
    public var start: Int64
    /// Unix seconds.
    public var end: Int64
    public var countryData: [UInt8]

    public init(version: Int32 = 4, message: String = "", start: Int64, end: Int64, countryData: [UInt8] = []) {
        self.version = version
        self.message = message
        self.start = start
        self.end = end
        self.countryData = countryData
    }

    /// `nil` when the message is malformed.
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

    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        if version != 0 { writer.int32(1, version) }
        if !message.isEmpty { writer.text(2, message) }
        if start != 0 { writer.number(3, UInt64(bitPattern: start)) }
        if end != 0 { writer.number(4, UInt64(bitPattern: end)) }
        if !countryData.isEmpty { writer.data(5, countryData) }
        return writer.bytes
    }

    /// How urgent SwissCovid says it is; `nil` when ``countryData`` is malformed or says something else.
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

    /// Seals for those who were there. `nonce` must be 24 random bytes.
    public func sealed(notificationKey: SecretBytes, nonce: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SecretBox.seal(encoded, key: notificationKey, nonce: nonce)
    }

    /// Opens what a warning carries; of longer nonces the first 24 bytes count, as in the SDKs. `nil` when it is for somebody else, or malformed.
    public init?(opening sealed: [UInt8], notificationKey: SecretBytes, nonce: [UInt8]) {
        guard nonce.count >= SecretBox.nonceByteCount,
            let plain = try? SecretBox.open(
                sealed, key: notificationKey, nonce: Array(nonce.prefix(SecretBox.nonceByteCount)))
        else { return nil }
        self.init(decoding: plain)
    }
}
