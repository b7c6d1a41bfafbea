// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Glibc
import Interfaces
import Ledger
import Simulation
import Vault

/// Looks at what a killed life left, goes on with it to the end of the act, and says what is wrong.
public struct BoxAftermath {
    let stage: BoxStage
    /// After as many moves as the index says, in a life that nobody killed.
    let reference: [BoxSight]
    /// What must not be on the disk in clear.
    let secrets: [[UInt8]]
    /// Own keys of before.
    let ownKeys: Set<String>

    /// Lives through the act in a copy of `stage`.
    public init(_ stage: BoxStage, scratch: String) throws {
        self.stage = stage
        let copy = try stage.moved(to: scratch)
        try stage.copy(to: scratch)
        let board = try BoxBoard(copy, fatal: KillSwitch(number: nil, isAfter: false), life: 1, advance: 0)
        let schedule = board.vault.schedule
        let keys = schedule.past + (schedule.current.map { [$0] } ?? [])
        ownKeys = Set(keys.map { Self.secretDigest(BoxLife.digest($0)) })
        let all =
            try stage.secrets() + keys.map { $0.secret.withBytes { Array($0) } }
            + board.vault.ledgerKeys.map { $0.withBytes { Array($0) } } + Self.sealingKeys(stage.folder)
        // The keys of the old store are sixteen times the same byte, which is everywhere.
        secrets = all.filter { Set($0).count > 2 }
        var sights = [try BoxSight(board)]
        var ticket = ""
        for move in stage.act.moves(stage.variant) {
            try BoxLife.make(move, on: board, ticket: &ticket) { _ in }
            if move == .reset { break }
            sights.append(try BoxSight(board))
        }
        reference = sights
        board.close()
    }

    /// `folder` is what the life lived in.
    public func problem(after testimony: BoxTestimony, in folder: String) throws -> String? {
        if testimony.wasReleasedTwice { return "one ticket released twice" }
        if let problem = try clearText(folder, isOver: false) { return problem }
        let stage = try stage.moved(to: folder)
        let board = try open(stage, life: 2, advance: 3_600)
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
            let again = try open(stage, life: 3, advance: 7_200)
            defer { again.close() }
            return try afterReset(again, folder)
        }
        let last = try BoxSight(board)
        if let problem = last.problem(atEndOf: reference[reference.count - 1]) { return problem }
        board.close()
        let again = try open(stage, life: 3, advance: 7_200)
        defer { again.close() }
        let sight = try BoxSight(again)
        return sight.findings == last.findings && sight.audit == last.audit && sight.isEnabled == last.isEnabled
            && sight.role == last.role && sight.mapping == last.mapping && sight.attempts == last.attempts
            ? try clearText(folder, isOver: false) : "the next start knows something else"
    }

    private func open(_ stage: BoxStage, life: UInt64, advance: Int64) throws -> BoxBoard {
        try BoxBoard(stage, fatal: KillSwitch(number: nil, isAfter: false), life: life, advance: advance)
    }

    private func findings(_ board: BoxBoard, isReset: Bool) -> String? {
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

    private func compare(_ board: BoxBoard, _ testimony: BoxTestimony) throws -> String? {
        let sight = try BoxSight(board)
        let before = reference[min(testimony.done, reference.count - 1)]
        var after = reference[min(testimony.done + (testimony.wasOpen ? 1 : 0), reference.count - 1)]
        if stage.act == .reset, testimony.done == 1 {
            after.audit.append("resetBegun")
            after.openTickets -= 1
        }
        if stage.act == .intake, sight.attempts < testimony.attempts + reference[0].attempts { return "an attempt is lost" }
        if let problem = sight.problem(between: before, and: after, act: stage.act) { return problem }
        return stage.act == .release ? try keys(board, testimony, sight) : nil
    }

    // MARK: Going on

    private func goOn(_ board: BoxBoard, _ testimony: BoxTestimony) throws -> String? {
        var ticket = ""
        var released = testimony.released
        var problem: String?
        for move in stage.act.moves(stage.variant).dropFirst(testimony.done) {
            if ticket.isEmpty, [.release, .releaseAgain, .reset].contains(move) {
                // The old one is spent, or too old by now.
                ticket = try board.box.giveConsent(move == .reset ? .reset : .releaseKeys, by: board.caller, at: board.now)
                    .ticket
                if move == .releaseAgain { continue }
            }
            let wasKnown = try BoxSight(board).findings
            try BoxLife.make(move, on: board, ticket: &ticket) { line in
                let parts = line.split(separator: " ").map(String.init)
                switch parts[0] {
                case "twice": problem = "one ticket released twice"
                case "released":
                    if !released.isSubset(of: parts.dropFirst()) { problem = "published keys changed" }
                    released.formUnion(parts.dropFirst())
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
            if let problem = problem ?? currentProblem(board, released) { return problem }
        }
        return problem
    }

    /// What was released is never used again.
    private func currentProblem(_ board: BoxBoard, _ released: Set<String>) -> String? {
        guard let current = board.vault.schedule.current else { return nil }
        let digests = Set(released.map(Self.secretDigest))
        if digests.contains(Self.secretDigest(BoxLife.digest(current))) { return "a released key is in use" }
        for key in board.vault.schedule.past where digests.contains(Self.secretDigest(BoxLife.digest(key))) {
            if !released.contains(BoxLife.digest(key)) { return "a released key has another period" }
            if key.end > current.rollingStart { return "a released key is good for what comes" }
        }
        return nil
    }

    private func keys(_ board: BoxBoard, _ testimony: BoxTestimony, _ sight: BoxSight) throws -> String? {
        if let problem = currentProblem(board, testimony.released) { return problem }
        guard let ticket = testimony.ticket else { return nil }
        let begun = sight.audit.count { $0 == "releaseBegun" }
        let tickets = stage.act.moves(stage.variant).prefix(testimony.done).count { $0 == .ticket(.releaseKeys) }
        do {
            _ = try board.box.takeKeys(ticket: ticket, by: board.caller, at: board.now)
            return "a ticket of before released"
        } catch {
            // Each consent that was spent is on record, and the last one is spent exactly if it is.
            let isSpent = error.parameters.cause == "spent"
            return isSpent == (begun >= tickets) ? nil : "a spent consent is \(error.parameters.cause ?? "") "
        }
    }

    // MARK: Reset, and what is on the disk

    private func afterReset(_ board: BoxBoard, _ folder: String) throws -> String? {
        let sight = try BoxSight(board)
        if sight.isEnabled { return "enabled after a reset" }
        if !sight.audit.isEmpty || sight.findings.matches + sight.findings.files + sight.attempts + sight.openTickets > 0 {
            return "the ledger knows something after a reset"
        }
        if !board.vault.days.isEmpty { return "sightings after a reset" }
        let schedule = board.vault.schedule
        for key in schedule.past + (schedule.current.map { [$0] } ?? [])
        where ownKeys.contains(Self.secretDigest(BoxLife.digest(key))) {
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
