// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension Vault {
    /// Appends a scan to the log of the UTC day on which it began; durable when it returns. A power cut before that
    /// loses this scan and nothing else. A scan without senders is not written: the next scan records when the one
    /// before it ended. When the day's quota is used up, only the 64 loudest senders of the scan are kept. When the
    /// scan begins a day and 100 days have a log, the log of the day that was begun first is removed
    /// (``Finding/dayDropped(day:)``).
    ///
    /// Throws ``StorageFailure``: `failed` after ``destroy()``, `full` without space, `tooLarge` when the day's log
    /// would exceed 64 MiB, which only scanning without a pause can reach, and what else the disk refuses. What was
    /// stored before stays, and the next scan may be stored again.
    public func append(_ scan: ScanRecord) throws {
        guard !scan.isEmpty else { return }
        guard !isSpent else { throw StorageFailure(.failed, "the vault was reset; open it anew") }
        let day = scan.start / 86_400
        let log = try log(of: day)
        let end = ends[day] ?? 0
        var kept = scan
        if end + SightingLog.byteCount(scan) > dailyQuota {
            kept = scan.loudest(Self.sendersBeyondQuota)
            note(.quotaReached(day: day))
        }
        // Only a caller that scans without pause gets here; a longer file would not be read again.
        guard end + SightingLog.byteCount(kept) <= SightingLog.maximumByteCount else {
            throw StorageFailure(.tooLarge, SightingLog.name(day))
        }
        try counting(\.sightings) {
            ends[day] = try log.append(kept, at: end, to: medium, using: &generator)
        }
    }

    /// The number of bytes that are kept of a day (since 1970, UTC); 0 for none.
    public func byteCount(day: UInt32) -> Int { medium.byteCount(SightingLog.name(day)) }

    private func log(of day: UInt32) throws -> SightingLog {
        if let key = dayKeys.key(day) {
            let log = SightingLog(day: day, key: key)
            if ends[day] == nil { try open(log) }
            return log
        }
        let dayKey = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        var next = dayKeys
        let dropped = next.add(day, dayKey) { medium.byteCount(SightingLog.name($0)) }
        // The key first: a log without its key could never be read.
        try storeDayKeys(next)
        if let dropped {
            try medium.remove(SightingLog.name(dropped))
            ends[dropped] = nil
            note(.dayDropped(day: dropped))
        }
        let log = SightingLog(day: day, key: dayKey)
        try open(log)
        return log
    }

    /// Makes a day ready for its first record by this process: its file is there and its name durable, a torn tail is cut off.
    private func open(_ log: SightingLog) throws {
        var reading = SightingLog.Reading()
        do {
            reading = try read(log) { _ in }
        } catch let failure as StorageFailure where failure.code == .tooLarge || failure.code == .failed {
            // A bad sector in it must not cost the rest of the day.
            try setAside(SightingLog.name(log.day))
        }
        if reading.tornByteCount > 0 {
            try medium.truncate(SightingLog.name(log.day), to: reading.end)
            try medium.sync(SightingLog.name(log.day))
        }
        try medium.write([], to: SightingLog.name(log.day), at: 0)
        try medium.syncFolder()
        ends[log.day] = reading.end
    }

    private func read(
        _ log: SightingLog, _ body: (ScanRecord) -> Void
    ) throws -> SightingLog.Reading {
        let reading = try log.read(medium, body)
        if reading.damagedPlaces > 0 {
            note(.damagedRecords(day: log.day, places: reading.damagedPlaces))
        } else if reading.tornByteCount > 0 {
            note(.tornRecord(day: log.day))
        }
        return reading
    }

    /// The UTC days, since 1970, for which a log was begun, in that order, each once. A log may have no intact
    /// record.
    public var days: [UInt32] { dayKeys.entries.map(\.day) }

    /// Returns the scans of one UTC day, since 1970, in the order in which they were stored; empty when the day has
    /// no log. Damaged records are left out and reported in ``findings``. Throws ``StorageFailure`` when the log
    /// cannot be read or has more than 64 MiB.
    public func scans(day: UInt32) throws -> [ScanRecord] {
        var scans: [ScanRecord] = []
        try forEachScan(day: day) { scans.append($0) }
        return scans
    }

    /// Calls `body` with each scan of one UTC day, since 1970, in the order in which they were stored; not at all
    /// when the day has no log. It holds the bytes of the log in memory, but not all its records. Damaged records are
    /// left out and reported in ``findings``. Throws ``StorageFailure`` when the log cannot be read.
    public func forEachScan(day: UInt32, _ body: (ScanRecord) -> Void) throws {
        guard let key = dayKeys.key(day) else { return }
        _ = try read(SightingLog(day: day, key: key), body)
    }
}
