// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import TimeTrust

/// What one slot of `tek.slots` holds: the key schedule and the time, in one piece, so that one write commits both.
///
/// Version (1), choice (1: 0 none, 1 off, 3 on), length of the schedule (2), schedule (``ScheduleCoding``), time
/// (``SnapshotCoding``) or nothing. The fullest one has 4 + 3,195 + 84 bytes of the 4,052 a slot can hold.
///
/// Version 2, of release 0.2.0, had no choice: who used it had it on.
enum SlotCoding {
    private static let version: UInt8 = 3
    private static let versionWithoutChoice: UInt8 = 2
    private static let headerByteCount = 4

    private enum Choice {
        static let none: UInt8 = 0
        static let off: UInt8 = 1
        static let on: UInt8 = 3
    }

    /// What a message came to.
    struct Content {
        var schedule: TEKSchedule
        var time: TrustedTime.Snapshot?
        /// What the wearer chose; `nil` when nobody did yet.
        var isEnabled: Bool?
        /// A time was stored and cannot be read.
        var isTimeDamaged: Bool
    }

    /// `schedule` must be ``ScheduleCoding/trimmed(_:)``.
    static func encode(_ schedule: TEKSchedule, _ time: TrustedTime.Snapshot?, isEnabled: Bool?) -> SecretBytes {
        let keys = ScheduleCoding.encode(schedule)
        let snapshot = time.map(SnapshotCoding.encode) ?? []
        return SecretBytes(count: headerByteCount + keys.count + snapshot.count) { buffer in
            buffer[0] = version
            buffer[1] = isEnabled.map { $0 ? Choice.on : Choice.off } ?? Choice.none
            buffer.storeBytes(of: UInt16(keys.count).littleEndian, toByteOffset: 2, as: UInt16.self)
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
            guard let first = bytes.first else { return nil }
            let header = first == versionWithoutChoice ? headerByteCount - 1 : headerByteCount
            guard first == version || first == versionWithoutChoice, bytes.count >= header else { return nil }
            let isEnabled: Bool?
            switch first == versionWithoutChoice ? Choice.on : bytes[1] {
            case Choice.none: isEnabled = nil
            case Choice.off: isEnabled = false
            case Choice.on: isEnabled = true
            default: return nil
            }
            let end = header + Int(Little.read(UInt16.self, bytes[(header - 2)..<header]))
            guard bytes.count >= end,
                let schedule = ScheduleCoding.decode(
                    SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[header..<end])))
            else { return nil }
            let snapshot = Array(bytes[end...])
            let time = SnapshotCoding.decode(snapshot)
            return Content(
                schedule: schedule, time: time, isEnabled: isEnabled, isTimeDamaged: time == nil && !snapshot.isEmpty)
        }
    }
}
