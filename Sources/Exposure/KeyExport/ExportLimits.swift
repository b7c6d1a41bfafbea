// SPDX-License-Identifier: Apache-2.0

/// The limits on the size of a key file. A file beyond a limit is refused while it is being read. Any values may be
/// set; they are not checked.
public struct ExportLimits: Sendable, Hashable {
    /// The maximum size of export.bin after decompression, in bytes, inclusive; 192 MiB, enough for 5 million keys of
    /// 30 bytes. The number is this project's own.
    public var maximumExportBytes: UInt64 = 192 << 20
    /// The maximum size of export.sig in bytes, inclusive; 64 KiB, where ten signatures take about 1,200 bytes. The
    /// number is this project's own.
    public var maximumSignatureBytes: UInt64 = 64 << 10
    /// The maximum number of keys, including revised ones, inclusive. Servers publish at most 600,000 per file (CWA)
    /// or 500,000 (ENS), and a framework reads at most 1,000,000; a backlog of merged days stays far below the limit.
    /// The number is this project's own and not checked.
    public var maximumKeys: UInt64 = 5_000_000
    /// The maximum factor by which an entry may grow when it is decompressed, inclusive. Key files consist of random
    /// bytes and hardly shrink (measured: 1.0 to 1.8); small or empty ones may. The number is this project's own.
    public var maximumRatio: UInt64 = 32
    /// The size of a decompressed entry in bytes up to which ``maximumRatio`` does not apply, inclusive; 64 KiB. The
    /// number is this project's own.
    public var ratioFreeBytes: UInt64 = 64 << 10
    /// The maximum number of signatures in export.sig, and of signature infos in export.bin, inclusive. Google reads
    /// ten. The number is this project's own and not checked.
    public var maximumSignatures = 16

    /// The limits with the defaults stated, which leave room above real files.
    public static let standard = ExportLimits()

    /// Creates limits with the defaults stated.
    public init() {}
}
