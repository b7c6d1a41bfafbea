// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import Power

/// Looks after the battery: reads the kernel's gauge now and then, and says when the board has to stop (docs/power.md). Only the supervisor sees
/// the kernel's files.
final class BatteryMonitor {
    static let standardFolder = "/sys/class/power_supply"
    /// Supplies that are looked at: more than any board has.
    private static let mostSupplies = 32
    /// Bytes of a file of the kernel's; a page at most.
    private static let mostBytes = 4_096

    private let folder: String
    private let recordPath: String
    private let boot: String
    private let canSwitchOff: Bool
    private let log: Logger
    private var watch: LowBatteryWatch
    private var due: Duration
    private var saidFault: BatteryLevel.Fault?
    private var hasSaidLow = false
    private var hasSaidThatItGoesOn = false
    /// Stops of former lives; what this one adds is stored before it ends.
    private(set) var record: LowBatteryRecord
    /// Whether the board's file knows of a battery: only then its level stops the board.
    private let hasRules: Bool

    /// - Parameters:
    ///   - folder: The folder in which the kernel has one for each supply.
    ///   - rules: The rules of the board's file; `nil` if it has none: the level is shown then, and stops nobody.
    ///   - data: The folder in which the reason of a stop is stored.
    ///   - canSwitchOff: Whether the board may switch itself off.
    init(
        folder: String, rules: BatteryRules?, data: String, boot: String, canSwitchOff: Bool, log: Logger, at now: Duration
    ) {
        self.folder = folder
        hasRules = rules != nil
        watch = LowBatteryWatch(rules: rules ?? BatteryRules())
        recordPath = "\(data)/\(LowBatteryRecord.fileName)"
        self.boot = boot
        self.canSwitchOff = canSwitchOff
        self.log = log
        due = now
        record = LowBatteryRecord(
            parsing: Folders.read(recordPath, limit: LowBatteryRecord.maximumByteCount) ?? [])
        if record.count > 0 {
            log.notice(
                "the board stopped before this start because its battery was nearly empty",
                metadata: ["stops": "\(record.count)", "percent": "\(record.percent)"])
        }
    }

    var nextDue: Duration { due }
    private(set) var reading: BatteryReading?

    /// What to do after a look.
    enum Outcome: Equatable {
        /// Nothing new.
        case same
        /// What ``json`` says is another now.
        case changed
        /// It is stored; everything is to stop, and the power to be switched off.
        case stop
    }

    /// Looks at it in the next turn: somebody has asked.
    func look(at now: Duration) { due = now }

    func advance(to now: Duration) -> Outcome {
        guard now >= due else { return .same }
        let before = json
        reading = read()
        let verdict = watch.take(reading)
        due = now + watch.pause
        sayIfLow()
        switch verdict {
        case .goOn: break
        case .recovered:
            if record.count > 0, unlink(recordPath) == 0 || errno == ENOENT { record = LowBatteryRecord() }
        case .stop: if isToStop() { return .stop }
        }
        return json == before ? .same : .changed
    }

    /// Whether the board stops now. It does not where nothing would come of it but silence, nor before the reason is stored.
    private func isToStop() -> Bool {
        guard hasRules else { return false }
        guard canSwitchOff else {
            sayThatItGoesOn("this board may not switch itself off (powerOff in vigil.json)")
            return false
        }
        guard !record.isOf(boot: boot) else {
            sayThatItGoesOn("its power was to be switched off in this start of the board, and was not")
            return false
        }
        var next = record
        next.stop(percent: reading?.percent, boot: boot)
        do { try Folders.replaceLastingly(recordPath, with: next.bytes, mode: 0o644) } catch {
            sayThatItGoesOn("why it stops cannot be stored: \(error)")
            return false
        }
        record = next
        log.critical(
            "the battery is nearly empty and there is no charger: everything is stored, and the board switches itself off",
            metadata: ["percent": "\(level)", "stops": "\(record.count)"])
        return true
    }

    private var level: String { reading?.percent.map { "\($0)" } ?? reading?.millivolts.map { "\($0) mV" } ?? "unknown" }

    private func sayThatItGoesOn(_ why: String) {
        guard !hasSaidThatItGoesOn else { return }
        hasSaidThatItGoesOn = true
        log.critical(
            "the battery is nearly empty; the board goes on until its power goes, for \(why)",
            metadata: ["percent": "\(level)"])
    }

    private func sayIfLow() {
        let isLow = isLow
        if isLow, !hasSaidLow { log.warning("the battery is low", metadata: ["percent": "\(level)"]) }
        hasSaidLow = isLow
    }

    /// Whether it is low and no charger is there.
    var isLow: Bool { reading.map { watch.rules.isLow($0) && $0.isPowered != true } ?? false }

    // MARK: Reading

    private func read() -> BatteryReading? {
        guard let name = watch.rules.supply ?? ownBattery else { return nil }
        do throws(BatteryLevel.Fault) {
            let reading = try BatteryReading { self.text("\(name)/\($0)") }
            saidFault = nil
            return filled(reading)
        } catch {
            if saidFault != error, hasRules {
                log.warning("the battery's gauge cannot be read: \(error.rawValue)", metadata: ["supply": "\(name)"])
            }
            saidFault = error
            return nil
        }
    }

    /// What the gauge does not say and something else does: whether a charger is there, and how long it lasts.
    private func filled(_ reading: BatteryReading) -> BatteryReading {
        var reading = reading
        if reading.isPowered == nil { reading.isPowered = isCharger }
        if reading.secondsLeft == nil, reading.isPowered == false, let percent = reading.percent,
            let capacity = watch.rules.milliwattHours, let power = reading.milliwatts, power > 0
        {
            reading.secondsLeft = capacity * percent * 36 / power
        }
        return reading
    }

    /// The first battery that feeds the board itself: a mouse's or a headset's is of the scope Device.
    private var ownBattery: String? {
        supplies.first { text("\($0)/type") == "Battery" && text("\($0)/scope") != "Device" }
    }

    /// Whether a charger says that it is there; `nil` where there is none that could.
    private var isCharger: Bool? {
        let chargers = supplies.filter { ["Mains", "USB"].contains(text("\($0)/type")) && text("\($0)/scope") != "Device" }
        let words = chargers.compactMap { text("\($0)/online") }
        guard !words.isEmpty else { return nil }
        return words.contains { $0 != "0" }
    }

    private var supplies: [String] {
        Folders.names(folder).filter { !$0.hasPrefix(".") }.prefix(Self.mostSupplies).map { $0 }
    }

    /// The first line of a small file.
    private func text(_ name: String) -> String? {
        guard let bytes = Folders.read("\(folder)/\(name)", limit: Self.mostBytes) else { return nil }
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }

    // MARK: Telling

    /// `org.vigil.technician1.Battery`; `nil` without one.
    var json: JSON? {
        guard let reading else { return nil }
        var object: JSON.Object = ["low": .bool(isLow), "stopCount": .int(Int64(record.count))]
        if let percent = reading.percent { object["percent"] = .int(Int64(percent)) }
        if let voltage = reading.millivolts { object["voltage"] = .int(Int64(voltage)) }
        if let isPowered = reading.isPowered { object["powered"] = .bool(isPowered) }
        if let power = reading.milliwatts { object["power"] = .int(Int64(power)) }
        if let seconds = reading.secondsLeft { object["secondsLeft"] = .int(Int64(seconds)) }
        if hasRules, canSwitchOff { object["stopPercent"] = .int(Int64(watch.rules.stop)) }
        return .object(object)
    }

    /// For the core's audit log, before it stops.
    var stopWords: [String: String] { ["percent": level, "stops": "\(record.count)"] }
}
