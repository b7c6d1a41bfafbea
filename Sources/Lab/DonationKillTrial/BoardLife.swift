// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import Donation
import Interfaces
import JSON
import Ledger
import Simulation

/// A board in a process of its own, which the judge asks line by line, and which dies at one of its steps. Each answer has the board's state, the number
/// of steps so far, and what was answered.
package struct BoardLife {
    private let folder: String
    private let time: Int64
    private let seed: UInt64
    private let fault: DonationFault?
    private let fatal = KillSwitch(number: nil, isAfter: false)

    /// Creates a life in `folder` that begins at `time`, Unix seconds; `seed` is another number for each life. Nothing happens before ``play()``.
    package init(folder: String, at time: Int64, seed: UInt64, fault: DonationFault?) {
        self.folder = folder
        self.time = time
        self.seed = seed
        self.fault = fault
    }

    /// Names of the ledger's settings, as the core has them.
    enum Setting {
        static let book = "donation", body = "donation.body", asked = "donation.asked", askedMonth = "donation.asked.log"
    }

    /// Answers until nobody asks any more, unless it is killed before. Blocks. Throws what the core's stores throw.
    package func play() throws {
        var lines = LifeLines(input: 0, output: 1)
        let signer = try P256.VerificationKey(pemOrDER: DonationFiles.read("\(folder)/../signer"))
        var board: KilledBoard?
        while let words = try lines.next(), let order = words.first {
            if order == "aim" {
                fatal.aim(Int(words[1]) ?? 0, isAfter: words[2] == "after")
                lines.say(["aimed"])
                continue
            }
            let reply = try reply(to: words, &board, signer)
            // It would write down again what it knows. Its store is closed before anybody looks at the files: who closes one last removes its log.
            if fault == .askedForgotten, order == "withdraw" {
                board?.ledger.close()
                board = nil
            }
            lines.say(reply)
        }
    }

    private func reply(to words: [String], _ board: inout KilledBoard?, _ signer: P256.VerificationKey) throws -> [String] {
        // Opening is a step like others: the judge may have aimed before.
        let open =
            try board
            ?? KilledBoard(folder: folder, at: time, seed: seed, signer: signer, fatal: fatal, fault: fault)
        board = open
        let said: [String]
        do { said = try answer(words, open) } catch let refusal as Refusal { said = ["refused", refusal.name] }
        fatal.pass("answer")
        return [try state(open), "\(fatal.count)"] + said
    }

    private func state(_ board: KilledBoard) throws -> String {
        let book = try board.ledger.setting(Setting.book).flatMap { DonationBook(bytes: $0) } ?? DonationBook()
        let state = DonationState(book, isFrozen: try board.ledger.setting(Setting.body) != nil, at: board.time)
        return "\(DonationState.allCases.firstIndex(of: state) ?? 0)"
    }

    private func answer(_ words: [String], _ board: KilledBoard) throws -> [String] {
        let (service, now) = (board.service, board.now)
        let day = words.count > 1 ? Int64(words[1]) ?? 0 : 0
        switch words[0] {
        case "time": board.pass(to: day)
        case "meet": try board.meet(UInt64(bitPattern: day))
        case "donor": return ["donor", try service.donor().publicHalf]
        case "agree": try service.agreeToDonate(text: 1, by: board.caller, at: now)
        case "withdraw":
            try service.withdrawDonation(by: board.caller, at: now)
            if fault == .askedForgotten { try forgetAsked(board) }
        case "agree-log": try service.agree(to: .log, text: 1, by: board.caller, at: now)
        case "withdraw-log": try service.withdraw(.log, by: board.caller, at: now)
        case "trouble":
            service.note(TransportNote(name: "usb", problem: words[1] == "on" ? "The adapter does not answer." : nil))
        case "log":
            let log = try service.errorLog()
            return ["log"]
                + [log.lines.map(\.trouble), log.released].map { list in
                    list.isEmpty ? "-" : list.map(\.rawValue).joined(separator: ",")
                }
        case "release":
            let troubles = words[1].split(separator: ",").compactMap { Donation1.Trouble(rawValue: String($0)) }
            try service.releaseErrorLog(troubles, by: board.caller, at: now)
        case "terms": _ = try service.takeDonationTerms(words[1], approvals: words[2], by: board.caller, at: now)
        case "step": return try step(board)
        case "evidence":
            let field = try service.issuanceEvidence(day: day, nonce: Hex.bytes(words[2]) ?? [], at: now)
            return field.map { ["evidence", Base64.string(Array($0.utf8))] } ?? ["none"]
        case "token":
            let isToken = try service.takeToken(day: day, answer: Base64.bytes(words[2]), refusal: nil, at: now)
            return [isToken.map { $0 ? "token" : "refusal" } ?? "none"]
        case "refusal":
            let refusal = Donation1.IssuerRefusal(rawValue: words[2])
            return [try service.takeToken(day: day, answer: nil, refusal: refusal, at: now) == nil ? "none" : "noted"]
        case "end":
            let outcome = Donation1.EndDonationCall.Outcome(rawValue: words[2])
            return [try service.endDonation(day: day, outcome: outcome, at: now) ? "noted" : "none"]
        default: throw KilledDonationsFailure("unknown: \(words[0])")
        }
        return ["done"]
    }

    private func step(_ board: KilledBoard) throws -> [String] {
        let names = [Setting.book, Setting.body, Setting.asked, Setting.askedMonth]
        let before = try names.map { try board.ledger.setting($0) }
        let reply = try board.service.donationStep(at: board.now)
        guard let step = reply.step else { return ["wait", "\(reply.seconds)"] }
        let isCover =
            DonationCover.truncatedKeyID(ofRequest: Base64.bytes(step.body) ?? []) != nil
            || DonationCover.isAuthorization(step.authorization ?? "")
        let isOfLog = step.target.hasSuffix(MonthlyPurpose.log.path)
        if !isCover, let fault {
            let bytes = try board.ledger.setting(Setting.book) ?? []
            let isOfMonth = step.kind == .request && Self.isOfMonth(step.day, bytes)
            let isWrong =
                switch step.kind {
                case .request: fault == .seedAfterRequest && !isOfMonth
                case .donate: fault == .frozenAfterSending && !isOfLog
                }
            if isWrong {
                try board.ledger.write { for (name, value) in zip(names, before) { try $0.set(name, value) } }
            } else if fault == .monthSeedAfterRequest, isOfMonth {
                let other = Base64.string([UInt8](repeating: 0x55, count: TokenSeed.byteCount))
                try board.ledger.write { try $0.set(Setting.book, Self.changed(bytes, "log", "seed", other)) }
            } else if fault == .logComposedAnew, isOfLog {
                let other = Base64.string(TroubleReport.content([.auditBroken]))
                try board.ledger.write { try $0.set(Setting.book, Self.changed(bytes, "sending", "content", other)) }
            }
        }
        switch step.kind {
        case .request: return ["request", "\(step.day)", step.body]
        case .donate:
            let field = Base64.string(Array((step.authorization ?? "").utf8))
            return ["donate", "\(step.day)", step.body, field, isOfLog ? MonthlyPurpose.log.rawValue : "-"]
        }
    }

    // MARK: Faults on purpose

    /// Whether the request of a day is for a month's token.
    private static func isOfMonth(_ day: Int64, _ book: [UInt8]) -> Bool {
        let tickets = (try? JSON(parsing: book))?["tickets"]?.array ?? []
        return tickets.contains { $0["day"]?.int == day && $0["errand"] != nil }
    }

    /// The book with another text in one of its parts.
    private static func changed(_ book: [UInt8], _ part: String, _ name: String, _ text: String) -> [UInt8] {
        guard case .object(var all)? = try? JSON(parsing: book), case .object(var inner)? = all[part] else { return book }
        inner[name] = .string(text)
        all[part] = .object(inner)
        return JSON.object(all).bytes
    }

    /// Of donations nothing is left, not even what must be; of logs all is.
    private func forgetAsked(_ board: KilledBoard) throws {
        var kept = JSON.Object()
        let book = try board.ledger.setting(Setting.book).flatMap { try? JSON(parsing: $0) }
        for name in ["log", "askedMonths"] { kept[name] = book?[name] }
        // A book has lists, though they be empty.
        for name in ["history", "tickets", "marks"] where !kept.isEmpty { kept[name] = .array([]) }
        let bytes = kept.isEmpty ? nil : JSON.object(kept).bytes
        try board.ledger.write {
            try $0.set(Setting.book, bytes)
            try $0.set(Setting.asked, nil)
        }
    }
}
