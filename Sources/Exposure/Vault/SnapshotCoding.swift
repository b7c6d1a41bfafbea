// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// The time as bytes, inside a sealed slot only. Whether it can be believed is for `TrustedTime` to judge.
///
/// Version (1), which parts are there (1: bit 0 floor, bit 1 reference, bit 2 orderly stop), boot identity (16), moment in the boot
/// (8), floor (8), running time (25), reference (25); what is not there is zero, so the length never changes. A point is source (1),
/// time (8), uncertainty (8), age (8), all in milliseconds.
enum SnapshotCoding {
    static let byteCount = 84
    private static let version: UInt8 = 1
    private static let pointByteCount = 25

    private enum Part {
        static let floor: UInt8 = 1
        static let reference: UInt8 = 2
        static let orderlyStop: UInt8 = 4
        static let all: UInt8 = 7
    }

    static func encode(_ snapshot: TrustedTime.Snapshot) -> [UInt8] {
        var parts: UInt8 = 0
        if snapshot.signedFloor != nil { parts |= Part.floor }
        if snapshot.reference != nil { parts |= Part.reference }
        if snapshot.isOrderlyStop { parts |= Part.orderlyStop }
        var bytes = [version, parts]
        bytes += Little.bytes(snapshot.bootIdentity.high) + Little.bytes(snapshot.bootIdentity.low)
        bytes += Little.bytes(snapshot.boot.nanoseconds)
        bytes += Little.bytes(snapshot.signedFloor?.milliseconds ?? 0)
        bytes += encode(snapshot.current)
        bytes += snapshot.reference.map(encode) ?? [UInt8](repeating: 0, count: pointByteCount)
        return bytes
    }

    private static func encode(_ point: TrustedTime.Snapshot.Point) -> [UInt8] {
        [point.source] + Little.bytes(point.time.milliseconds) + Little.bytes(point.uncertaintyMilliseconds)
            + Little.bytes(point.ageMilliseconds)
    }

    /// `nil` for anything ``encode(_:)`` cannot have made.
    static func decode(_ bytes: [UInt8]) -> TrustedTime.Snapshot? {
        guard bytes.count == byteCount, bytes[0] == version, bytes[1] & ~Part.all == 0 else { return nil }
        func number(_ offset: Int) -> Int64 { Int64(bitPattern: Little.read(UInt64.self, bytes[offset..<(offset + 8)])) }
        func point(_ offset: Int) -> TrustedTime.Snapshot.Point {
            TrustedTime.Snapshot.Point(
                source: bytes[offset], time: UnixTime(milliseconds: number(offset + 1)),
                uncertaintyMilliseconds: number(offset + 9), ageMilliseconds: number(offset + 17))
        }
        let hasFloor = bytes[1] & Part.floor != 0
        let hasReference = bytes[1] & Part.reference != 0
        guard hasFloor || number(26) == 0, hasReference || bytes[59...].allSatisfy({ $0 == 0 }) else { return nil }
        return TrustedTime.Snapshot(
            bootIdentity: BootIdentity(
                high: Little.read(UInt64.self, bytes[2..<10]), low: Little.read(UInt64.self, bytes[10..<18])),
            boot: BootInstant(nanoseconds: number(18)),
            signedFloor: hasFloor ? UnixTime(milliseconds: number(26)) : nil, current: point(34),
            reference: hasReference ? point(59) : nil, isOrderlyStop: bytes[1] & Part.orderlyStop != 0)
    }
}
