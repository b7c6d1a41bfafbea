// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Glibc
import Interfaces
import Ledger
import Simulation
import Vault

/// Checks what a killed process left, continues the act to its end, and reports what is wrong.
public struct ServiceAftermath {
    let stage: ServiceStage
    /// After as many moves as the index says, in a life that nobody killed.
    let reference: [ServiceSnapshot]
    /// What must not be on the disk in clear.
    let secrets: [[UInt8]]
    /// Own keys of before.
    let ownKeys: Set<String>

    /// Plays the whole act in a copy of `stage` in the folder `scratch`, which must exist, and keeps the results for
    /// comparison; blocks. Throws ``ServiceTrialFailure`` when that does not go as it should, and what the stores throw.
    public init(_ stage: ServiceStage, scratch: String) throws {
        self.stage = stage
        let copy = try stage.moved(to: scratch)
        try stage.copy(to: scratch)
        let board = try ServiceBoard(copy, fatal: KillSwitch(number: nil, isAfter: false), life: 1, advance: 0)
        let schedule = board.vault.schedule
        let keys = schedule.past + (schedule.current.map { [$0] } ?? [])
        ownKeys = Set(keys.map { Self.secretDigest(ServiceLife.digest($0)) })
        let all =
            try stage.secrets() + keys.map { $0.secret.withBytes { Array($0) } }
            + board.vault.ledgerKeys.map { $0.withBytes { Array($0) } } + Self.sealingKeys(stage.folder)
        // The keys of the old store are sixteen times the same byte, which is everywhere.
        secrets = all.filter { Set($0).count > 2 }
        var sights = [try ServiceSnapshot(board)]
        var ticket = ""
        for move in stage.act.moves(stage.variant) {
            var answer = ""
            try ServiceLife.make(move, on: board, ticket: &ticket) { answer = $0 }
            if move == .reset { break }
            // Nothing is proven of keys that are not there.
            if move == .remainder, !answer.contains("/") { throw ServiceTrialFailure("the rest of the day has no keys") }
            sights.append(try ServiceSnapshot(board))
        }
        if stage.act == .rules, let problem = try Self.warningProblem(board) { throw ServiceTrialFailure(problem) }
        reference = sights
        board.close()
    }

    /// Returns the first fault after the process that wrote `testimony`, whose folder is `folder`, in English; `nil` if
    /// nothing is wrong. Continues the act to its end in that folder, which changes it; blocks. Throws when the store
    /// cannot be opened.
    public func problem(after testimony: ServiceTestimony, in folder: String) throws -> String? {
        if testimony.wasReleasedTwice { return "one ticket released twice" }
        if let problem = try clearText(folder, isOver: false) { return problem }
        let stage = try stage.moved(to: folder)
        // An hour after whatever the life has seen.
        let late =
            stage.act.isTomorrow(after: testimony.done, variant: stage.variant) ? ServiceStage.tomorrow - stage.start : 0
        let board = try open(stage, life: 2, advance: late + 3_600)
        defer { board.close() }
        let isReset = board.vault.findings.contains { if case .wasReset = $0 { true } else { false } }
        if let problem = findings(board, isReset: isReset) { return problem }
        if isReset || testimony.done > 1 && stage.act == .reset { return try afterReset(board, folder) }
        if let problem = try compare(board, testimony)
            ?? (stage.act == .migration ? MigratedStore.problem(board.vault) : nil)
        {
            return problem
        }
        if let problem = try goOn(board, testimony) { return problem }
        if stage.act == .reset {
            let again = try open(stage, life: 3, advance: late + 7_200)
            defer { again.close() }
            return try afterReset(again, folder)
        }
        let last = try ServiceSnapshot(board)
        // The right to the rest of the day is spent before a key is read: a cut then loses it, and it is on record that it was spent.
        let lost = stage.act == .remainder ? "keysReleased" : nil
        if let problem = try last.problem(atEndOf: reference[reference.count - 1], lost: lost)
            ?? (stage.act == .rules ? Self.warningProblem(board) : nil)
        {
            return problem
        }
        board.close()
        let seen = stage.act == .remainder ? ServiceStage.tomorrow - stage.start : late
        let again = try open(stage, life: 3, advance: seen + 7_200)
        defer { again.close() }
        let sight = try ServiceSnapshot(again)
        return sight.findings == last.findings && sight.audit == last.audit && sight.isEnabled == last.isEnabled
            && sight.rules == last.rules && sight.role == last.role && sight.mapping == last.mapping
            && sight.attempts == last.attempts
            ? try clearText(folder, isOver: false) : "the next start knows something else"
    }

    private func open(_ stage: ServiceStage, life: UInt64, advance: Int64) throws -> ServiceBoard {
        try ServiceBoard(stage, fatal: KillSwitch(number: nil, isAfter: false), life: life, advance: advance)
    }

    private func findings(_ board: ServiceBoard, isReset: Bool) -> String? {
        for finding in board.vault.findings {
            switch finding {
            case .tornRecord, .orphanRemoved: continue
            case .wasReset where stage.act == .reset: continue
            default: return "\(finding)"
            }
        }
        for finding in board.ledger.findings {
            switch finding {
            case .renewalFinished: continue
            case .setAside where stage.act == .aside: continue
            default: return "\(finding)"
            }
        }
        return nil
    }

    private func compare(_ board: ServiceBoard, _ testimony: ServiceTestimony) throws -> String? {
        let sight = try ServiceSnapshot(board)
        let before = reference[min(testimony.done, reference.count - 1)]
        var after = reference[min(testimony.done + (testimony.wasOpen ? 1 : 0), reference.count - 1)]
        if stage.act == .reset, testimony.done == 1 {
            after.audit.append("resetBegun")
            after.openTickets -= 1
        }
        if stage.act == .intake, sight.attempts < testimony.attempts + reference[0].attempts { return "an attempt is lost" }
        if let problem = sight.problem(between: before, and: after, act: stage.act) { return problem }
        switch stage.act {
        case .release: return try keys(board, testimony, sight)
        case .remainder: return try keys(board, testimony, sight) ?? remainder(board, testimony, sight)
        default: return nil
        }
    }

    /// The rest of the day is there exactly until the right to it was spent, which is on record; its keys are others than the first ones.
    private func remainder(_ board: ServiceBoard, _ testimony: ServiceTestimony, _ sight: ServiceSnapshot) -> String? {
        guard let ticket = testimony.ticket else { return nil }
        let begun = sight.audit.count { $0 == "releaseBegun" }
        if (board.service.remainder(of: ticket) != nil) != (begun == 1) {
            return "\(begun) releases were begun, and the rest of the day is \(begun == 1 ? "lost" : "there")"
        }
        if !testimony.rest.isEmpty, begun < 2 { return "the rest of the day went out without a record" }
        let first = Set(testimony.released.map(Self.secretDigest))
        if testimony.rest.contains(where: { first.contains(Self.secretDigest($0)) }) { return "a key was released twice" }
        return currentProblem(board, testimony.rest)
    }

    /// What is wrong where somebody is to be warned, and nobody has said yet that they read it.
    private static func warningProblem(_ board: ServiceBoard) throws -> String? {
        let risk = try board.service.warnings.risk(at: board.now)
        guard risk.state == .increased else { return "at the end, the risk is \(risk.state)" }
        guard risk.news else { return "at the end, the warning is no news" }
        return risk.rules?.version == 2 ? nil : "at the end, judged by rules \(risk.rules?.version ?? 0)"
    }

    // MARK: Going on

    private func goOn(_ board: ServiceBoard, _ testimony: ServiceTestimony) throws -> String? {
        var ticket = ""
        var released = testimony.released
        var rest = testimony.rest
        var problem: String?
        for move in stage.act.moves(stage.variant).dropFirst(testimony.done) {
            if ticket.isEmpty, [.release, .releaseAgain, .reset].contains(move) {
                // The old one is spent, or too old by now.
                ticket = try board.service.giveConsent(
                    move == .reset ? .reset : .releaseKeys, by: board.caller, at: board.now
                )
                .ticket
                if move == .releaseAgain { continue }
            }
            if [.remainder, .remainderAgain].contains(move), ticket.isEmpty { ticket = testimony.ticket ?? "" }
            let wasKnown = try ServiceSnapshot(board).findings
            // Spent, and cut before it was answered; the record of it was looked at above.
            if move == .remainder, board.service.remainder(of: ticket) == nil { continue }
            try ServiceLife.make(move, on: board, ticket: &ticket) { line in
                let parts = line.split(separator: " ").map(String.init)
                switch parts[0] {
                case "twice": problem = "one ticket released twice"
                case "released":
                    if !released.isSubset(of: parts.dropFirst()) { problem = "published keys changed" }
                    released.formUnion(parts.dropFirst())
                case "rest":
                    rest.formUnion(parts.dropFirst())
                    let first = Set(released.map(Self.secretDigest))
                    if rest.contains(where: { first.contains(Self.secretDigest($0)) }) {
                        problem = "a key was released twice"
                    }
                case "matched":
                    // Whatever was committed is not matched again, and counts as before.
                    if case .provide(let files) = move, wasKnown.files >= files.count, wasKnown == reference[2].findings,
                        parts.dropFirst(2).contains("matched")
                    {
                        problem = "a file was matched twice"
                    }
                default: break
                }
            }
            if move == .reset { return nil }
            if let problem = problem ?? currentProblem(board, released) ?? currentProblem(board, rest) { return problem }
        }
        return problem
    }

    /// What was released is never used again.
    private func currentProblem(_ board: ServiceBoard, _ released: Set<String>) -> String? {
        guard let current = board.vault.schedule.current else { return nil }
        let digests = Set(released.map(Self.secretDigest))
        if digests.contains(Self.secretDigest(ServiceLife.digest(current))) { return "a released key is in use" }
        for key in board.vault.schedule.past where digests.contains(Self.secretDigest(ServiceLife.digest(key))) {
            if !released.contains(ServiceLife.digest(key)) { return "a released key has another period" }
            if key.end > current.rollingStart { return "a released key is good for what comes" }
        }
        return nil
    }

    private func keys(_ board: ServiceBoard, _ testimony: ServiceTestimony, _ sight: ServiceSnapshot) throws -> String? {
        if let problem = currentProblem(board, testimony.released) { return problem }
        guard let ticket = testimony.ticket else { return nil }
        let begun = sight.audit.count { $0 == "releaseBegun" }
        let tickets = stage.act.moves(stage.variant).prefix(testimony.done).count { $0 == .ticket(.releaseKeys) }
        do {
            _ = try board.service.takeKeys(ticket: ticket, by: board.caller, at: board.now)
            return "a ticket of before released"
        } catch {
            // Each consent that was spent is on record, and the last one is spent exactly if it is.
            let isSpent = error.parameters.cause == "spent"
            return isSpent == (begun >= tickets) ? nil : "a spent consent is \(error.parameters.cause ?? "") "
        }
    }

    // MARK: Reset, and what is on the disk

    private func afterReset(_ board: ServiceBoard, _ folder: String) throws -> String? {
        let sight = try ServiceSnapshot(board)
        if sight.isEnabled { return "enabled after a reset" }
        if !sight.audit.isEmpty || sight.findings.matches + sight.findings.files + sight.attempts + sight.openTickets > 0 {
            return "the ledger knows something after a reset"
        }
        if !board.vault.days.isEmpty { return "sightings after a reset" }
        let schedule = board.vault.schedule
        for key in schedule.past + (schedule.current.map { [$0] } ?? [])
        where ownKeys.contains(Self.secretDigest(ServiceLife.digest(key))) {
            return "a key of before"
        }
        return try clearText(folder, isOver: true)
    }

    /// Secrets are in no file; the sealing key is where it belongs, until a reset.
    private func clearText(_ folder: String, isOver: Bool) throws -> String? {
        for part in ["data", "keys"] {
            let storage = try PosixStorage(folder: "\(folder)/\(part)")
            for name in try storage.names() where name != "sealing.key" || isOver {
                let bytes = try storage.read(name, limit: 64 << 20) ?? []
                if secrets.contains(where: { Self.contains(bytes, $0) }) { return "\(name) tells a secret in clear" }
            }
        }
        return nil
    }

    private static func contains(_ bytes: [UInt8], _ secret: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { all in
            guard let start = all.baseAddress, let first = secret.first else { return false }
            var place = 0
            while place + secret.count <= all.count,
                let hit = memchr(start + place, Int32(first), all.count - place - secret.count + 1)
            {
                if memcmp(hit, secret, secret.count) == 0 { return true }
                place = UnsafeRawPointer(hit) - start + 1
            }
            return false
        }
    }

    private static func sealingKeys(_ folder: String) throws -> [[UInt8]] {
        let bytes = try PosixStorage(folder: "\(folder)/keys").read("sealing.key", limit: 256) ?? []
        return stride(from: 0, to: bytes.count, by: 128).compactMap { start in
            bytes.count >= start + 44 ? Array(bytes[(start + 12)..<(start + 44)]) : nil
        }
    }

    private static func secretDigest(_ digest: String) -> String { String(digest.prefix { $0 != "/" }) }
}
