// SPDX-License-Identifier: Apache-2.0

/// The content of an export.bin without its keys: period, region, batch, signers and counts. A summary alone is not
/// verified.
public struct ExportSummary: Hashable, Sendable {
    /// The start of the period for which the keys were published, in Unix seconds, not checked; 0 when absent.
    public internal(set) var startTimestamp: UInt64 = 0
    /// The end of the period, in Unix seconds, not checked; 0 when absent.
    public internal(set) var endTimestamp: UInt64 = 0
    /// The region for which the keys were published, for example a country code; up to 64 bytes of foreign text,
    /// empty when absent.
    public internal(set) var region = ""
    /// The number of this file in its batch: 1 or more after ``checkBatch()`` has succeeded, any number before; `nil`
    /// when absent.
    public internal(set) var batchNumber: Int32?
    /// The number of files in the batch: 1 or more after ``checkBatch()`` has succeeded, any number before; `nil`
    /// when absent.
    public internal(set) var batchSize: Int32?
    /// The signers that the file names; at most ``ExportLimits/maximumSignatures``.
    public internal(set) var signatureInfos: [SignatureInfo] = []
    /// The number of keys in the file, including flawed ones but not revised ones; 0 or more.
    public internal(set) var keyCount: UInt64 = 0
    /// The number of keys in `revised_keys`, including flawed ones; 0 or more.
    public internal(set) var revisedKeyCount: UInt64 = 0
    /// The length of export.bin in bytes, including its header, 0 or more.
    public internal(set) var byteCount: UInt64 = 0

    /// Creates the summary of an empty file: all numbers are 0, and all texts and lists are empty.
    public init() {}

    /// Checks the file's number in its batch; without a size it is a batch of one, and a number that is absent counts as 1
    /// then. Throws `invalidBatchNumber` unless the number is between 1 and the batch size, and if there is a size without a
    /// number, as phones do (`SignatureVerifier`).
    public func checkBatch() throws(KeyExportError) {
        if batchSize != nil, batchNumber == nil {
            throw KeyExportError(.invalidBatchNumber, "a size without a number")
        }
        let number = batchNumber ?? 1
        let size = batchSize ?? 1
        guard number >= 1, size >= 1, number <= size else {
            throw KeyExportError(.invalidBatchNumber, "\(number) of \(size)")
        }
    }
}
