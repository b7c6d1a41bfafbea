// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// Limits on the cost of one call of key files. What goes beyond is refused, with nothing committed.
public struct IntakeLimits: Sendable, Hashable {
    /// Most files of one call, inclusive. A backlog of 14 days in hourly files of one region is 336; it comes in several
    /// calls. Our own bound. Not checked.
    public var maximumFiles = 128
    /// Bytes of one file as it lies in the spool, inclusive; 64 MiB. The largest published (592,715 keys) had 17 MB.
    /// Our own bound.
    public var maximumFileBytes: UInt64 = 64 << 20
    /// Bytes of all files of a call as they lie in the spool, inclusive; 512 MiB. Our own bound.
    public var maximumTotalBytes: UInt64 = 512 << 20
    /// Time after which a file that brings nothing is given up, 30 s; enough also on a board whose every core is busy. Our
    /// own bound. Not checked.
    public var stallTime: Duration = .seconds(30)
    /// Longest time for one file, however it drips; ten minutes. A million keys take a Raspberry Pi Zero 2 under a minute.
    /// Our own bound. Not checked.
    public var fileTime: Duration = .seconds(600)
    /// Longest time for the whole call; an hour, our own bound. Not checked.
    public var totalTime: Duration = .seconds(3_600)
    /// Most bytes of the stream taken in one slice; counts as at least 4 KiB and at most 64 KiB. Our own bound.
    public var sliceByteCount = 32 << 10
    /// Memory the unzip program may have, its code included; bytes of address space, 128 MiB, and to pack a file three
    /// times its bytes more. Our own bound.
    public var childMemoryBytes: UInt64 = 128 << 20
    /// Processor time the unzip program may use for one file, in seconds; 300. Our own bound, below ``fileTime``. Not
    /// checked.
    public var childSeconds: UInt64 = 300
    /// Limits on the cost of one file's content.
    public var export = ExportLimits.standard

    /// Limits with the default of each property, as the properties state them.
    public static let standard = IntakeLimits()

    /// Limits with the defaults stated, to be changed.
    public init() {}
}
