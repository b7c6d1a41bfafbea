// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Glibc
import Radio
import TimeTrust
import Vault
import VirtualAir

/// Three minutes of a core on real files: first start, scans, midnight, forgetting. It is played in a process of its own,
/// which kills itself at one step (``play()``), and the result is checked from another process (``aftermath(of:)``). Use it
/// on one thread at a time.
public final class KillScene {
    /// The last message of a killed process: counts, and digests of what it sent, so that nothing secret leaves the
    /// process. A number that cannot be read is -1.
    public struct Testimony {
        /// The step at which the process ended; empty if it did not say.
        public var step = ""
        /// The number of scans that the process had certainly stored, 0 or more; -1 if it cannot be read.
        public var scans = 0
        /// The number of scans of the day before that were to be forgotten; 0 if the process did not get that far, -1 if
        /// the number cannot be read.
        public var scansOfYesterday = 0
        /// The last time that the process knew, in milliseconds since the scene began, a whole second; -1 if it cannot be
        /// read.
        public var moment: Int64 = 0
        /// The digests of the identifiers that were sent: the first 12 bytes of SHA-256, each in hexadecimal without
        /// leading zeros, separated by dots.
        public var identifiers: Set<String> = []
        /// The digests of identifiers with their addresses, in the form of ``identifiers``.
        public var pairs: Set<String> = []
        /// The digests of the addresses that were sent, in the form of ``identifiers``.
        public var addresses: Set<String> = []
        /// The number of operations in the whole scene, 0 or more; `nil` if the process did not reach the end, or the
        /// number cannot be read.
        public var operations: Int?

        /// Creates the testimony of a process that said nothing: all counts are 0.
        public init() {}

        /// Reads the lines that ``KillScene/play()`` writes; other lines are skipped, and what no line states is as in
        /// ``init()``.
        public init(lines: String) {
            for line in lines.split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else { continue }
                switch parts[0] {
                case "step": step = String(parts[1])
                case "scans": scans = Int(parts[1]) ?? -1
                case "yesterday": scansOfYesterday = Int(parts[1]) ?? -1
                case "moment": moment = Int64(parts[1]) ?? -1
                case "sent": identifiers.insert(String(parts[1]))
                case "pair": pairs.insert(String(parts[1]))
                case "address": addresses.insert(String(parts[1]))
                case "complete": operations = Int(parts[1])
                default: break
                }
            }
        }
    }

    /// Half past 23:58, the day before 2026-11-21.
    private static let epoch: Int64 = 1_795_219_200 - 90

    private let room: SimulatedRoom
    private let witness = Witness()
    private let board: SimulatedBoard
    private let fatal: KillSwitch
    private var phase = "start"
    private var scansOfYesterday = 0

    /// Creates a board, which does not run yet, and three phones. Throws when a folder cannot be opened.
    ///
    /// - Parameters:
    ///   - data: The path of the folder for the data, which must exist.
    ///   - keys: The path of the folder for the keys, which must exist.
    ///   - seed: The seed; the same seed gives the same scene.
    ///   - fatal: The switch that ends the process at its step.
    ///   - moment: The time at which the air begins, in milliseconds since the scene began; fractions of a second are
    ///     dropped.
    public init(data: String, keys: String, seed: UInt64, fatal: KillSwitch, moment: Int64 = 0) throws {
        self.fatal = fatal
        let air = VirtualAir(seed: seed)
        air.epoch = Self.epoch + moment / 1_000
        room = SimulatedRoom(air)
        witness.attach(to: air)
        var setup = SimulatedBoard.Setup(seed: seed)
        setup.profile.scan = .init(duration: .seconds(1), period: .seconds(20), spread: .seconds(5))
        board = SimulatedBoard(
            air, setup,
            on: (
                KillingMedium(try PosixStorage(folder: data), fatal), KillingMedium(try PosixStorage(folder: keys), fatal)
            ))
        room.judge(board, by: witness)
        for number in 0..<3 { air.addPhone(path: MotionPath(x: Double(number) + 1, y: 1)) }
    }

    // MARK: In the process that ends

    /// Plays the scene to its end, unless the process is killed before, and writes lines for ``Testimony`` to standard
    /// output. Throws what the vault throws.
    public func play() throws {
        fatal.name = { [unowned self] in name($0, $1, $2) }
        fatal.lastWords = { [unowned self] in testify(step: $0) }
        board.start()
        phase = "run"
        room.run(for: .seconds(170))
        phase = "forgetting"
        let today = UInt32(board.clock(at: room.air.now).day)
        scansOfYesterday = try board.vault?.scans(day: today - 1).count ?? 0
        try board.vault?.forget(before: today)
        print("complete \(fatal.count)")
    }

    private func name(_ operation: String, _ file: String, _ isEmpty: Bool) -> String {
        let isLog = file.hasPrefix("day-") && file.hasSuffix(".log")
        let what = "\(operation) \(isLog ? "day log" : file)"
        if phase != "run" { return "\(phase): \(what)" }
        if isLog { return isEmpty ? "day change: make day log" : "scan commit: \(what)" }
        guard file == "tek.slots" else { return "day change: \(what)" }
        let day = ENIN(unixSeconds: board.clock(at: room.air.now).seconds)?.day
        return "\(board.vault?.schedule.current?.rollingStart.day == day ? "identifier and time" : "TEK roll"): \(what)"
    }

    private func testify(step: String) {
        let scanner = board.beacon?.status(
            at: .init(nanoseconds: 0), since: .init(nanoseconds: 0), transport: "", transportProblem: nil
        ).scanner
        var lines = "step \(step)\nscans \(scanner?.storedScans ?? 0)\nyesterday \(scansOfYesterday)\n"
        lines += "moment \((room.air.now.components.seconds) * 1_000)\n"
        for (identifier, appearance) in witness.appearances {
            let address = appearance.address.bytes
            lines += "sent \(Self.digest(identifier))\n"
            lines += "pair \(Self.digest(identifier + address))\naddress \(Self.digest(address))\n"
        }
        let bytes = Array(lines.utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }

    private static func digest(_ identifier: [UInt8]) -> String {
        SHA256.digest(of: identifier).prefix(12).map { String($0, radix: 16) }.joined(separator: ".")
    }

    // MARK: In the process that looks

    /// Starts a core on the files that are left, runs it for 30 seconds of virtual time, kills it, and returns what
    /// is wrong, in English; `nil` if nothing is. Throws what the vault throws.
    public func aftermath(of testimony: Testimony) throws -> String? {
        board.start()
        guard let vault = board.vault else { return "the core does not start: \(board.startFailure ?? "")" }
        for finding in vault.findings {
            switch finding {
            case .tornRecord, .orphanRemoved: continue
            default: return "\(finding)"
            }
        }
        if let problem = try scansProblem(vault, testimony) { return problem }
        if let problem = try keysProblem(vault, testimony) { return problem }
        room.run(for: .seconds(30))
        board.kill()
        if witness.appearances.isEmpty { return "nothing is on air" }
        // What comes again within its interval comes as it was: never an old identifier with a new address, nor the reverse.
        for (identifier, appearance) in witness.appearances {
            let address = appearance.address.bytes
            let isKnown = (
                testimony.identifiers.contains(Self.digest(identifier)), testimony.addresses.contains(Self.digest(address))
            )
            let isPair = testimony.pairs.contains(Self.digest(identifier + address))
            if isKnown.0 || isKnown.1, !isPair { return "an identifier or an address came again without the other" }
        }
        if board.totals.storedScans == 0 { return "nothing was stored afterwards" }
        witness.judge(board.node, by: Array(board.ownKeys.values), at: room.air.now)
        return witness.findings.first.map { "\($0)" }
    }

    private func scansProblem(_ vault: Vault, _ testimony: Testimony) throws -> String? {
        let found = try vault.days.reduce(0) { $0 + (try vault.scans(day: $1).count) }
        var allowed = [testimony.scans, testimony.scans + 1]
        if testimony.step.hasPrefix("forgetting") {
            allowed = [testimony.scans, testimony.scans - testimony.scansOfYesterday]
        }
        return allowed.contains(found) ? nil : "\(found) scans where \(allowed) may be"
    }

    /// Everything that was sent is of a key that is still there.
    private func keysProblem(_ vault: Vault, _ testimony: Testimony) throws -> String? {
        var known: Set<String> = []
        // The core has started: what was current may have been given up since, which leaves it among the past ones.
        for key in vault.schedule.past + (vault.schedule.current.map { [$0] } ?? []) {
            let keys = try IdentifierKeys(key.secret)
            for interval in key.rollingStart.number..<key.end.number {
                known.insert(Self.digest(keys.identifier(for: ENIN(interval)).bytes))
            }
        }
        return testimony.identifiers.isSubset(of: known) ? nil : "a key that was used is gone"
    }
}

// MARK: - Disks that refuse, stores that are damaged

extension KillScene {
    /// Plays midnight on a disk that `spoil` damages 50 seconds of virtual time before, and returns what is wrong,
    /// in English; `nil` if nothing is. `spoil` returns why it could not damage the disk; `nil` if it could.
    public func midnight(_ spoil: () -> String?) -> String? {
        board.start()
        room.run(for: .seconds(40))
        if let problem = spoil() { return problem }
        let before = witness.appearances.count
        room.run(for: .seconds(120))
        let lost = board.beacon?.status(
            at: .init(nanoseconds: 0), since: .init(nanoseconds: 0), transport: "", transportProblem: nil)
        guard lost?.scanner.lostScans ?? 0 > 0, lost?.storage.problem != nil else { return "the disk took everything" }
        guard witness.appearances.count > before, lost?.radio.keysMade ?? 0 >= 2 else { return "no new TEK at midnight" }
        guard witness.onAir.values.contains(where: { $0.node == board.node }) else { return "nothing is on air" }
        board.kill()
        return witness.findings.first.map { "\($0)" }
    }

    /// Runs a core for half a minute of virtual time, and kills it.
    public func live() {
        board.start()
        room.run(for: .seconds(30))
        board.kill()
    }

    /// The name of the file with the first day's scans: `day-`, the board's day since 1970 at the air's time zero, `.log`.
    public var dayLog: String { "day-\(board.clock(at: .zero).day).log" }

    /// Restarts the core after the file named `store` was damaged, runs it for 39 seconds of virtual time, and kills it.
    /// Returns what is wrong, in English; `nil` if nothing is: the core did not start, the damage was not reported, or the
    /// witness has a finding.
    public func liveOnDamaged(store: String) -> String? {
        board.restart(after: .seconds(1))
        room.run(for: .seconds(40))
        guard let vault = board.vault else { return "the core does not start: \(board.startFailure ?? "")" }
        let isReported = vault.findings.contains { finding in
            switch finding {
            // Without the key for the seals, it is what was sealed that cannot be opened.
            case .setAside(let name, _): name == store || store == "sealing.key"
            // Nothing of it is whole, as if the power had gone during the first record.
            case .damagedRecords, .tornRecord: store.hasSuffix(".log")
            default: false
            }
        }
        board.kill()
        guard isReported else { return "it was not reported" }
        return witness.findings.first.map { "\($0)" }
    }
}
