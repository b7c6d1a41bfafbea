// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import TimeTrust
import Vault

/// Uses a vault at random, cuts the power or kills the process at a random operation, opens it again, and compares what is there
/// with what was committed. Goes on until the given number of cuts was made.
public struct CutTrial {
    /// What the vault must hold: everything that returned, and perhaps what was under way.
    private struct Model {
        var schedule = TEKSchedule()
        var time: TrustedTime.Snapshot?
        var scans: [UInt32: [ScanRecord]] = [:]
        /// What was asked for last and did not return.
        var scheduleUnderWay: (schedule: TEKSchedule, time: TrustedTime.Snapshot?)?
        var scanUnderWay: ScanRecord?
        var forgettingUnderWay: UInt32?
    }

    private var generator: any RandomNumberGenerator
    private var data = SimulatedStorage()
    private var keys = SimulatedStorage()
    private var model = Model()
    private var today: UInt32 = 18_600
    private var sequence: UInt32 = 0
    /// Cuts made so far.
    public private(set) var cuts = 0

    public init(generator: any RandomNumberGenerator) { self.generator = generator }

    /// Makes `count` cuts; gives what went wrong first, or `nil`.
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
            while true { try use(vault) }
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

    private mutating func use(_ vault: Vault) throws {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3:
            var schedule = vault.schedule
            let now = ENIN(today * 144 + .random(in: 0..<144, using: &generator))
            _ = schedule.next(at: now, using: &generator)
            if Int.random(in: 0..<8, using: &generator) == 0 { _ = schedule.release(at: now) }
            // Time within the day goes back and forth here, so keys come faster than they are forgotten.
            schedule = TEKSchedule(
                current: schedule.current, lastInterval: schedule.lastInterval, past: schedule.past.suffix(60))
            let time = snapshot()
            model.scheduleUnderWay = (schedule, time)
            try vault.store(schedule, time: time)
            (model.schedule, model.time) = (schedule, time)
            model.scheduleUnderWay = nil
        case 3..<10:
            let scan = scan()
            model.scanUnderWay = scan
            try vault.append(scan)
            model.scans[scan.start / 86_400, default: []].append(scan)
            model.scanUnderWay = nil
        case 10:
            today += 1
        default:
            let day = today - .random(in: 1...6, using: &generator)
            model.forgettingUnderWay = day
            try vault.forget(before: day)
            model.scans = model.scans.filter { $0.key >= day }
            model.forgettingUnderWay = nil
        }
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
        if vault.schedule != model.schedule || vault.timeSnapshot != model.time {
            guard let other = model.scheduleUnderWay, vault.schedule == other.schedule, vault.timeSnapshot == other.time
            else { return "another schedule or time" }
            (model.schedule, model.time) = other
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
}
