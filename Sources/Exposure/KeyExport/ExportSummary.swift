// SPDX-License-Identifier: Apache-2.0

/// The content of an export.bin besides its keys: period, region, batch, signers and counts. Not verified by itself.
public struct ExportSummary: Hashable, Sendable {
    /// First moment of the period the keys were published for: Unix seconds, unchecked; 0 when absent.
    public internal(set) var startTimestamp: UInt64 = 0
    /// End of the period: Unix seconds, unchecked; 0 when absent.
    public internal(set) var endTimestamp: UInt64 = 0
    /// The region where the keys are relevant, for example a country code; up to 64 bytes of foreign text, empty when
    /// absent.
    public internal(set) var region = ""
    /// This file's number within its batch, from 1 once ``checkBatch()`` has not thrown, any number before; `nil` when
    /// absent.
    public internal(set) var batchNumber: Int32?
    /// Number of files in the batch, 1 or more once ``checkBatch()`` has not thrown, any number before; `nil` when
    /// absent.
    public internal(set) var batchSize: Int32?
    /// The signers that the file names; at most ``ExportLimits/maximumSignatures``.
    public internal(set) var signatureInfos: [SignatureInfo] = []
    /// Number of keys in the file, flawed ones included, revised ones not; 0 or more.
    public internal(set) var keyCount: UInt64 = 0
    /// Number of keys in `revised_keys`, flawed ones included; 0 or more.
    public internal(set) var revisedKeyCount: UInt64 = 0
    /// Length of export.bin in bytes, header included, 0 or more.
    public internal(set) var byteCount: UInt64 = 0

    /// A summary of an empty file: all numbers 0, texts and lists empty.
    public init() {}

    /// Checks the file's place in its batch; a number or a size that is absent counts as 1. Throws `invalidBatchNumber`
    /// for a batch number that is not between 1 and the batch size.
    public func checkBatch() throws(KeyExportError) {
        let number = batchNumber ?? 1
        let size = batchSize ?? 1
        guard number >= 1, size >= 1, number <= size else {
            throw KeyExportError(.invalidBatchNumber, "\(number) of \(size)")
        }
    }
}
