// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import TimeTrust

/// What one slot of `tek.slots` holds: the key schedule and the time, in one piece, so that one write commits both.
///
/// Version (1), length of the schedule (2), schedule (``ScheduleCoding``), time (``SnapshotCoding``) or nothing. The fullest one has
/// 3 + 3,179 + 84 bytes of the 4,052 a slot can hold.
enum SlotCoding {
    private static let version: UInt8 = 2
    private static let headerByteCount = 3

    /// What a message came to.
    struct Content {
        var schedule: TEKSchedule
        var time: TrustedTime.Snapshot?
        /// A time was stored and cannot be read.
        var isTimeDamaged: Bool
    }

    /// `schedule` must be ``ScheduleCoding/trimmed(_:)``.
    static func encode(_ schedule: TEKSchedule, _ time: TrustedTime.Snapshot?) -> SecretBytes {
        let keys = ScheduleCoding.encode(schedule)
        let snapshot = time.map(SnapshotCoding.encode) ?? []
        return SecretBytes(count: headerByteCount + keys.count + snapshot.count) { buffer in
            buffer[0] = version
            buffer.storeBytes(of: UInt16(keys.count).littleEndian, toByteOffset: 1, as: UInt16.self)
            keys.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[headerByteCount..<(headerByteCount + keys.count)])
                    .copyMemory(from: $0)
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[(headerByteCount + keys.count)...]).copyBytes(from: snapshot)
        }
    }

    /// `nil` when there is no schedule in `message`. A time that cannot be read costs itself only.
    static func decode(_ message: SecretBytes) -> Content? {
        message.withBytes { bytes -> Content? in
            guard bytes.count >= headerByteCount, bytes[0] == version else { return nil }
            let end = headerByteCount + Int(Little.read(UInt16.self, bytes[1..<3]))
            guard bytes.count >= end,
                let schedule = ScheduleCoding.decode(
                    SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[headerByteCount..<end])))
            else { return nil }
            let snapshot = Array(bytes[end...])
            let time = SnapshotCoding.decode(snapshot)
            return Content(schedule: schedule, time: time, isTimeDamaged: time == nil && !snapshot.isEmpty)
        }
    }
}
