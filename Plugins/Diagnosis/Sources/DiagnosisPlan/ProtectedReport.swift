// SPDX-License-Identifier: Apache-2.0

/// A check-in in a submission, readable by those who hold the venue's code (`CheckInProtectedReport`, specification cwa-protocols 5).
public struct ProtectedReport: Sendable, Hashable {
    /// SHA-256 of the place's identifier, 32 bytes.
    public let locationIDHash: [UInt8]
    /// The vector of the encryption, 16 bytes.
    public let initializationVector: [UInt8]
    /// When the check-in was and how long, encrypted; 16 bytes.
    public let encryptedRecord: [UInt8]
    /// HMAC-SHA256 over vector and record, 32 bytes.
    public let messageCode: [UInt8]

    /// Lengths in bytes. A comment in the protocol says 32 for the vector; code and vectors have 16.
    static let lengths = [32, 16, 16, 32]

    /// Throws ``DiagnosisPlanError/Code/malformedReport`` for other lengths than 32, 16, 16 and 32 bytes.
    public init(
        locationIDHash: [UInt8], initializationVector: [UInt8], encryptedRecord: [UInt8], messageCode: [UInt8]
    ) throws(DiagnosisPlanError) {
        let counts = [locationIDHash, initializationVector, encryptedRecord, messageCode].map(\.count)
        guard counts == Self.lengths else { throw DiagnosisPlanError(.malformedReport, "lengths \(counts)") }
        self.locationIDHash = locationIDHash
        self.initializationVector = initializationVector
        self.encryptedRecord = encryptedRecord
        self.messageCode = messageCode
    }
}
