// SPDX-License-Identifier: Apache-2.0

public import KeyExport
public import Trust

/// Reads one diagnosis key file: archive, signature list, keys and signature, in one pass over export.bin.
///
/// Blocks while it reads. Not thread-safe; it has one owner.
public struct KeyFileReader: ~Copyable {
    // Large enough for inflate to run long, small enough for a second-level cache beside the day filters.
    private static let chunkByteCount = 64 << 10

    private let archive: ZipArchive
    private let entries: (bin: ZipArchive.Entry, sig: ZipArchive.Entry)
    private let limits: ExportLimits
    /// The bytes of export.sig in the file, at most ``ExportLimits/maximumSignatureBytes``. Two files with the same
    /// bytes here and valid signatures have the same content.
    public let signatureBytes: [UInt8]
    /// The signature list as read from ``signatureBytes``; not verified yet.
    public let signatures: [ExportSignature]

    /// Opens the file at `path`, checks the archive's entries and reads the signature list. Throws ``KeyExportError``
    /// when the file cannot be read, when it is not an archive, when it has other entries than a key file or larger
    /// ones than `limits` allow, and when the signature list is malformed.
    public init(path: String, limits: ExportLimits = .standard) throws(KeyExportError) {
        try self.init(ZipArchive(path: path), limits)
    }

    /// Opens a key file in memory, of which a copy is kept. Throws ``KeyExportError`` when it is not an archive, when
    /// it has other entries than a key file or larger ones than `limits` allow, and when the signature list is
    /// malformed.
    public init(bytes: [UInt8], limits: ExportLimits = .standard) throws(KeyExportError) {
        try self.init(ZipArchive(bytes: bytes), limits)
    }

    private init(_ archive: ZipArchive, _ limits: ExportLimits) throws(KeyExportError) {
        // Everything that can fail first: a noncopyable value is made whole or not at all.
        let entries = try archive.keyFileEntries(limits)
        let bytes = try archive.content(entries.sig)
        let signatures = try ExportSignatureList.read(bytes, limits: limits)
        self.archive = archive
        self.limits = limits
        self.entries = entries
        self.signatureBytes = bytes
        self.signatures = signatures
    }

    /// The size of export.bin in bytes as the archive states it, for a progress display; it may be wrong.
    public var announcedByteCount: UInt64 { entries.bin.byteCount }

    /// Calls `keys` with the keys in batches of up to 256, in file order, verifies the whole file at the end and
    /// returns the result. Blocks.
    ///
    /// - Important: The keys come before the signature is verified. Commit nothing that depends on them before this
    ///   call returns.
    /// - Parameters:
    ///   - trust: The keys, of which those of role `export` may sign.
    ///   - policy: The rule by which the file counts as signed.
    ///   - time: The time at which verification keys must be valid, in Unix seconds; `nil` when the clock is not
    ///     trusted.
    ///   - progress: Called after each piece of up to 64 KiB with the number of bytes of export.bin read so far; it
    ///     returns `false` to stop, for example at a deadline.
    /// - Throws: ``KeyExportError`` when the file is refused, `stopped` when `progress` returned `false`, or what
    ///   `keys` throws.
    public consuming func read(
        trust: TrustStore, policy: SignaturePolicy = .namedKeys, time: Int64?,
        progress: (UInt64) -> Bool = { _ in true }, keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> VerifiedExport {
        try read(
            authorities: [ExportAuthority(trust: trust, policy: policy)], time: time, progress: progress, keys: keys)
    }

    /// Reads a file of several authorities, at least one of which must have signed it, or the one named `wanted` if
    /// it is not `nil`; otherwise the same as ``read(trust:policy:time:progress:keys:)``. Throws `anotherAuthority`
    /// when only others than `wanted` signed it, and `wrongRegion` when it is not for the region of its signers.
    public consuming func read(
        authorities: [ExportAuthority], wanted: String? = nil, time: Int64?,
        progress: (UInt64) -> Bool = { _ in true }, keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> VerifiedExport {
        var verifier = ExportVerifier(signatures: signatures, authorities: authorities, wanted: wanted, time: time)
        let result = try stream(progress: progress, keys: keys) { verifier.update($0) }
        switch result {
        case .success(let summary): return try verifier.finish(summary)
        case .failure(let error): throw verifier.refuse(error)
        }
    }

    /// Calls `keys` with the keys without verifying the signatures, for a person who wants to see the content of a
    /// file. The result must not be relied on. Throws ``KeyExportError`` when the file is refused, or what `keys`
    /// throws.
    public consuming func readUnverified(
        keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws -> ExportSummary {
        try stream(progress: { _ in true }, keys: keys) { _ in }.get()
    }

    /// Gives a failure when export.bin cannot be read, after all of it was handed to `bytes`; throws everything else at once.
    private borrowing func stream(
        progress: (UInt64) -> Bool, keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void,
        bytes: (UnsafeRawBufferPointer) -> Void
    ) throws -> Result<ExportSummary, KeyExportError> {
        var decoder = ExportDecoder(limits: limits)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkByteCount, alignment: 16)
        defer { buffer.deallocate() }
        var total: UInt64 = 0
        var contentError: KeyExportError?
        func content(_ body: () throws -> Void) throws {
            guard contentError == nil else { return }
            do {
                try body()
            } catch let error as KeyExportError where error.isAboutContent {
                contentError = error
            }
        }
        try archive.stream(entries.bin, through: buffer) { chunk in
            bytes(chunk)
            try content { try decoder.decode(chunk, keys) }
            total += UInt64(chunk.count)
            guard progress(total) else { throw KeyExportError(.stopped, at: total) }
        }
        if let contentError { return .failure(contentError) }
        do {
            return .success(try decoder.finish(keys))
        } catch let error as KeyExportError where error.isAboutContent {
            return .failure(error)
        }
    }
}
