// SPDX-License-Identifier: Apache-2.0

/// Everything export.bin says besides its keys.
public struct ExportSummary: Hashable, Sendable {
    /// Unix seconds of the period the keys were published for; 0 when absent.
    public internal(set) var startTimestamp: UInt64 = 0
    public internal(set) var endTimestamp: UInt64 = 0
    /// Where the keys are relevant, for example a country code.
    public internal(set) var region = ""
    /// This file's number within its batch, from 1; `nil` when absent.
    public internal(set) var batchNumber: Int32?
    /// Files of the batch; `nil` when absent.
    public internal(set) var batchSize: Int32?
    public internal(set) var signatureInfos: [SignatureInfo] = []
    public internal(set) var keyCount: UInt64 = 0
    public internal(set) var revisedKeyCount: UInt64 = 0
    /// Bytes of export.bin, header included.
    public internal(set) var byteCount: UInt64 = 0

    public init() {}

    /// Refuses a batch number that is not between 1 and the batch size. A file that says nothing is 1 of 1.
    public func checkBatch() throws(KeyExportError) {
        let number = batchNumber ?? 1
        let size = batchSize ?? 1
        guard number >= 1, size >= 1, number <= size else {
            throw KeyExportError(.invalidBatchNumber, "\(number) of \(size)")
        }
    }
}
