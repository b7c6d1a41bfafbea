// SPDX-License-Identifier: Apache-2.0

import GAEN
public import Matching
public import Vault

/// The stored scans of the last 14 days, in the form that the matcher needs.
///
/// They are loaded day by day, so that the records of only one day are in memory besides the sightings. A day may have
/// ``dailyLimit`` sightings: if it has no more readings than that, each reading is one. A busier day has two for each
/// sender and scan, the strongest reading and its mirror image about the mean, so that the scan's strongest and mean values
/// stay the same (the mean to half a decibel). If that is still too much, the scans with the most senders lose their
/// quietest ones. So neither a busy place nor a flood can use up the memory, and a flood only affects the scans in which it
/// was heard.
public struct SightingLoading {
    /// The most sightings of a day: 70,000, our choice, for 100 devices nearby all day, in the short form. 15 such days, as
    /// only a flood of two weeks or a very busy place causes, need 33 MB, and 100 MB (measured) while the index is made.
    public static let defaultDailyLimit = 70_000
    /// Days before the present one that are loaded in any case (`contactRecordDaysToKeep`; gaen-core section 3).
    public static let days: UInt32 = 14
    /// The most days that are loaded, inclusive: twice the 15 that are right, and one. Our choice.
    static let maximumDays = 31

    /// The sightings of all days that could be read, indexed by identifier.
    public let index: SightingIndex
    /// The days that were too large, and have two sightings for each sender and scan, in days since 1970 (UTC), the oldest
    /// first. Empty if there are none.
    public private(set) var shortenedDays: [UInt32] = []
    /// The number of senders that were left out of days that could be read, each counted once per scan; 0 if nothing was
    /// left out.
    public private(set) var leftOutCount = 0
    /// The days whose log could not be read from the disk, in days since 1970 (UTC), the oldest first; the other days are
    /// loaded. Empty if there are none.
    public private(set) var unreadableDays: [UInt32] = []

    /// Loads what ``SightingLoader`` does.
    ///
    /// - Parameters:
    ///   - now: The present time, in Unix seconds.
    ///   - dailyLimit: The most sightings of a day, at least 2; less ends the program.
    ///   - correction: Returns the number to add to raw values taken under a revision of the board's profile, in
    ///     dB.
    public init(
        _ vault: Vault, now: UInt32, dailyLimit: Int = defaultDailyLimit,
        correction: @escaping (_ profileRevision: UInt16) -> Int
    ) {
        var loader = SightingLoader(vault, now: now, dailyLimit: dailyLimit, correction: correction)
        while loader.loadNextDay() {}
        self = loader.finish()
    }

    fileprivate init(_ loader: SightingLoader) {
        index = SightingIndex(loader.sightings)
        shortenedDays = loader.shortenedDays
        leftOutCount = loader.leftOutCount
        unreadableDays = loader.unreadableDays
    }
}

/// A ``SightingLoading`` in steps of a day, for callers that have other work to do in between.
public struct SightingLoader {
    private let vault: Vault
    private let dailyLimit: Int
    private let correction: (UInt16) -> Int
    private var days: [UInt32]
    fileprivate var sightings: [Sighting] = []
    fileprivate var shortenedDays: [UInt32] = []
    fileprivate var leftOutCount = 0
    fileprivate var unreadableDays: [UInt32] = []

    /// Creates a loader for all days that the vault has, the oldest first; nothing is read yet. If it has more than
    /// ``SightingLoading/maximumDays``, as only clocks that leap about make, the day of `now` (Unix seconds) and the ``SightingLoading/days`` before it
    /// come first, then the days of which most is kept. `dailyLimit` is the most sightings of one day, at
    /// least 2; less ends the program. `correction` returns the number of dB to add for a revision of the profile.
    ///
    /// Not the days before `now` alone: what is old enough is forgotten by a time that is certainly past, and `now` may be what somebody on the network
    /// says. A file that is compared while it lies is not compared again.
    public init(
        _ vault: Vault, now: UInt32, dailyLimit: Int = SightingLoading.defaultDailyLimit,
        correction: @escaping (_ profileRevision: UInt16) -> Int
    ) {
        precondition(dailyLimit >= 2, "a day gives two sightings at least")
        let today = now / 86_400
        let first = today - min(today, SightingLoading.days)
        self.vault = vault
        self.dailyLimit = dailyLimit
        self.correction = correction
        var wanted = vault.days
        if wanted.count > SightingLoading.maximumDays {
            let others = wanted.filter { !(first...today).contains($0) }.map { ($0, vault.byteCount(day: $0)) }
            let recent = wanted.filter { (first...today).contains($0) }
            wanted = recent + others.sorted { $0.1 > $1.1 }.map(\.0).prefix(SightingLoading.maximumDays - recent.count)
        }
        days = wanted.sorted(by: >)
        earliest = UInt32(
            clamping: min(UInt64(now), (UInt64(wanted.min() ?? today) + UInt64(SightingLoading.days)) * 86_400))
    }

    /// The time, in Unix seconds, by which keys are too old to be compared: `now`, or, if older days are loaded, when the oldest of them was the last of
    /// the ``SightingLoading/days``.
    package let earliest: UInt32

    /// Loads one more day, or notes that the disk could not read it; returns `false` if no day is left. Never throws. A day
    /// of 100 devices takes a few milliseconds, the worst flood 150.
    public mutating func loadNextDay() -> Bool {
        guard let day = days.popLast() else { return false }
        guard let scans = try? vault.scans(day: day) else {
            unreadableDays.append(day)
            return true
        }
        let form = Form(scans, limit: dailyLimit)
        if form.isShort { shortenedDays.append(day) }
        leftOutCount += form.leftOutCount
        for scan in scans { form.add(scan, correction: correction(scan.profileRevision), to: &sightings) }
        return true
    }

    /// Makes the index of the days loaded so far: a few milliseconds for 50,000 sightings, half a second for two weeks of a
    /// flood. Cannot fail.
    public consuming func finish() -> SightingLoading { SightingLoading(self) }
}

/// How the scans of one day become sightings.
private struct Form {
    let isShort: Bool
    /// Senders a scan may have.
    let sendersPerScan: Int
    let leftOutCount: Int

    init(_ scans: [ScanRecord], limit: Int) {
        let readings = scans.reduce(0) { $0 + $1.heard.reduce(0) { $0 + $1.readings.count } }
        isShort = readings > limit
        guard isShort else {
            (sendersPerScan, leftOutCount) = (.max, 0)
            return
        }
        func kept(_ most: Int) -> Int { scans.reduce(0) { $0 + min($1.heard.count, most) } }
        // The largest bound that all scans together can have.
        var range = 0...ScanRecord.maximumHeard
        while range.lowerBound < range.upperBound {
            let middle = (range.lowerBound + range.upperBound + 1) / 2
            range = kept(middle) * 2 <= limit ? middle...range.upperBound : range.lowerBound...(middle - 1)
        }
        sendersPerScan = range.lowerBound
        leftOutCount = kept(.max) - kept(sendersPerScan)
    }

    func add(_ scan: ScanRecord, correction: Int, to sightings: inout [Sighting]) {
        for sender in scan.loudest(sendersPerScan).heard {
            var sighting = Sighting(
                identifier: sender.payload.identifier, metadata: sender.payload.metadata,
                time: UInt32(clamping: UInt64(scan.start) + UInt64(sender.offset)), previousScan: scan.previousScan, rssi: 0
            )
            func add(_ raw: Int8) {
                sighting.rssi = Attenuation.calibrated(rssi: raw, correction: correction)
                sightings.append(sighting)
            }
            if isShort, sender.readings.count > 2 {
                let strongest = sender.readings.strongest
                let sum = sender.readings.reduce(0) { $0 + Int($1) }
                add(strongest)
                // Twice the mean, less the strongest.
                let count = sender.readings.count
                let twice = Int((Double(2 * sum) / Double(count)).rounded(.toNearestOrAwayFromZero))
                add(Int8(clamping: twice - Int(strongest)))
            } else {
                for reading in sender.readings { add(reading) }
            }
        }
    }
}
