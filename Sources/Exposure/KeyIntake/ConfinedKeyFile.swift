// SPDX-License-Identifier: Apache-2.0

import Glibc
public import KeyExport
import KeyStream
import SystemCalls
public import Trust

/// Reads one diagnosis key file of a person's choice through the unzip program, and waits for it: for commands, not for the
/// core. One thread at a time.
///
/// Its contract is that of `KeyFileReader`: keys arrive before the signature is checked, and nothing of them may be kept unless the
/// verdict is good. Throws ``KeyExportError`` when the file is refused and ``IntakeFailure`` when the program is to blame.
public final class ConfinedKeyFile {
    private let reader: UnzipReader
    private let descriptor: Int32
    private let limits: IntakeLimits
    private var opening: (announced: UInt64, companion: [UInt8])?
    /// Content that came with the opening.
    private var early: [UInt8] = []
    private var isFinished = false
    /// Bytes of export.sig as it stands in the file, up to 64 KiB.
    public let signatureBytes: [UInt8]
    /// The signature list as read from ``signatureBytes``; not verified yet.
    public let signatures: [ExportSignature]
    /// Size of export.bin in bytes as the program announced it, for a progress display, 0 or more; the file may lie.
    public let announcedByteCount: UInt64
    /// Whether the kernel confines the program that unpacks; false only for a program that
    /// ``UnzipProgram/mayBeUnconfined`` allows it.
    public let isConfined: Bool

    /// Opens the file at `path`, which may be a link, has its shape checked and reads the signature list; blocks until
    /// then.
    ///
    /// - Throws: ``KeyExportError`` when the file is unreadable, not a regular one, or refused; ``IntakeFailure`` when
    ///   the program is to blame.
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

    /// Streams the keys to `keys`, in file order, and gives the verdict; blocks. Once only: nothing is left to read
    /// after it.
    ///
    /// - Parameters:
    ///   - time: Unix seconds for the validity of keys, `nil` when the clock is not trusted.
    ///   - progress: Called after each slice, an empty one too, with the bytes of export.bin read so far; return
    ///     `false` to stop, for a deadline.
    /// - Throws: ``KeyExportError`` (`stopped` if `progress` said so), ``IntakeFailure``, or what `keys` throws.
    public func read(
        trust: TrustStore, policy: SignaturePolicy = .namedKeys, time: Int64?,
        progress: (UInt64) -> Bool = { _ in true }, keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> VerifiedExport {
        var content = ContentReader(
            signatures: signatures, trust: trust, policy: policy, time: time, limits: limits.export)
        try stream(progress: progress) { try content.take($0, keys) }
        return try content.finish(keys)
    }

    /// Streams the keys without looking at the signatures, for a person who wants to see what is in a file; blocks, and
    /// once only. Throws as ``read(trust:policy:time:progress:keys:)``, and nothing about signatures.
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
