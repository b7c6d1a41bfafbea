// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN

extension Vault {
    /// Reads what there is, replaces what is damaged, makes what is missing and finishes what a cut interrupted.
    func openStores(_ keys: [SecretBytes]) throws {
        if let content = try open(Self.scheduleFile, keys) {
            if let stored = SlotCoding.decode(content.message) {
                schedule = stored.schedule
                timeSnapshot = stored.time
                isEnabled = stored.isEnabled
                scheduleContent = content
                if stored.isTimeDamaged { note(.timeLost) }
            } else {
                try tolerating { try setAside(Self.scheduleFile.name) }
            }
        }
        if let content = try open(Self.dayKeysFile, keys) {
            if let stored = DayKeys(content.message) {
                dayKeys = stored
                dayKeysContent = content
            } else {
                try tolerating { try setAside(Self.dayKeysFile.name) }
            }
        }
        if let content = try open(Self.ledgerFile, keys) {
            if let stored = LedgerKeySlot.decode(content.message) {
                ledgerKeySlot = stored
                ledgerContent = content
            } else {
                try tolerating { try setAside(Self.ledgerFile.name) }
            }
        }
        let areDayKeysKnown = dayKeysContent != nil
        if scheduleContent == nil { try tolerating { try store(schedule, time: timeSnapshot) } }
        if dayKeysContent == nil { try tolerating { try storeDayKeys(dayKeys) } }
        if ledgerContent == nil {
            ledgerKeySlot = [SecretBytes(count: SealedBox.keyByteCount, from: &generator)]
            try tolerating { try storeLedgerKeys(ledgerKeySlot) }
        }
        try tolerating {
            // In this order: a log may only be removed when the disk knows that its key is gone.
            try makeDurable()
            try clearOrphans(areDayKeysKnown: areDayKeysKnown)
        }
        // Two keys mean that forgetting was interrupted; it is finished now, before anything else is sealed.
        if keys.count > 1 { try tolerating { try sealEverythingAnew() } }
    }

    /// Runs what should be done but need not: a disk that cannot be written to is no reason to have no vault.
    private func tolerating(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as StorageFailure where failure.code != .cut {
            note(.cannotWrite(failure.code))
        }
    }

    private func open(_ file: SlotFile, _ keys: [SecretBytes]) throws -> SlotFile.Content? {
        switch try file.read(medium, keys: keys) {
        case .content(let content): return content
        case .absent: break
        case .damaged: try tolerating { try setAside(file.name) }
        }
        return nil
    }

    /// What a killed process left may be in the page cache only. It was read and will be relied upon, so the disk must have it.
    private func makeDurable() throws(StorageFailure) {
        for name in try medium.names() where !name.hasPrefix(Self.damagedPrefix) {
            if [Self.scheduleFile, Self.dayKeysFile, Self.ledgerFile].contains(where: { $0.temporaryName == name }) {
                try medium.remove(name)
            } else {
                try medium.sync(name)
            }
        }
        try medium.syncFolder()
    }

    /// Logs without a key cannot be read. They are left over from forgetting; but when the keys' store was not there or could not be
    /// read, they are set aside: a key partition that was not there at start must not cost two weeks.
    private func clearOrphans(areDayKeysKnown: Bool) throws(StorageFailure) {
        for name in try medium.names().sorted() {
            guard let day = SightingLog.day(ofName: name), dayKeys.key(day) == nil else { continue }
            if areDayKeysKnown {
                try medium.remove(name)
                note(.orphanRemoved(day: day))
                try medium.syncFolder()
            } else {
                try setAside(name)
            }
        }
    }
}
