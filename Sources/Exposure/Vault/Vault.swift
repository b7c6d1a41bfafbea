// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
public import TimeTrust

/// The storage of a device: its key schedule, the time, and the scans it made.
///
/// Everything committed survives a cut at any instruction; a store that is damaged is set aside, reported and replaced, and the
/// beacon goes on. Blocks on the disk; one owner, on a thread of its own.
public final class Vault {
    /// Bytes of sightings written in one day before only the loudest are kept, 16 MiB: three times what 100 devices around all day make, and a card
    /// of 8 GB lasts for a hundred years of it. Our own bound.
    public static let defaultDailyQuota = 16 << 20
    /// Senders kept of a scan when the day's quota is used up.
    static let sendersBeyondQuota = 64

    static let damagedPrefix = "damaged-"
    static let scheduleFile = SlotFile(name: "tek.slots")
    static let dayKeysFile = SlotFile(name: DayKeys.fileName)
    static let ledgerFile = SlotFile(name: LedgerKeySlot.fileName)

    let medium: any StorageMedium
    let provider: any SealingKeyProvider
    let dailyQuota: Int
    var generator: any RandomNumberGenerator
    var key: SecretBytes
    var scheduleContent: SlotFile.Content?
    var dayKeysContent: SlotFile.Content?
    var ledgerContent: SlotFile.Content?
    var dayKeys = DayKeys()
    var ledgerKeySlot: [SecretBytes] = []
    /// A reset was begun.
    var isSpent = false
    /// Where the next record of a day goes.
    var ends: [UInt32: Int] = [:]

    /// The key schedule as last stored, with at most 150 past keys; an empty one when none was, or when it could not be read.
    public internal(set) var schedule = TEKSchedule()
    /// The time as last stored; `nil` when none was, or when it could not be read.
    public internal(set) var timeSnapshot: TrustedTime.Snapshot?
    /// Whether the wearer wants to be on air, as last stored; `nil` when nobody chose yet, or when it could not be read. What release
    /// 0.2.0 stored counts as chosen: it had no other way.
    public internal(set) var isEnabled: Bool?
    /// The findings of the opening and since, such as damage, oldest first; each once, empty without any.
    public internal(set) var findings: [Finding] = []
    /// The free and total room of the disk; `nil` where the system does not say.
    public var room: StorageRoom? { medium.room }
    /// The amount that this vault has written so far, in bytes.
    public internal(set) var written = Written()

    /// Opens the vault, making what is not there and finishing what a cut interrupted.
    ///
    /// Throws ``StorageFailure``, or what the key provider says, when the disk itself refuses; `failed` when the provider has no key. Damaged
    /// contents are no reason: there is a vault afterwards, whatever they are. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - dailyQuota: Bytes of sightings per UTC day before only the 64 loudest senders of a scan are kept; more than 32 MiB count as 32 MiB.
    ///   - generator: Must be cryptographically secure outside of tests.
    public init(
        _ medium: any StorageMedium, provider: any SealingKeyProvider, dailyQuota: Int = Vault.defaultDailyQuota,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws {
        self.medium = medium
        self.provider = provider
        self.dailyQuota = min(dailyQuota, SightingLog.maximumByteCount / 2)
        self.generator = generator
        if try Self.finishReset(medium, provider) { findings.append(.wasReset) }
        let keys = try provider.keys(using: &self.generator)
        guard let first = keys.first else { throw StorageFailure(.failed, "the key provider has no key") }
        key = first
        try openStores(keys)
    }

    /// Stores the key schedule, the time (`nil` for none) and the wearer's choice in one write, in place of those before; durable when it returns.
    /// Throws what the disk refuses, `failed` after ``destroy()``; then what was stored before is still there. Needs no new space once the file is
    /// there, so it works on a full disk.
    ///
    /// At most 150 past keys are kept, the newest: 14 days have 15, and only a device that restarts all day has more.
    public func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?, isEnabled: Bool) throws {
        try store(newSchedule, time: time, choice: isEnabled)
    }

    /// Stores key schedule and time, with the wearer's choice as it was stored last; otherwise as
    /// ``store(_:time:isEnabled:)``, also in what it throws.
    public func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?) throws {
        try store(newSchedule, time: time, choice: isEnabled)
    }

    func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?, choice: Bool?) throws {
        let schedule = ScheduleCoding.trimmed(newSchedule)
        let message = SlotCoding.encode(schedule, time, isEnabled: choice)
        try counting(\.schedule) {
            scheduleContent = try write(message, to: Self.scheduleFile, after: scheduleContent)
        }
        self.schedule = schedule
        timeSnapshot = time
        isEnabled = choice
    }

    func storeDayKeys(_ next: DayKeys) throws {
        try counting(\.dayKeys) {
            dayKeysContent = try write(next.encode(), to: Self.dayKeysFile, after: dayKeysContent)
        }
        dayKeys = next
    }

    func write(
        _ message: SecretBytes, to file: SlotFile, after current: SlotFile.Content?
    ) throws -> SlotFile.Content {
        guard !isSpent else { throw StorageFailure(.failed, "the vault was reset; open it anew") }
        guard let current else {
            // Opening could not make it; perhaps there is space by now, or the disk can be written to again.
            if try medium.names().contains(file.name) { try setAside(file.name) }
            return try file.create(message, key: key, in: medium, using: &generator)
        }
        return try file.write(message, after: current, key: key, to: medium, using: &generator)
    }

    /// Adds what `body` writes to one of the sums, also when it throws.
    func counting<Result>(_ sum: WritableKeyPath<Written, UInt64>, _ body: () throws -> Result) throws -> Result {
        let before = medium.bytesWritten
        defer { written[keyPath: sum] += medium.bytesWritten - before }
        return try body()
    }

    /// Reports `finding` unless it was reported already.
    func note(_ finding: Finding) {
        if !findings.contains(finding) { findings.append(finding) }
    }

    /// Renames a file that cannot be read. One damaged file of each name is kept: more would fill the disk.
    func setAside(_ name: String) throws(StorageFailure) {
        let newName = Self.damagedPrefix + name
        try medium.rename(name, to: newName)
        try medium.syncFolder()
        note(.setAside(store: name, as: newName))
    }

    /// Forgets every day before `day` (since 1970, UTC): its key is destroyed, then its file, and with them the files that were set aside. `day`
    /// must certainly be old: a wrong clock must not erase what cannot be heard again.
    ///
    /// Destroying means: what stays is sealed under a new key and the old key is retired, so that old contents of flash cells, even if they are
    /// found, cannot be opened. A cut on the way is finished at the next opening. Without a day to forget nothing is done.
    ///
    /// - Parameter sealsAnew: Whether that is done also when no day goes, because own keys were taken out of the schedule that is stored.
    /// - Throws: ``StorageFailure`` when the disk refuses, and what the key provider throws; call it again.
    public func forget(before day: UInt32, sealsAnew: Bool = false) throws {
        guard sealsAnew || days.contains(where: { $0 < day }) else { return }
        try destroy(days.filter { $0 < day })
    }

    /// Forgets every day and every own key, as ``forget(before:sealsAnew:)`` does: for a device that is no person's any
    /// more. The time, the choice and the ledger's keys stay. A cut on the way leaves part of it; call it again. Throws
    /// ``StorageFailure`` when the disk refuses, and what the key provider throws.
    public func forgetEverything() throws {
        try store(TEKSchedule(), time: timeSnapshot, choice: isEnabled)
        try destroy(days)
    }

    private func destroy(_ gone: [UInt32]) throws {
        // From here on a cut is seen at the next opening, by the second key, and everything is sealed anew.
        key = try provider.stage(using: &generator)
        var next = dayKeys
        next.remove(where: gone.contains)
        try storeDayKeys(next)
        try sealEverythingAnew()
        for name in try medium.names() {
            // What was set aside is two weeks old at most by the same reckoning, and nobody can open it now.
            guard name.hasPrefix(Self.damagedPrefix) || SightingLog.day(ofName: name).map(gone.contains) == true else {
                continue
            }
            try medium.remove(name)
        }
        for day in gone { ends[day] = nil }
        try medium.syncFolder()
    }

    /// Seals both slots of all files under the newest key and retires the others.
    func sealEverythingAnew() throws {
        for _ in 0..<2 {
            try store(schedule, time: timeSnapshot)
            try storeDayKeys(dayKeys)
            // What could not be made for want of space must not keep a full disk from forgetting.
            if ledgerContent != nil { try storeLedgerKeys(ledgerKeySlot) }
        }
        try provider.retireOthers()
    }
}
