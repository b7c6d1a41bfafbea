// SPDX-License-Identifier: Apache-2.0

import Glibc
public import KeyExport
import KeyStream
import SystemCalls
public import Trust

/// Reads one diagnosis key file that a person chose, through the confined unzip program. It blocks, so it is for
/// commands and not for the core. Used by one thread at a time.
///
/// The rules of `KeyFileReader` apply: the keys come before the signature is verified, and nothing of them may be
/// kept unless the file is valid. Throws ``KeyExportError`` when the file is refused and ``IntakeFailure`` when the
/// program is at fault.
public final class ConfinedKeyFile {
    private let reader: UnzipReader
    private let descriptor: Int32
    private let limits: IntakeLimits
    private var opening: (announced: UInt64, companion: [UInt8])?
    /// Content that came with the opening.
    private var early: [UInt8] = []
    private var isFinished = false
    /// The bytes of export.sig in the file, up to 64 KiB.
    public let signatureBytes: [UInt8]
    /// The signature list as read from ``signatureBytes``; not verified yet.
    public let signatures: [ExportSignature]
    /// The size of export.bin in bytes as the program announced it, 0 or more, for a progress display; it may be
    /// wrong.
    public let announcedByteCount: UInt64
    /// Whether the kernel confines the unzip program; `false` is possible only when ``UnzipProgram/mayBeUnconfined``
    /// is `true`.
    public let isConfined: Bool

    /// Opens the file at `path`, which may be a symbolic link, checks the archive's entries and reads the signature
    /// list. Blocks until then, up to ``IntakeLimits/stallTime`` for each piece.
    ///
    /// - Throws: ``KeyExportError`` when the file cannot be read, is not a regular file, or is refused;
    ///   ``IntakeFailure`` when the program is at fault.
    public init(path: String, program: UnzipProgram, limits: IntakeLimits = .standard) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw KeyExportError(.unreadableFile, errno == ENOENT ? "there is no such file" : SystemCall.text(errno))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw KeyExportError(.unreadableFile, "it is not a regular file")
        }
        let reader: UnzipReader
        do throws(IntakeFailure) {
            reader = try UnzipReader(input: descriptor, name: nil, program, limits: limits)
        } catch {
            close(descriptor)
            throw error
        }
        var opening: (announced: UInt64, companion: [UInt8])?
        var early: [UInt8] = []
        var isFinished = false
        do {
            while opening == nil, !isFinished {
                isFinished = try Self.step(reader, limits) { event in
                    switch event {
                    case .opening(let announced, let companion): opening = (announced, companion)
                    case .content(let bytes): early += bytes
                    case .failure(let error): throw error
                    case .hello, .end: break
                    }
                }
            }
            guard let opening else { throw IntakeFailure(.programMisbehaved) }
            guard opening.announced <= limits.export.maximumExportBytes else {
                throw KeyExportError(.entryTooLarge, "export.bin says \(opening.announced) bytes")
            }
            signatures = try ExportSignatureList.read(opening.companion, limits: limits.export)
            announcedByteCount = opening.announced
            signatureBytes = opening.companion
        } catch {
            close(descriptor)
            throw error
        }
        self.early = early
        self.isFinished = isFinished
        self.reader = reader
        self.descriptor = descriptor
        self.limits = limits
        isConfined = reader.confinement == .systemCallFilter
    }

    deinit { close(descriptor) }

    /// Calls `keys` with the keys, in file order, verifies the whole file at the end and returns the result. Blocks.
    /// May be called only once, because nothing is left to read afterwards.
    ///
    /// - Parameters:
    ///   - trust: The keys, of which those of role `export` may sign.
    ///   - policy: The rule by which the file counts as signed.
    ///   - time: The time at which verification keys must be valid, in Unix seconds; `nil` when the clock is not
    ///     trusted.
    ///   - progress: Called after each slice, even an empty one, with the number of bytes of export.bin read so far;
    ///     it returns `false` to stop, for example at a deadline.
    /// - Throws: ``KeyExportError`` when the file is refused, `stopped` when `progress` returned `false`;
    ///   ``IntakeFailure`` when the program is at fault; or what `keys` throws.
    public func read(
        trust: TrustStore, policy: SignaturePolicy = .namedKeys, time: Int64?,
        progress: (UInt64) -> Bool = { _ in true }, keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> VerifiedExport {
        var content = ContentReader(
            signatures: signatures, trust: trust, policy: policy, time: time, limits: limits.export)
        try stream(progress: progress) { try content.take($0, keys) }
        return try content.finish(keys)
    }

    /// Calls `keys` with the keys without verifying the signatures, for a person who wants to see the content of a
    /// file. Blocks, and may be called only once. Throws the same errors as
    /// ``read(trust:policy:time:progress:keys:)``, except those about signatures.
    public func readUnverified(keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void) throws -> ExportSummary {
        var content = ContentReader(
            signatures: [], trust: try TrustStore(keys: []), policy: .anyKey, time: nil, limits: limits.export)
        try stream(progress: { _ in true }) { try content.take($0, keys) }
        return try content.finishUnverified(keys)
    }

    private func stream(
        progress: (UInt64) -> Bool, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var total = UInt64(early.count)
        try early.withUnsafeBytes { try body($0) }
        early = []
        while !isFinished {
            isFinished = try Self.step(reader, limits) { event in
                switch event {
                case .content(let bytes):
                    total += UInt64(bytes.count)
                    try body(bytes)
                case .failure(let error): throw error
                case .hello, .opening, .end: break
                }
            }
            guard progress(total) else { throw KeyExportError(.stopped, at: total) }
        }
    }

    /// One slice, waited for; whether it was the last.
    private static func step(
        _ reader: UnzipReader, _ limits: IntakeLimits, _ body: (KeyStreamEvent) throws -> Void
    ) throws -> Bool {
        switch try reader.step(body) {
        case .finished: return true
        case .moved: return false
        case .waiting:
            guard let descriptor = reader.descriptor else { return false }
            guard SystemCall.waitToRead(descriptor, for: limits.stallTime) else { throw IntakeFailure(.stalled) }
            return false
        }
    }
}
