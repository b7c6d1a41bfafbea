// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// What came of reading export.bin, to be compared: everything it says, or the refusal.
public enum KeyFileReading: Equatable {
    case accepted(ExportSummary, [ExportedKey])
    case refused(KeyExportError.Code, at: UInt64?)

    /// Runs `read`, which is given a place for the keys. Anything thrown but ``KeyExportError`` is a violation.
    public init(_ read: ((UnsafeBufferPointer<ExportedKey>) -> Void) throws -> ExportSummary) {
        var keys: [ExportedKey] = []
        do {
            let summary = try read { batch in
                claim((1...ExportDecoder.batchCapacity).contains(batch.count), "a batch of \(batch.count) keys")
                keys += batch
            }
            claim(summary.keyCount + summary.revisedKeyCount == UInt64(keys.count), "the summary counts other keys")
            self = .accepted(summary, keys)
        } catch let error as KeyExportError {
            // The text is made for people; it must be makeable.
            claim(!error.description.isEmpty, "a refusal without words")
            self = .refused(error.code, at: error.offset)
        } catch {
            fatalError("thrown by the reader: \(type(of: error))")
        }
    }
}
