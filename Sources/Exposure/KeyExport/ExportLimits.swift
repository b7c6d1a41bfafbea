// SPDX-License-Identifier: Apache-2.0

/// Limits on the cost of a key file. Everything beyond is refused while it is being read, never after.
public struct ExportLimits: Sendable, Hashable {
    /// Bytes of export.bin after inflating, inclusive; 192 MiB. 5 million keys of 30 bytes fit. Our own bound.
    public var maximumExportBytes: UInt64 = 192 << 20
    /// Bytes of export.sig, inclusive; 64 KiB. Ten signatures take about 1,200. Our own bound.
    public var maximumSignatureBytes: UInt64 = 64 << 10
    /// Most keys, revised ones included, inclusive. Servers publish at most 600,000 per file (CWA) or 500,000 (ENS); a
    /// framework reads at most 1,000,000; a backlog of merged days stays far below this. Our own bound. Not checked.
    public var maximumKeys: UInt64 = 5_000_000
    /// The largest factor by which an entry may grow when it is inflated, inclusive. Key files consist of random bytes
    /// and hardly shrink (measured: 1.0 to 1.8). Small or empty ones may. Our own bound.
    public var maximumRatio: UInt64 = 32
    /// Bytes of an inflated entry up to which ``maximumRatio`` does not apply, inclusive; 64 KiB. Our own bound.
    public var ratioFreeBytes: UInt64 = 64 << 10
    /// Most signatures of export.sig, and most signature infos of export.bin, inclusive. Google reads ten. Our own bound.
    /// Not checked.
    public var maximumSignatures = 16

    /// Limits with the defaults stated: ours, with room above real files.
    public static let standard = ExportLimits()

    /// Limits with the defaults stated, to be changed.
    public init() {}
}
