// SPDX-License-Identifier: Apache-2.0

public import KeyExport

/// The limits on the cost of one call of key files. A call beyond a limit fails, and nothing of it is committed.
public struct IntakeLimits: Sendable, Hashable {
    /// The maximum number of files in one call, inclusive. A backlog of 14 days in hourly files of one region is 336
    /// files and needs several calls. The number is this project's own and not checked.
    public var maximumFiles = 128
    /// The maximum size of one file in the spool in bytes, inclusive; 64 MiB. The largest published file (592,715
    /// keys) had 17 MB. The number is this project's own.
    public var maximumFileBytes: UInt64 = 64 << 20
    /// The maximum size of all files of a call in the spool in bytes, inclusive; 512 MiB. The number is this
    /// project's own.
    public var maximumTotalBytes: UInt64 = 512 << 20
    /// The time without progress after which a file fails, 30 s; enough even for a board whose processors are all
    /// busy. The number is this project's own and not checked.
    public var stallTime: Duration = .seconds(30)
    /// The maximum time for one file, however slowly it comes; ten minutes. A million keys take a Raspberry Pi Zero 2
    /// less than a minute. The number is this project's own and not checked.
    public var fileTime: Duration = .seconds(600)
    /// The maximum time for the whole call, one hour. The number is this project's own and not checked.
    public var totalTime: Duration = .seconds(3_600)
    /// The maximum number of bytes of the stream read in one slice; less than 4 KiB counts as 4 KiB, more than 64 KiB
    /// as 64 KiB. The number is this project's own.
    public var sliceByteCount = 32 << 10
    /// The address space of the unzip program in bytes, including its code: 128 MiB, and three times the size of a
    /// file to be packed in addition. The number is this project's own.
    public var childMemoryBytes: UInt64 = 128 << 20
    /// The processor time that the unzip program may use for one file, in seconds; 300, below ``fileTime``. The
    /// number is this project's own and not checked.
    public var childSeconds: UInt64 = 300
    /// The limits on the content of one file.
    public var export = ExportLimits.standard

    /// The limits with the default of each property.
    public static let standard = IntakeLimits()

    /// Creates limits with the defaults stated.
    public init() {}
}
