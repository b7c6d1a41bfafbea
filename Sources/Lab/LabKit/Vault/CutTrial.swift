// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import TimeTrust
import Vault

/// Uses a vault at random, cuts the power or kills the process at a random operation, opens the vault again, and compares
/// its contents with what was committed, until the wanted number of cuts is made.
public struct CutTrial {
    /// What the vault must hold: everything that returned, and perhaps what was under way.
    private struct Model {
        var schedule = TEKSchedule()
        var time: TrustedTime.Snapshot?
        var isEnabled: Bool?
        /// Empty until the vault has told them once.
        var ledgerKeys: [SecretBytes] = []
        var scans: [UInt32: [ScanRecord]] = [:]
        /// What was asked for last and did not return.
        var scheduleUnderWay: (schedule: TEKSchedule, time: TrustedTime.Snapshot?, isEnabled: Bool?)?
        var stagingUnderWay = false
        var retiringUnderWay = false
        var scanUnderWay: ScanRecord?
        var forgettingUnderWay: UInt32?
    }

    private var generator: any RandomNumberGenerator
    private var data = SimulatedStorage()
    private var keys = SimulatedStorage()
    private var model = Model()
    /// A reset that was asked for and not yet seen to be done, with what was there before.
    private var reset: (hasReturned: Bool, before: SimulatedStorage)?
    /// The number of completed resets so far, 0 or more.
    public private(set) var resets = 0
    private var today: UInt32 = 18_600
    private var sequence: UInt32 = 0
    /// The number of cuts that were made so far, 0 or more.
    public private(set) var cuts = 0

    /// Creates a trial on an empty storage. Everything follows from `generator`, so a trial with a seeded one can be
    /// repeated.
    public init(generator: any RandomNumberGenerator) { self.generator = generator }

    /// Makes cuts until there were `count` since the trial began; blocks. Returns the first thing that went wrong, in
    /// English; `nil` if nothing did.
    public mutating func run(cuts count: Int) -> String? {
        while cuts < count {
            if let problem = life() { return "after \(cuts) cuts: \(problem)" }
        }
        return nil
    }

    /// From one start to the next cut.
    private mutating func life() -> String? {
        data.operationsUntilCut = .random(in: 0...80, using: &generator)
        keys.operationsUntilCut = .random(in: 0...60, using: &generator)
        do {
            let vault = try Vault(data, provider: FileKeyProvider(keys), generator: generator)
            if let problem = compare(vault) { return problem }
            while try use(vault) {}
            return nil
        } catch let failure as StorageFailure where failure.code == .cut {
            restart()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private mutating func restart() {
        cuts += 1
        // Half the cuts are of the process only: what it wrote is still there, synced or not.
        if Bool.random(using: &generator) {
            data = data.afterCut(using: &generator)
            keys = keys.afterCut(using: &generator)
        }
        data.operationsUntilCut = nil
        keys.operationsUntilCut = nil
    }

    /// One thing a device does; `false` when the vault is spent.
    private mutating func use(_ vault: Vault) throws -> Bool {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0..<3:
            var schedule = vault.schedule
            let now = ENIN(today * 144 + .random(in: 0..<144, using: &generator))
            _ = schedule.next(at: now, using: &generator)
            if Int.random(in: 0..<8, using: &generator) == 0 { _ = schedule.release(at: now) }
            // Time within the day goes back and forth here, so keys come faster than they are forgotten.
            schedule = TEKSchedule(
                current: schedule.current, lastInterval: schedule.lastInterval, addressSecret: schedule.addressSecret,
                past: schedule.past.suffix(60))
            let time = snapshot()
            let choice = Bool.random(using: &generator) ? Bool.random(using: &generator) : nil
            model.scheduleUnderWay = (schedule, time, choice ?? model.isEnabled)
            if let choice {
                try vault.store(schedule, time: time, isEnabled: choice)
            } else {
                try vault.store(schedule, time: time)
            }
            (model.schedule, model.time, model.isEnabled) = (schedule, time, choice ?? model.isEnabled)
            model.scheduleUnderWay = nil
        case 3..<10:
            let scan = scan()
            model.scanUnderWay = scan
            try vault.append(scan)
            model.scans[scan.start / 86_400, default: []].append(scan)
            model.scanUnderWay = nil
        case 10:
            today += 1
        case 11:
            model.stagingUnderWay = true
            let fresh = try vault.stageLedgerKey()
            model.ledgerKeys = [fresh] + model.ledgerKeys.prefix(1)
            model.stagingUnderWay = false
        case 12:
            model.retiringUnderWay = true
            try vault.retireOtherLedgerKeys()
            model.ledgerKeys = Array(model.ledgerKeys.prefix(1))
            model.retiringUnderWay = false
        case 13 where Int.random(in: 0..<12, using: &generator) == 0:
            reset = (false, data.copy())
            try vault.destroy()
            reset?.hasReturned = true
            return false
        default:
            let day = today - .random(in: 1...6, using: &generator)
            model.forgettingUnderWay = day
            try vault.forget(before: day)
            model.scans = model.scans.filter { $0.key >= day }
            model.forgettingUnderWay = nil
        }
        return true
    }

    private mutating func snapshot() -> TrustedTime.Snapshot? {
        sequence += 1
        if Int.random(in: 0..<8, using: &generator) == 0 { return nil }
        let point = TrustedTime.Snapshot.Point(
            source: 1, time: UnixTime(seconds: Int64(today) * 86_400), uncertaintyMilliseconds: Int64(sequence),
            ageMilliseconds: 0)
        return TrustedTime.Snapshot(
            bootIdentity: BootIdentity(high: generator.next(), low: generator.next()),
            boot: BootInstant(nanoseconds: Int64(sequence)), signedFloor: Bool.random(using: &generator) ? point.time : nil,
            current: point, reference: Bool.random(using: &generator) ? point : nil,
            isOrderlyStop: Bool.random(using: &generator))
    }

    private mutating func scan() -> ScanRecord {
        sequence += 1
        let heard = (0..<Int.random(in: 1...40, using: &generator)).map { index in
            var readings = ScanRecord.Readings(.random(in: -100...0, using: &generator))
            let values = (0..<Int.random(in: 1...16, using: &generator)).map { _ in
                Int8.random(in: -100...0, using: &generator)
            }
            if let several = ScanRecord.Readings(values) { readings = several }
            return ScanRecord.Heard(
                payload: AdvertisingPayload(
                    identifier: RollingProximityIdentifier(Block(low: generator.next(), high: UInt64(sequence))),
                    metadata: AssociatedEncryptedMetadata(word: UInt32(index))),
                offset: UInt8(index), readings: readings)
        }
        return ScanRecord(
            start: today * 86_400 + sequence % 86_400, previousScan: sequence, profileRevision: 1, heard: heard)
    }

    /// Compares, and takes over what was under way when it turns out to have been committed.
    private mutating func compare(_ vault: Vault) -> String? {
        for finding in vault.findings {
            switch finding {
            case .setAside(let store, _): return "\(store) was set aside"
            case .timeLost: return "the time was lost"
            default: break
            }
        }
        if let problem = compareReset(vault) ?? compareLedgerKeys(vault) { return problem }
        if vault.schedule != model.schedule || vault.timeSnapshot != model.time || vault.isEnabled != model.isEnabled {
            guard let other = model.scheduleUnderWay, vault.schedule == other.schedule, vault.timeSnapshot == other.time,
                vault.isEnabled == other.isEnabled
            else { return "another schedule, time or choice" }
            (model.schedule, model.time, model.isEnabled) = other
        }
        if let day = model.forgettingUnderWay {
            let gone = model.scans.keys.filter { $0 < day && !vault.days.contains($0) }
            let kept = model.scans.keys.filter { $0 < day && vault.days.contains($0) }
            guard gone.isEmpty || kept.isEmpty else { return "forgetting was done by halves" }
            for day in gone { model.scans[day] = nil }
        }
        for (day, expected) in model.scans {
            guard let found = try? vault.scans(day: day) else { return "day \(day) cannot be read" }
            if found == expected { continue }
            guard let extra = model.scanUnderWay, found == expected + [extra] else {
                return "day \(day) has \(found.count) scans where \(expected.count) were committed"
            }
            model.scans[day] = found
        }
        for day in vault.days where model.scans[day] == nil {
            let found = (try? vault.scans(day: day)) ?? []
            guard found.isEmpty || found == model.scanUnderWay.map({ [$0] }) else { return "day \(day) came back" }
            if !found.isEmpty { model.scans[day] = found }
        }
        // A cut tears; it must never look like damage.
        for case .damagedRecords(let day, _) in vault.findings { return "day \(day) has damaged records" }
        model.scheduleUnderWay = nil
        model.scanUnderWay = nil
        model.forgettingUnderWay = nil
        return nil
    }

    /// A reset is done, or it never was asked for; what was there before opens with nothing that is left.
    private mutating func compareReset(_ vault: Vault) -> String? {
        let isNew =
            vault.schedule == TEKSchedule() && vault.timeSnapshot == nil && vault.days.isEmpty && vault.isEnabled == nil
        let wasReset = vault.findings.contains(.wasReset)
        guard let reset else { return wasReset ? "it was reset by itself" : nil }
        // A cut may take the finding; what it stands for is there.
        guard wasReset || isNew && (reset.hasReturned || model.ledgerKeys != vault.ledgerKeys) else {
            self.reset = nil
            return reset.hasReturned ? "a reset was not done" : nil
        }
        guard isNew, model.ledgerKeys.allSatisfy({ !vault.ledgerKeys.contains($0) }) else {
            return "a reset left something"
        }
        guard let old = try? Vault(reset.before, provider: FileKeyProvider(keys.copy()), generator: generator),
            old.schedule == TEKSchedule(), old.days.isEmpty, old.ledgerKeys.allSatisfy({ !model.ledgerKeys.contains($0) })
        else { return "what was there before a reset can be opened" }
        model = Model()
        self.reset = nil
        resets += 1
        return nil
    }

    private mutating func compareLedgerKeys(_ vault: Vault) -> String? {
        let (found, known) = (vault.ledgerKeys, model.ledgerKeys)
        defer {
            model.ledgerKeys = found
            model.stagingUnderWay = false
            model.retiringUnderWay = false
        }
        guard vault.areLedgerKeysStored else { return "the ledger keys were not stored" }
        if known.isEmpty || found == known { return nil }
        if model.stagingUnderWay, found.count == 2, found[1] == known[0] { return nil }
        if model.retiringUnderWay, found == Array(known.prefix(1)) { return nil }
        return "other ledger keys"
    }
}
