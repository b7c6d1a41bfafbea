// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// What a device keeps: its key schedule and what it heard.
///
/// Everything committed survives a cut at any instruction; a store that is damaged is set aside, reported and replaced, and the
/// beacon goes on. Blocks on the disk; one owner, on a thread of its own.
public final class Vault {
    /// Something a technician should know of.
    public enum Finding: Sendable, Hashable {
        /// A store could not be read; it was renamed and an empty one took its place.
        case setAside(store: String, as: String)
        /// Records of a day's log cannot be read; the others can.
        case damagedRecords(day: UInt32, places: Int)
        /// The last record of a day was cut off by a power cut: one scan is lost, which is the stated loss.
        case tornRecord(day: UInt32)
        /// The log of a day without a key: nobody can read it any more, so it was removed.
        case orphanRemoved(day: UInt32)
        /// Something could not be written while opening. What is there is used; what cannot be stored lives in memory.
        case cannotWrite(StorageFailure.Code)
        /// More days were begun than are kept; the one begun first had to go. Clocks that jump about do this.
        case dayDropped(day: UInt32)
    }

    private static let damagedPrefix = "damaged-"
    private static let scheduleFile = SlotFile(name: "tek.slots")
    private static let dayKeysFile = SlotFile(name: DayKeys.fileName)

    private let medium: any StorageMedium
    private let provider: any SealingKeyProvider
    private var generator: any RandomNumberGenerator
    private var key: SecretBytes
    private var scheduleContent: SlotFile.Content?
    private var dayKeysContent: SlotFile.Content?
    private var dayKeys = DayKeys()
    /// Where the next record of a day goes.
    private var ends: [UInt32: Int] = [:]

    /// The key schedule as last stored.
    public private(set) var schedule = TEKSchedule()
    /// What was found while opening and since, oldest first.
    public private(set) var findings: [Finding] = []
    /// Bytes written to the data folder since it was opened.
    public var bytesWritten: UInt64 { medium.bytesWritten }

    /// Opens the vault, making what is not there and finishing what a cut interrupted.
    ///
    /// Throws only when the disk itself refuses; whatever its contents are, there is a vault afterwards. `generator` must be
    /// cryptographically secure outside of tests.
    public init(
        _ medium: any StorageMedium, provider: any SealingKeyProvider,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws {
        self.medium = medium
        self.provider = provider
        self.generator = generator
        let keys = try provider.keys(using: &self.generator)
        guard let first = keys.first else { throw StorageFailure(.failed, "the key provider has no key") }
        key = first
        if let content = try open(Self.scheduleFile, keys) {
            if let stored = ScheduleCoding.decode(content.message) {
                schedule = stored
                scheduleContent = content
            } else {
                try tolerating { () throws(StorageFailure) in try setAside(Self.scheduleFile) }
            }
        }
        if let content = try open(Self.dayKeysFile, keys) {
            if let stored = DayKeys(content.message) {
                dayKeys = stored
                dayKeysContent = content
            } else {
                try tolerating { () throws(StorageFailure) in try setAside(Self.dayKeysFile) }
            }
        }
        try tolerating { () throws(StorageFailure) in
            // In this order: a log may only be removed when the disk knows that its key is gone.
            try makeDurable()
            try clearOrphans()
        }
        // Two keys mean that forgetting was interrupted; it is finished now, before anything else is sealed.
        if keys.count > 1 {
            do { try sealEverythingAnew() } catch let failure as StorageFailure { try note(failure) }
        }
    }

    /// Runs what should be done but need not: a disk that cannot be written to is no reason to have no vault.
    private func tolerating(_ body: () throws(StorageFailure) -> Void) throws(StorageFailure) {
        do { try body() } catch { try note(error) }
    }

    private func note(_ failure: StorageFailure) throws(StorageFailure) {
        if failure.code == .cut { throw failure }
        let finding = Finding.cannotWrite(failure.code)
        if !findings.contains(finding) { findings.append(finding) }
    }

    /// What a killed process left may be in the page cache only. It was read and will be relied upon, so the disk must have it.
    private func makeDurable() throws(StorageFailure) {
        for name in try medium.names() where !name.hasPrefix(Self.damagedPrefix) { try medium.sync(name) }
        try medium.syncFolder()
    }

    private func open(_ file: SlotFile, _ keys: [SecretBytes]) throws(StorageFailure) -> SlotFile.Content? {
        switch try file.read(medium, keys: keys) {
        case .content(let content): return content
        case .absent: try tolerating { () throws(StorageFailure) in try file.create(medium) }
        case .damaged: try tolerating { () throws(StorageFailure) in try setAside(file) }
        }
        return nil
    }

    /// Renames a store that cannot be read and makes an empty one. One damaged file of each name is kept: more would fill the disk.
    private func setAside(_ file: SlotFile) throws(StorageFailure) {
        let newName = Self.damagedPrefix + file.name
        try medium.rename(file.name, to: newName)
        try medium.syncFolder()
        try file.create(medium)
        findings.append(.setAside(store: file.name, as: newName))
    }

    /// Logs without a key cannot be read. They are left over from forgetting; but when the keys' store was damaged, they are set
    /// aside like it: a key partition that was not there at start must not cost two weeks.
    private func clearOrphans() throws(StorageFailure) {
        let keysWereSetAside = findings.contains { finding in
            if case .setAside(DayKeys.fileName, _) = finding { true } else { false }
        }
        for name in try medium.names().sorted() {
            guard let day = SightingLog.day(ofName: name), dayKeys.key(day) == nil else { continue }
            if keysWereSetAside {
                try medium.rename(name, to: Self.damagedPrefix + name)
                findings.append(.setAside(store: name, as: Self.damagedPrefix + name))
            } else {
                try medium.remove(name)
                findings.append(.orphanRemoved(day: day))
            }
            try medium.syncFolder()
        }
    }

    /// Stores the key schedule; durable when it returns. When it throws, what was stored before is still there.
    ///
    /// At most 150 past keys are kept, the newest: 14 days have 15, and only a device that restarts all day has more.
    public func store(_ newSchedule: TEKSchedule) throws {
        let schedule = ScheduleCoding.trimmed(newSchedule)
        let message = ScheduleCoding.encode(schedule)
        scheduleContent = try Self.scheduleFile.write(
            message, after: scheduleContent, key: key, to: medium, using: &generator)
        self.schedule = schedule
    }

    /// Keeps what a scan heard; durable when it returns. A cut before that loses this scan and nothing else.
    public func append(_ scan: ScanRecord) throws {
        let day = scan.start / 86_400
        let log = try log(of: day)
        var rest = scan.heard[...]
        repeat {
            var part = scan
            part.heard = Array(rest.prefix(ScanRecord.maximumHeard))
            rest = rest.dropFirst(ScanRecord.maximumHeard)
            ends[day] = try log.append(part, at: ends[day] ?? 0, to: medium, using: &generator)
        } while !rest.isEmpty
    }

    private func log(of day: UInt32) throws -> SightingLog {
        if let key = dayKeys.key(day) {
            let log = SightingLog(day: day, key: key)
            if ends[day] == nil { try open(log) }
            return log
        }
        let dayKey = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        var next = dayKeys
        let dropped = next.add(day, dayKey)
        // The key first: a log without its key could never be read.
        try storeDayKeys(next)
        if let dropped {
            try medium.remove(SightingLog.name(dropped))
            ends[dropped] = nil
            findings.append(.dayDropped(day: dropped))
        }
        let log = SightingLog(day: day, key: dayKey)
        try open(log)
        return log
    }

    /// Makes a day ready for its first record by this process: its file is there and its name durable, a torn tail is cut off.
    private func open(_ log: SightingLog) throws {
        let reading = try read(log)
        if reading.tornByteCount > 0 {
            try medium.truncate(SightingLog.name(log.day), to: reading.end)
            try medium.sync(SightingLog.name(log.day))
        }
        try medium.write([], to: SightingLog.name(log.day), at: 0)
        try medium.syncFolder()
        ends[log.day] = reading.end
    }

    private func storeDayKeys(_ next: DayKeys) throws {
        dayKeysContent = try Self.dayKeysFile.write(
            next.encode(), after: dayKeysContent, key: key, to: medium, using: &generator)
        dayKeys = next
    }

    private func read(_ log: SightingLog) throws(StorageFailure) -> SightingLog.Reading {
        let reading = try log.read(medium)
        func note(_ finding: Finding) { if !findings.contains(finding) { findings.append(finding) } }
        if reading.damagedPlaces > 0 { note(.damagedRecords(day: log.day, places: reading.damagedPlaces)) }
        if reading.tornByteCount > 0 { note(.tornRecord(day: log.day)) }
        return reading
    }

    /// The days there are records for, in the order they began.
    public var days: [UInt32] { dayKeys.entries.map(\.day) }

    /// What was heard on one day, in the order it was kept; empty for a day that is not there.
    public func scans(day: UInt32) throws -> [ScanRecord] {
        guard let key = dayKeys.key(day) else { return [] }
        return try read(SightingLog(day: day, key: key)).records
    }

    /// Forgets every day before `day`: its key is destroyed, then its file. Call it with authenticated time only.
    ///
    /// Destroying means: what stays is sealed under a new key and the old key is retired, so that old contents of flash cells, even
    /// if they are found, cannot be opened. A cut on the way is finished at the next opening.
    public func forget(before day: UInt32) throws {
        let gone = days.filter { $0 < day }
        guard !gone.isEmpty else { return }
        // From here on a cut is seen at the next opening, by the second key, and everything is sealed anew.
        key = try provider.stage(using: &generator)
        var next = dayKeys
        next.remove { $0 < day }
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

    /// Seals both slots of both files under the newest key and retires the others.
    private func sealEverythingAnew() throws {
        for _ in 0..<2 {
            try store(schedule)
            try storeDayKeys(dayKeys)
        }
        try provider.retireOthers()
    }
}
