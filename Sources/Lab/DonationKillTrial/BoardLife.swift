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
        let states = DonationState.all(book, isFrozen: try board.ledger.setting(Setting.body) != nil, at: board.time)
        return states.map { "\(DonationState.allCases.firstIndex(of: $0) ?? 0)" }.joined(separator: ",")
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
        case "agree-survey": try service.agree(to: .survey, text: 1, by: board.caller, at: now)
        case "withdraw-survey": try service.withdraw(.survey, by: board.caller, at: now)
        case "survey":
            let reply = try service.survey(at: now)
            return ["survey", reply.state?.rawValue ?? "-", "\(reply.lastDay ?? 0)", reply.password ?? "-"]
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
        let purpose = MonthlyPurpose.allCases.first { step.target.hasSuffix($0.path) }
        if fault == .samePassword { try keepSamePassword(board) }
        if !isCover, let fault {
            let bytes = try board.ledger.setting(Setting.book) ?? []
            let errand = step.kind == .request ? Self.purpose(ofRequest: step.day, bytes) : nil
            let isWrong =
                switch step.kind {
                case .request: fault == .seedAfterRequest && errand == nil
                case .donate: fault == .frozenAfterSending && purpose == nil
                }
            if isWrong {
                try board.ledger.write { for (name, value) in zip(names, before) { try $0.set(name, value) } }
            } else if let other = Self.changed(bytes, by: fault, ofRequest: errand, sent: purpose) {
                try board.ledger.write { try $0.set(Setting.book, other) }
            }
        }
        switch step.kind {
        case .request: return ["request", "\(step.day)", step.body]
        case .donate:
            let field = Base64.string(Array((step.authorization ?? "").utf8))
            return ["donate", "\(step.day)", step.body, field, purpose?.rawValue ?? "-"]
        }
    }

    // MARK: Faults on purpose

    /// Bytes that are nobody's.
    private static let wrong = [UInt8](repeating: 0x55, count: TokenSeed.byteCount)

    private static let wrongPassword = Array(wrong.prefix(SurveySecret.byteCount))

    /// The purpose whose month's token the request of a day is for; `nil` for the day's own.
    private static func purpose(ofRequest day: Int64, _ book: [UInt8]) -> MonthlyPurpose? {
        let tickets = (try? JSON(parsing: book))?["tickets"]?.array ?? []
        return tickets.first { $0["day"]?.int == day }?["errand"]?.string.flatMap { MonthlyPurpose(rawValue: $0) }
    }

    /// The book as a fault has it on the disk, after a request for a month's token or after something was sent for a purpose; `nil` if the fault is none of these.
    private static func changed(
        _ book: [UInt8], by fault: DonationFault, ofRequest errand: MonthlyPurpose?, sent purpose: MonthlyPurpose?
    ) -> [UInt8]? {
        let password = wrongPassword
        switch (fault, errand, purpose) {
        case (.monthSeedAfterRequest, .log?, _): return changed(book, ["log", "seed"], .string(Base64.string(wrong)))
        case (.logComposedAnew, _, .log?):
            return changed(book, ["sending", "content"], .string(Base64.string(TroubleReport.content([.auditBroken]))))
        case (.passwordAnew, _, .survey?):
            let content = SurveyReport.content(SHA256.digest(of: password))
            let other = changed(book, ["survey", "password", "secret"], .string(Base64.string(password)))
            return changed(other, ["sending", "content"], .string(Base64.string(content)))
        // The book takes a day that has not come for today.
        case (.daysFromLastTry, _, .survey?): return changed(book, ["survey", "password", "sent"], .int(100_000))
        default: return nil
        }
    }

    /// The book with another value at one place.
    private static func changed(_ book: [UInt8], _ path: [String], _ value: JSON) -> [UInt8] {
        func changed(_ json: JSON?, _ path: ArraySlice<String>) -> JSON? {
            guard let name = path.first else { return value }
            guard case .object(var all)? = json else { return json }
            all[name] = changed(all[name], path.dropFirst())
            return .object(all)
        }
        return changed(try? JSON(parsing: book), path[...])?.bytes ?? book
    }

    /// A password whose digest was never sent is the one of always on the disk.
    private func keepSamePassword(_ board: KilledBoard) throws {
        guard let book = try board.ledger.setting(Setting.book),
            let password = (try? JSON(parsing: book))?["survey"]?["password"], password["sent"] == nil
        else { return }
        let same = JSON.string(Base64.string(Self.wrongPassword))
        try board.ledger.write { try $0.set(Setting.book, Self.changed(book, ["survey", "password", "secret"], same)) }
    }

    /// Of donations nothing is left, not even what must be; of other purposes all is.
    private func forgetAsked(_ board: KilledBoard) throws {
        var kept = JSON.Object()
        let book = try board.ledger.setting(Setting.book).flatMap { try? JSON(parsing: $0) }
        for name in ["log", "survey", "askedMonths"] { kept[name] = book?[name] }
        // A book has lists, though they be empty.
        for name in ["history", "tickets", "marks"] where !kept.isEmpty { kept[name] = .array([]) }
        let bytes = kept.isEmpty ? nil : JSON.object(kept).bytes
        try board.ledger.write {
            try $0.set(Setting.book, bytes)
            try $0.set(Setting.asked, nil)
        }
    }
}
