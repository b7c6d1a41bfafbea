// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport

/// A check-in that only those who have the venue's code can read (`CheckInProtectedReport`, spec cwa-protocols 8.2).
///
/// It hides place and time from everybody else. It does not prove who wrote it, because anybody who has the code
/// could have; the health authority's signature over the package counts.
public struct ProtectedReport: Sendable, Hashable {
    /// The SHA-256 of the venue's id, 32 bytes, by which the report is found (``LocationID/hash``).
    public let locationIDHash: [UInt8]
    /// The initialization vector of the encryption, 16 bytes; a comment in the protocol says 32, but code and test
    /// vectors have 16.
    public let initializationVector: [UInt8]
    /// The record, encrypted with AES-256 in CBC mode: 16 bytes, because every record fits one block.
    public let encryptedRecord: [UInt8]
    /// The HMAC-SHA256 over the initialization vector and the encrypted record, 32 bytes.
    public let messageCode: [UInt8]

    static let lengths = [32, 16, 16, 32]

    /// Creates a report from these fields, without decrypting it. Throws `malformedReport` unless they have 32, 16,
    /// 16 and 32 bytes.
    public init(
        locationIDHash: [UInt8], initializationVector: [UInt8], encryptedRecord: [UInt8], messageCode: [UInt8]
    ) throws(PresenceTracingError) {
        let counts = [locationIDHash, initializationVector, encryptedRecord, messageCode].map(\.count)
        guard counts == Self.lengths else { throw PresenceTracingError(.malformedReport, "lengths \(counts)") }
        self.locationIDHash = locationIDHash
        self.initializationVector = initializationVector
        self.encryptedRecord = encryptedRecord
        self.messageCode = messageCode
    }

    /// Encrypts a record for those who have the code of `location`. `initializationVector` must be 16 random bytes; throws
    /// `malformedReport` for another length, or when the library fails.
    public init(
        _ record: CheckInRecord, location: LocationID, initializationVector: [UInt8]
    ) throws(PresenceTracingError) {
        let encrypted = try? AES256CBC.encrypt(
            record.encoded, key: location.encryptionKey, initializationVector: initializationVector)
        guard let encrypted else { throw PresenceTracingError(.malformedReport) }
        let code = try Self.code(initializationVector, encrypted, location)
        try self.init(
            locationIDHash: location.hash, initializationVector: initializationVector, encryptedRecord: encrypted,
            messageCode: code)
    }

    /// Reads a report from its protobuf message. Throws `malformedReport` when it is not one, or when fields have
    /// other lengths.
    public init(decoding bytes: [UInt8]) throws(PresenceTracingError) {
        let report = bytes.withUnsafeBytes { Self.fields($0) }
        guard let report else { throw PresenceTracingError(.malformedReport) }
        try self.init(
            locationIDHash: report[0], initializationVector: report[1], encryptedRecord: report[2], messageCode: report[3])
    }

    /// The protobuf message (`CheckInProtectedReport`) of the four fields, 104 bytes. Cannot fail.
    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        writer.data(1, locationIDHash)
        writer.data(2, initializationVector)
        writer.data(3, encryptedRecord)
        writer.data(4, messageCode)
        return writer.bytes
    }

    /// Verifies and decrypts the report and returns its record. Throws `wrongKey` when it was not made with this
    /// venue's code or was changed, `implausibleRecord` when it was made with the code but cannot be decrypted or has
    /// implausible values, and `malformedReport` when the cryptographic library fails.
    public func open(_ location: LocationID) throws(PresenceTracingError) -> CheckInRecord {
        let code = try Self.code(initializationVector, encryptedRecord, location)
        guard SecretBytes(copying: code) == SecretBytes(copying: messageCode) else { throw PresenceTracingError(.wrongKey) }
        let plain = try? AES256CBC.decrypt(
            encryptedRecord, key: location.encryptionKey, initializationVector: initializationVector)
        guard let plain, let record = plain.withUnsafeBytes({ CheckInRecord.Numbers($0)?.record }) else {
            throw PresenceTracingError(.implausibleRecord)
        }
        return record
    }

    /// HMAC-SHA256 over vector and record.
    static func code(
        _ initializationVector: [UInt8], _ encrypted: [UInt8], _ location: LocationID
    ) throws(PresenceTracingError) -> [UInt8] {
        guard let code = try? HMACSHA256.code(for: initializationVector + encrypted, key: location.codeKey) else {
            throw PresenceTracingError(.malformedReport)
        }
        return code
    }

    /// The four fields, of any length; `nil` when the message is malformed.
    static func fields(_ message: UnsafeRawBufferPointer) -> [[UInt8]]? {
        var fields = [[UInt8]](repeating: [], count: 4)
        let isWhole = ProtobufCursor.forEachField(of: message) { field, value in
            (1...4).contains(field) ? store(value.bytes, in: &fields[Int(field) - 1]) : true
        }
        return isWhole ? fields : nil
    }
}
