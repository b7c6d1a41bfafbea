// SPDX-License-Identifier: Apache-2.0

import GAEN
import KeyExport
import KeyIntake
import Ledger
import Logging
import TimeTrust

/// What is kept for forgetting: by which times old things may go (docs/decisions/0030).
extension ExposureService {
    /// Unix seconds up to which verified files of keys prove the time to have come, as far as the board's own clock agreed.
    static let fileEndSetting = "newestFileEnd"
    static let bootDaysSetting = "bootDays"

    /// Takes up what was kept before.
    func loadForgetting() {
        let kept = (try? ledger.setting(Self.fileEndSetting)).flatMap(Int64.init(bytes:))
        beacon.newestFileEnd = kept.map { UnixTime(seconds: $0) }
        if let stored = try? ledger.setting(Self.bootDaysSetting) { beacon.takeUp(BootDaysCoding.decode(stored)) }
        savedDay = beacon.bootDays.current
    }

    /// What the files of a call prove about the time, in Unix seconds, if that is news: the newest signed end of their periods, and no more
    /// than `now`. A file that claims to be of the future proves nothing about it.
    func provenEnd(_ result: IntakeResult, now: Int64) -> Int64? {
        let ends = result.files.filter { $0.outcome == .matched }.compactMap { $0.summary?.endTimestamp }
        guard let newest = ends.max() else { return nil }
        let proven = min(Int64(clamping: newest), now)
        guard proven >= TrustedTime.Limits.earliest.seconds else { return nil }
        return proven > beacon.newestFileEnd?.seconds ?? 0 ? proven : nil
    }

    /// Forgets what is certainly older than 14 days, in vault and ledger, and keeps what the next process needs to know for it.
    func forgetIfDue(at now: BootInstant) {
        guard !wasReset else { return }
        saveBootDays()
        correctFileEnd(at: now)
        guard let day = beacon.forgettableDay(at: now), day > forgottenBefore else { return }
        forgottenBefore = day
        beacon.forget(at: now)
        do { try ledger.forget(before: day) } catch { complain(error, doing: "forgetting old days") }
    }

    /// Once a day.
    private func saveBootDays() {
        let days = beacon.bootDays
        guard days.current != savedDay else { return }
        savedDay = days.current
        let bytes = BootDaysCoding.encode(days, of: beacon.time.bootIdentity)
        do { try ledger.write { try $0.set(Self.bootDaysSetting, bytes) } } catch {
            complain(error, doing: "keeping which days there were")
        }
    }

    /// What a false clock and a false file agreed on holds until the authority's time says otherwise.
    private func correctFileEnd(at now: BootInstant) {
        let present = beacon.present(at: now)
        guard present.state == .authenticated, let time = present.time, let bound = present.uncertainty,
            let kept = beacon.newestFileEnd, kept > time.advanced(by: bound), let earliest = present.earliest
        else { return }
        beacon.newestFileEnd = earliest
        do { try ledger.write { try $0.set(Self.fileEndSetting, earliest.seconds.bytes) } } catch {
            complain(error, doing: "correcting what files prove about the time")
        }
    }
}

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
