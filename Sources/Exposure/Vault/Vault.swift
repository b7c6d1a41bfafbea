// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
public import TimeTrust

/// The storage of a device: its key schedule, the time, and the recorded scans.
///
/// Everything committed survives a power cut at any instruction. A damaged store is set aside, reported and
/// replaced, and the beacon goes on. The calls block on the disk; a vault has one owner, on a thread of its own.
/// Calls that write also throw `CryptographyError` when the cryptographic library fails; what was stored before is
/// then still there.
public final class Vault {
    /// The default quota of sightings in bytes per UTC day, 16 MiB, beyond which only the loudest senders of a scan
    /// are kept. It is three times what 100 devices nearby for a whole day make, and does not wear out a card of 8 GB
    /// within a hundred years. The number is this project's own.
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

    /// The key schedule as last stored; empty when none was stored or it could not be
    /// read.
    public internal(set) var schedule = TEKSchedule()
    /// The time as last stored; `nil` when none was stored or it could not be read.
    public internal(set) var timeSnapshot: TrustedTime.Snapshot?
    /// Whether the wearer wants the beacon to be on, as last stored; `nil` when nobody has chosen yet, or when it
    /// could not be read. A value stored by release 0.2.0 counts as chosen, because that release could not store "not
    /// chosen".
    public internal(set) var isEnabled: Bool?
    /// The findings, such as damage, of the opening and since, oldest first, each once; empty if there are none.
    public internal(set) var findings: [Finding] = []
    /// The free and total space of the disk; `nil` when the system does not tell.
    public var room: StorageRoom? { medium.room }
    /// The number of bytes that this vault has written so far, by purpose.
    public internal(set) var written = Written()

    /// Opens the vault, creates what is missing and finishes what a power cut interrupted. Blocks on the disk.
    ///
    /// Damaged contents are no error: they are set aside and replaced.
    ///
    /// - Parameters:
    ///   - dailyQuota: The bytes of sightings per UTC day beyond which only the 64 loudest senders of a scan are
    ///     kept; more than 32 MiB count as 32 MiB.
    ///   - generator: The source of keys and nonces, which must be cryptographically secure outside of tests.
    /// - Throws: ``StorageFailure`` when the disk cannot be read, `failed` when the key provider has no key, and what
    ///   the key provider throws. A disk that only cannot be written to does not stop the opening of a vault whose
    ///   keys can be read (``Finding/cannotWrite(_:)``).
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

    /// Stores the key schedule, the time (`nil` for none) and the wearer's choice in one write, in place of those
    /// before; durable when it returns. It needs no new space once the file exists, so it works on a full disk.
    ///
    /// Throws ``StorageFailure``: `failed` after ``destroy()``, and what the disk refuses; what was stored before is
    /// then still there.
    public func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?, isEnabled: Bool) throws {
        try store(newSchedule, time: time, choice: isEnabled)
    }

    /// Stores the key schedule and the time (`nil` for none), and keeps the wearer's choice; otherwise the same as
    /// ``store(_:time:isEnabled:)``, including the errors.
    public func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?) throws {
        try store(newSchedule, time: time, choice: isEnabled)
    }

    func store(_ newSchedule: TEKSchedule, time: TrustedTime.Snapshot?, choice: Bool?) throws {
        let message = SlotCoding.encode(newSchedule, time, isEnabled: choice)
        try counting(\.schedule) {
            scheduleContent = try write(message, to: Self.scheduleFile, after: scheduleContent)
        }
        schedule = newSchedule
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

    /// Forgets every day before `day` (since 1970, UTC): destroys its key, then removes its log, and with the logs
    /// all files that were set aside. `day` must certainly be old, because a wrong clock would erase what cannot be
    /// recorded again. Does nothing when there is no such day, unless `sealsAnew` is `true`.
    ///
    /// A key is destroyed by sealing the other contents under a new key and retiring the old one, so that old
    /// contents of flash cells cannot be opened even if they are found. A power cut on the way is finished at the
    /// next opening.
    ///
    /// - Parameter sealsAnew: Whether to seal everything under a new key even when no day is forgotten, because own
    ///   keys were removed from the stored schedule.
    /// - Throws: ``StorageFailure`` when the disk refuses, or after ``destroy()``, and what the key provider
    ///   throws; the call can be repeated.
    public func forget(before day: UInt32, sealsAnew: Bool = false) throws {
        guard sealsAnew || days.contains(where: { $0 < day }) else { return }
        try destroy(days.filter { $0 < day })
    }

    /// Forgets every day and every own key in the way of ``forget(before:sealsAnew:)``, when a device no longer
    /// belongs to a person. The time, the wearer's choice and the ledger's keys stay. After a power cut some of it
    /// may be left: call it again. Throws ``StorageFailure`` when the disk refuses, or after ``destroy()``, and
    /// what the key provider throws.
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
