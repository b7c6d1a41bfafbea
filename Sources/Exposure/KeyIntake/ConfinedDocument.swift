// SPDX-License-Identifier: Apache-2.0

import KeyStream
import SystemCalls

/// Reads a small signed document that is packed in the way of key files, such as a configuration of a few kilobytes,
/// through the confined unzip program. Does not verify the signature.
public enum ConfinedDocument {
    /// Returns export.bin, at most `maximumByteCount` bytes, and export.sig, at most 64 KiB, of the file at
    /// `descriptor`, which is read from its beginning and stays open. Blocks the calling thread, up to
    /// ``IntakeLimits/stallTime`` for each piece; the whole call has no other limit than the program's processor
    /// time (``IntakeLimits/childSeconds``).
    ///
    /// - Throws: `KeyExportError` when the file is refused; ``IntakeFailure``: `fileTooLarge` when export.bin has
    ///   more than `maximumByteCount` bytes, `stalled` when nothing came in time, and others when the program is at
    ///   fault.
    public static func read(
        _ descriptor: Int32, program: UnzipProgram, maximumByteCount: Int, limits: IntakeLimits = .standard
    ) throws -> (exportBin: [UInt8], exportSig: [UInt8]) {
        let reader = try UnzipReader(input: descriptor, name: nil, program, limits: limits)
        var content: [UInt8] = []
        var companion: [UInt8]?
        while true {
            let step = try reader.step { event in
                switch event {
                case .opening(_, let bytes): companion = bytes
                case .content(let bytes):
                    guard content.count + bytes.count <= maximumByteCount else { throw IntakeFailure(.fileTooLarge) }
                    content += bytes
                case .failure(let error): throw error
                case .hello, .end: break
                }
            }
            if step == .finished { break }
            guard step == .waiting, let ready = reader.descriptor else { continue }
            guard SystemCall.waitToRead(ready, for: limits.stallTime) else { throw IntakeFailure(.stalled) }
        }
        guard let companion else { throw IntakeFailure(.programMisbehaved) }
        return (content, companion)
    }
}
