// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// ``BootDays`` as a setting: version 1, boot identity (16), since (8), then per day its number (4) and when it was last (8); little-endian,
/// moments in nanoseconds of the boot clock.
enum BootDaysCoding {
    private static let version: UInt8 = 1
    private static let headerByteCount = 25
    private static let useByteCount = 12

    static func encode(_ days: BootDays, of boot: BootIdentity) -> [UInt8] {
        var bytes = [version] + raw(boot.high) + raw(boot.low) + raw(days.since.nanoseconds)
        for use in days.uses { bytes += raw(use.day) + raw(use.last.nanoseconds) }
        return bytes
    }

    /// `nil` for anything ``encode(_:of:)`` cannot have made.
    static func decode(_ bytes: [UInt8]) -> (boot: BootIdentity, days: BootDays)? {
        guard bytes.count >= headerByteCount, bytes[0] == version,
            (bytes.count - headerByteCount).isMultiple(of: useByteCount),
            (bytes.count - headerByteCount) / useByteCount <= BootDays.maximumDays
        else { return nil }
        let uses = stride(from: headerByteCount, to: bytes.count, by: useByteCount).map { start in
            BootDays.Use(
                day: UInt32(truncatingIfNeeded: read(bytes, start, 4)),
                last: BootInstant(nanoseconds: Int64(bitPattern: read(bytes, start + 4, 8))))
        }
        return (
            BootIdentity(high: read(bytes, 1, 8), low: read(bytes, 9, 8)),
            BootDays(since: BootInstant(nanoseconds: Int64(bitPattern: read(bytes, 17, 8))), uses: uses)
        )
    }

    private static func raw(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func read(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        bytes[start..<(start + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
