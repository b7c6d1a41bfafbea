// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Ledger
import Matching

/// What a ledger must hold, as plain values.
struct LedgerModel {
    static let purpose = "keys.release"

    /// One change within a transaction.
    enum Change {
        case set(String, [UInt8])
        case merge(Match)
        case file([UInt8], [UInt8], UInt32)
        case attempt(String, UInt32)
        case audit(AuditEntry)
        case makeTicket
        case redeem(String)
        case evidence(EvidenceHour)
        case pair(String, [UInt8], UInt32)
        case unpair(String)
    }

    var today: UInt32 = 19_700
    var settings: [String: [UInt8]] = [:]
    var matches = MatchSet()
    var files: [(signatures: [UInt8], content: [UInt8], day: UInt32)] = []
    var attempts: [UInt32: Int] = [:]
    var audit: [AuditEntry] = []
    var open: [String] = []
    var spent: [String] = []
    var evidence: [UInt32: EvidenceHour] = [:]
    var paired: [String: [(day: UInt32, digest: [UInt8])]] = [:]

    private func bytes(_ count: Int, _ generator: inout any RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Something to do, and the day moved on now and then.
    mutating func randomChange(using generator: inout any RandomNumberGenerator) -> Change {
        if Int.random(in: 0..<30, using: &generator) == 0 { today += 1 }
        switch Int.random(in: 0..<13, using: &generator) {
        case 0, 1:
            return .set(
                "setting \(Int.random(in: 0..<6, using: &generator))",
                bytes(.random(in: 0...900, using: &generator), &generator))
        case 2: return match(&generator).map(Change.merge) ?? .makeTicket
        case 3: return .file(bytes(32, &generator), bytes(32, &generator), today)
        case 4: return .attempt("sync", today)
        case 5, 6:
            return .audit(
                AuditEntry(
                    kind: "kind \(Int.random(in: 0..<9, using: &generator))", actor: "button", time: Int64(today) * 86_400,
                    details: ["number": "\(audit.count)"]))
        case 7: return .makeTicket
        case 8: return open.randomElement(using: &generator).map(Change.redeem) ?? .makeTicket
        case 9, 10:
            var hour = EvidenceHour(hour: today * 24 + .random(in: 0..<24, using: &generator))
            hour.scans = .random(in: 0...20, using: &generator)
            hour.secondsOnAir = 3_600
            return .evidence(hour)
        case 11: return .pair("phone \(Int.random(in: 0..<4, using: &generator))", bytes(32, &generator), today)
        default: return .unpair("phone \(Int.random(in: 0..<4, using: &generator))")
        }
    }

    private func match(_ generator: inout any RandomNumberGenerator) -> Match? {
        let day = today - .random(in: 0...3, using: &generator)
        let data = Block(low: .random(in: 0..<12, using: &generator), high: UInt64(day))
        let types: [ReportType] = [.confirmedTest, .selfReport, .revoked]
        let period: UInt32 = Int.random(in: 0..<8, using: &generator) == 0 ? 100 : 144
        let key = DiagnosisKey(
            data: data, rollingStart: ENIN(day * 144), rollingPeriod: period,
            reportType: types.randomElement(using: &generator) ?? .unknown, daysSinceOnset: 2)
        let sightings = (0..<UInt32.random(in: 1...60, using: &generator)).map {
            MatchedSighting(
                position: $0, interval: ENIN(day * 144 + $0), time: day * 86_400 + $0 * 300, previousScan: 0, rssi: -60,
                transmitPower: -20, confidence: .high)
        }
        return key.map { Match(key: $0, sightings: sightings) }
    }

    /// Makes the change in the transaction and here; gives what was answered wrongly.
    mutating func apply(_ change: Change, to transaction: LedgerTransaction) throws -> String? {
        switch change {
        case .set(let name, let value):
            try transaction.set(name, value)
            settings[name] = value
        case .merge(let match):
            let before = matches
            matches.merge(match)
            let outcome = try transaction.merge([match])
            let isNew = matches.matches.count > before.matches.count
            guard outcome.new == (isNew ? 1 : 0), outcome.contradictions == matches.contradictions - before.contradictions,
                outcome.changed == (!isNew && matches.matches != before.matches ? 1 : 0)
            else { return "merging came to something else" }
        case .file(let signatures, let content, let day):
            try transaction.rememberFile(signatureListDigest: signatures, contentDigest: content, day: day)
            files.append((signatures, content, day))
        case .attempt(let caller, let day):
            attempts[day, default: 0] += 1
            guard try transaction.recordAttempt(by: caller, kind: "match", day: day) == attempts[day] else {
                return "attempts were counted wrongly"
            }
        case .audit(let entry):
            try transaction.audit(entry)
            audit.append(entry)
        case .makeTicket:
            do {
                let ticket = try transaction.makeTicket(
                    purpose: Self.purpose, presence: "button", caller: "page", made: Int64(today) * 86_400, expires: .max)
                guard open.count < Ledger.maximumOpenTickets else { return "too many tickets were made" }
                open.append(ticket.id)
            } catch let failure as LedgerFailure where failure.code == .tooMany {
                guard open.count == Ledger.maximumOpenTickets else { return "a ticket was refused" }
            }
        case .redeem(let id):
            do {
                _ = try transaction.redeemTicket(id: id, purpose: Self.purpose, at: Int64(today) * 86_400)
                guard let index = open.firstIndex(of: id) else { return "a ticket was redeemed twice" }
                open.remove(at: index)
                spent.append(id)
            } catch let failure as LedgerFailure where failure.code == .ticketSpent {
                guard !open.contains(id) else { return "an open ticket counted as spent" }
            }
        case .evidence(let hour):
            try transaction.record(hour)
            evidence[hour.hour, default: EvidenceHour(hour: hour.hour)].add(hour)
        case .pair(let name, let digest, let day):
            try transaction.addPaired(name: name, digests: [digest], day: day)
            paired[name, default: []].append((day, digest))
        case .unpair(let name):
            try transaction.removePaired(name: name)
            paired[name] = nil
        }
        return nil
    }

    mutating func forget(before day: UInt32) {
        matches = MatchSet(matches.matches.filter { $0.key.end.number > day * 144 })
        files.removeAll { $0.day < day }
        attempts = attempts.filter { $0.key >= day }
        evidence = evidence.filter { $0.key / 24 >= day }
        paired = paired.mapValues { $0.filter { $0.day >= day } }
    }

    /// What the ledger has otherwise, if anything.
    func difference(to ledger: Ledger) throws -> String? {
        for (name, value) in settings where try ledger.setting(name) != value { return "another \(name)" }
        guard try ledger.matches() == matches.matches else { return "other matches" }
        for file in files {
            guard try ledger.isMatched(signatureListDigest: file.signatures),
                try ledger.isMatched(contentDigest: file.content)
            else { return "a file is gone" }
        }
        for day in (today - 20)...(today + 1) {
            guard try ledger.attempts(by: "sync", kind: "match", day: day) == attempts[day] ?? 0 else {
                return "other attempts"
            }
        }
        if let problem = try ticketDifference(to: ledger) { return problem }
        let records = try ledger.auditEntries(limit: .max)
        guard records.map(\.entry) == audit else { return "\(records.count) audit entries instead of \(audit.count)" }
        let verdict = try ledger.verifyAudit()
        guard verdict == AuditVerdict(intact: audit.count, firstBroken: nil, dropped: 0) else { return "\(verdict)" }
        guard try ledger.evidence(from: 0, to: .max) == evidence.values.sorted(by: { $0.hour < $1.hour }) else {
            return "other evidence"
        }
        guard try Set(ledger.pairedNames()) == Set(paired.keys) else { return "other paired devices" }
        guard try ledger.pairedDigests() == Set(paired.values.flatMap { $0.suffix(200).map(\.digest) }) else {
            return "other keys of paired devices"
        }
        return nil
    }

    /// Asked for something else, a ticket says what has become of it and stays as it is.
    private func ticketDifference(to ledger: Ledger) throws -> String? {
        guard try ledger.openTicketCount(at: 0) == open.count else { return "another number of open tickets" }
        return try ledger.write { transaction in
            for (ids, code) in [(open, LedgerFailure.Code.ticketPurpose), (spent, .ticketSpent)] {
                for id in ids {
                    do {
                        _ = try transaction.redeemTicket(id: id, purpose: "anything else", at: 0)
                        return "a ticket was good for something else"
                    } catch let failure as LedgerFailure {
                        guard failure.code == code else { return "a ticket is \(failure.code.rawValue)" }
                    }
                }
            }
            return nil
        }
    }
}
