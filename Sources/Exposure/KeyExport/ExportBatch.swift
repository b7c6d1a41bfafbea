// SPDX-License-Identifier: Apache-2.0

/// Collects the files of one call and checks that every batch among them is complete.
///
/// Files belong to one batch when their region, start, end and batch size agree. A batch that is not complete must
/// not be matched, because a missing file could revoke keys of the others.
public struct ExportBatches: Sendable {
    private struct Identity: Hashable {
        let region: String
        let start: UInt64
        let end: UInt64
        let size: Int32
    }
    private var seen: [Identity: [Int32: [UInt8]]] = [:]

    /// Creates an empty collection, for which ``checkComplete()`` succeeds.
    public init() {}

    /// Adds a verified file; one that is 1 of 1 is complete by itself and not held. Throws `inconsistentBatch` when
    /// a file with other content has the same number in the same batch; the same content may be added twice.
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

    /// Checks that every batch is complete; a file that names no batch is 1 of 1. Throws `incompleteBatch` when a
    /// file of a batch is missing.
    public func checkComplete() throws(KeyExportError) {
        for (identity, files) in seen where files.count < Int(identity.size) {
            throw KeyExportError(.incompleteBatch, "\(files.count) of \(identity.size) files are here")
        }
    }
}
