// SPDX-License-Identifier: Apache-2.0

/// Collects the files of one call and says whether every batch among them is whole.
///
/// Files belong together when region, start, end and batch size agree. A batch that is not whole must not be matched: what
/// is missing could be the revocation of what is there.
public struct ExportBatches: Sendable {
    private struct Identity: Hashable {
        let region: String
        let start: UInt64
        let end: UInt64
        let size: Int32
    }
    private var seen: [Identity: [Int32: [UInt8]]] = [:]

    /// A collection of no files. ``checkComplete()`` passes without files, because no batch lacks one.
    public init() {}

    /// Adds a verified file. Throws `inconsistentBatch` when another file of different content has the same number; the
    /// same content twice is fine.
    public mutating func add(_ file: VerifiedExport) throws(KeyExportError) {
        let summary = file.summary
        let identity = Identity(
            region: summary.region, start: summary.startTimestamp, end: summary.endTimestamp,
            size: summary.batchSize ?? 1)
        // A batch of one is whole by itself; servers publish several single files for one period.
        guard identity.size > 1 else { return }
        let number = summary.batchNumber ?? 1
        if let other = seen[identity]?[number], other != file.contentDigest {
            throw KeyExportError(.inconsistentBatch, "two different files are number \(number) of \(identity.size)")
        }
        seen[identity, default: [:]][number] = file.contentDigest
    }

    /// Checks that every batch is whole; files without a batch are 1 of 1. Throws `incompleteBatch` when a file of any is
    /// missing.
    public func checkComplete() throws(KeyExportError) {
        for (identity, files) in seen where files.count < Int(identity.size) {
            throw KeyExportError(.incompleteBatch, "\(files.count) of \(identity.size) files are here")
        }
    }
}
