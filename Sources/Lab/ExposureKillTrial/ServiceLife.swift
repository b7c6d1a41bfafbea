// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Glibc
import Interfaces
import Ledger
public import Simulation
import Vault

/// Plays an act in a process of its own that is killed at one step. Its answers go to standard output, which survives the
/// process.
public struct ServiceLife {
    let stage: ServiceStage
    let fatal: KillSwitch

    /// Creates a life in the folder of `stage` that ends at the step of `fatal`. Nothing happens before ``play()``.
    public init(_ stage: ServiceStage, fatal: KillSwitch) {
        self.stage = stage
        self.fatal = fatal
    }

    /// Plays the act to its end, unless the process is killed before. Blocks. Throws what the board's stores throw.
    public func play() throws {
        fatal.name = { operation, file, _ in
            "\(operation) \(file.hasPrefix("day-") ? "a day's log" : file)"
        }
        fatal.lastWords = { Self.say("step \($0)") }
        let board = try ServiceBoard(stage, fatal: fatal, life: 1, advance: 0)
        Self.say("open")
        var ticket = ""
        for (index, move) in stage.act.moves(stage.variant).enumerated() {
            try Self.make(move, on: board, ticket: &ticket, say: Self.say)
            Self.say("done \(index)")
        }
        Self.say("complete \(fatal.count)")
    }

    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }

    /// Does one thing and says what was answered.
    static func make(_ move: ServiceAct.Move, on board: ServiceBoard, ticket: inout String, say: (String) -> Void) throws {
        let (service, caller) = (board.service, board.caller)
        switch move {
        case .enable: try service.enable(by: caller, at: board.now)
        case .disable: try service.disable(by: caller, at: board.now)
        case .pass: board.pass()
        case .tomorrow: board.passMidnight()
        case .renew: try board.ledger.renewKey()
        case .role(let role): try service.setRole(role, by: caller, at: board.now)
        case .mapping:
            guard try service.setMapping(mapping, by: caller, at: board.now) else {
                throw ServiceTrialFailure("no mapping")
            }
        case .ticket(let purpose):
            ticket = try service.giveConsent(purpose, by: caller, at: board.now).ticket
            say("ticket \(ticket)")
        case .reset: try service.reset(ticket: ticket, by: caller, at: board.now)
        case .release:
            let keys = try service.takeKeys(ticket: ticket, by: caller, at: board.now)
            say("released " + keys.map(digest).joined(separator: " "))
        case .releaseAgain:
            do {
                _ = try service.takeKeys(ticket: ticket, by: caller, at: board.now)
                say("twice \(ticket)")
            } catch { guard error.parameters.cause == "spent" else { throw error } }
        case .remainder:
            let keys = try service.takeRemainder(ticket: ticket, by: caller, at: board.now)
            say("rest " + keys.map(digest).joined(separator: " "))
        case .remainderAgain:
            do {
                _ = try service.takeRemainder(ticket: ticket, by: caller, at: board.now)
                say("twice \(ticket)")
            } catch { guard error.parameters.cause == "spent" else { throw error } }
        case .rules(let version):
            let files = try PosixStorage(folder: "\(board.stage.folder)/spool")
            let parts = try ["rules-\(version)", "rules-\(version).sig"].map { name in
                Base64.string(try files.read(name, limit: 65_536) ?? [])
            }
            let taken = try service.warnings.takeRules(parts[0], approvals: parts[1], by: caller, at: board.now)
            guard taken.version == Int64(version) else { throw ServiceTrialFailure("rules of version \(taken.version)") }
        case .provide(let files):
            let result = try board.provide(files) { say("attempt") }
            say("matched \(result.newMatchCount ?? -1) " + result.files.map(\.outcome.rawValue).joined(separator: " "))
        }
    }

    /// Every day is of high infectiousness.
    static let mapping = Exposure1.DiagnosisKeysDataMapping(
        daysSinceOnsetToInfectiousness: Array(repeating: .high, count: 29),
        infectiousnessWhenDaysSinceOnsetMissing: .standard, reportTypeWhenMissing: .confirmedTest)

    /// A key as it may be told: digest, start and period.
    static func digest(_ key: TemporaryExposureKey) -> String {
        let digest = key.secret.withBytes { SHA256.digest(of: Array($0)) }
        return "\(Hex.string(digest.prefix(12)))/\(key.rollingStart.number)/\(key.rollingPeriod)"
    }
}

/// The report of a process before its end, read from the lines of its standard output.
public struct ServiceTestimony {
    /// The step at which the process was killed, such as `write tek.slots`; empty if it was not killed.
    public var step = ""
    /// Moves that were answered.
    var done = 0
    var wasOpen = false
    var ticket: String?
    var attempts = 0
    /// Keys that were handed out.
    var released: Set<String> = []
    var releases = 0
    /// Keys of the rest of the day that were handed out.
    var rest: Set<String> = []
    var wasReleasedTwice = false
    /// The number of steps in the whole act, 0 or more; `nil` if the process did not reach its end.
    public var steps: Int?

    /// Reads the lines that ``ServiceLife/play()`` wrote; unknown lines are ignored. A line of blanks only, or
    /// `complete` without a number, stops the program.
    public init(lines: String) {
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            switch parts[0] {
            case "step": step = parts.dropFirst().joined(separator: " ")
            case "open": wasOpen = true
            case "done": done += 1
            case "ticket": ticket = parts.last
            case "attempt": attempts += 1
            case "released":
                released.formUnion(parts.dropFirst())
                releases += 1
            case "rest": rest.formUnion(parts.dropFirst())
            case "twice": wasReleasedTwice = true
            case "complete": steps = Int(parts[1])
            default: break
            }
        }
    }
}
