// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import DonationService

/// What the wearer does, and what the judge looks at.
extension DonationStory {
    /// Plays the story to its end, or to the first finding.
    func play(isShort: Bool) throws {
        for folder in [trial.board, trial.issuer, trial.server] { DonationFiles.clear(folder) }
        for folder in [trial.board, "\(trial.board)/data", "\(trial.board)/keys", trial.issuer, trial.server] {
            try DonationFiles.make(folder)
        }
        defer { for process in [board, issuer, server] { process?.kill() } }
        do {
            try tell(isShort: isShort)
        } catch let finding as DonationFinding {
            verdict.problem = finding.description
        }
        verdict.days = (time - Self.begin) / Self.day
        verdict.donations = taken.count
    }

    private func tell(isShort: Bool) throws {
        var key: [String]?
        while key == nil { key = try order("donor") }
        try registerOther(key?.last)
        try idle(4)
        try publish()
        try idle(4)
        try agree()
        let wishes: [DonationState] = [.asked, .sent, .frozen, .ready, .paused, .taken, .waiting]
        for _ in 0..<(isShort ? 1 : 2) {
            let wish = isShort ? nil : wishes.randomElement(using: &random)
            if try !live(isShort ? 14 : 22, until: wish) { try withdraw() }
            try idle(6)
            if !isShort, chance(0.5) { try moveServer() }
            try agree()
            if isShort { break }
            _ = try live(16, until: nil)
            try moveServer()
            try idle(3)
            try agree()
        }
        try calm()
        // Days that were asked for before are not asked for again, so this takes three weeks at most.
        _ = try live(30, until: nil, orTaken: true)
        guard taken.contains(where: { $0.value.on >= today - 1 }) else { throw found("no donation is taken any more") }
        try compare(try look(), nil)
        try compareServer()
        guard try askIssuer("alarms") == ["alarms", "0"] else { throw found("the issuer takes the board for two") }
    }

    /// Time goes by, and the plugin asks in vain.
    private func idle(_ rounds: Int) throws {
        for _ in 0..<rounds {
            if let step = try order("step"), try !isCover(step), step[0] != "wait", !hasConsent || isForOthers {
                throw found("something is carried without a consent")
            }
            try pass(.random(in: 60...7_200, using: &random))
        }
    }

    /// The authority names another donation server.
    private func moveServer() throws {
        origin = origin == "donation.example" ? "other.example" : "donation.example"
        try publish()
    }

    private func agree() throws {
        while try order("agree", as: .agree) == nil {}
        if !hasConsent || isForOthers { (hasConsent, consentOrigin, given) = (true, origin, given + 1) }
        try compare(try look(), nil)
    }

    func withdraw() throws {
        guard hasConsent else { return }
        try compare(try look(), nil)
        try DonationFiles.copy(trial.board, to: trial.before)
        while try order("withdraw", as: .withdraw) == nil {}
        if hasConsent { (hasConsent, withdrawn) = (false, withdrawn + 1) }
        let look = try look()
        try compare(look, nil)
        guard look.book?.isCoverOnly == true, look.body == nil else { throw found("something is left after a withdrawal") }
        if try DonorLook.opens(trial.before, with: look.keys, scratch: trial.scratch) {
            throw found("what was there before a withdrawal can be opened with the key of now")
        }
    }

    // MARK: The judge

    func look() throws -> DonorLook {
        let look = try DonorLook(trial.board, scratch: trial.look)
        secrets.formUnion(look.secrets)
        return look
    }

    /// What the board holds is what it was told; what it did not answer may be there or not.
    func compare(_ look: DonorLook, _ open: Open?) throws {
        if open == .agree, look.given == given + 1 { (hasConsent, consentOrigin, given) = (true, origin, given + 1) }
        if open == .withdraw, look.withdrawn == withdrawn + 1 { (hasConsent, withdrawn) = (false, withdrawn + 1) }
        guard let book = look.book else { throw found("the book is damaged") }
        guard look.given == given, look.withdrawn == withdrawn else {
            throw found(
                "the log has \(look.given) consents and \(look.withdrawn) withdrawals; \(given) and \(withdrawn) were made")
        }
        guard (book.consent != nil) == hasConsent else {
            throw found(hasConsent ? "a consent is lost" : "a consent is there that nobody gave")
        }
        guard book.consent.map({ $0.server == consentOrigin }) ?? true else { throw found("the consent is for others") }
        guard look.isLogWhole else { throw found("the wearer's log is broken") }
        guard (look.body != nil) == (book.frozenDay != nil) || fault != nil else {
            throw found("a frozen donation without its content, or the reverse")
        }
        // All that was ever there is looked for after a withdrawal; it takes time.
        try searchClear(open == nil ? secrets : Set(look.secrets))
    }

    private func searchClear(_ secrets: Set<[UInt8]>) throws {
        if let name = try DonorLook.clearText(trial.board, secrets) { throw found("\(name) tells a secret in clear") }
    }

    /// The server has each donation that it said it has, and none twice.
    func compareServer() throws {
        var stored: [[UInt8]: Int] = [:]
        try DonationStore(path: "\(trial.server)/server.db").forEachDonation { stored[$1, default: 0] += 1 }
        for (content, count) in stored {
            let days = contents.values.count { $0.contains(content) }
            guard count <= days else { throw found("\(count) donations are stored of \(days) days") }
        }
        // A day less than the server keeps them for.
        let kept = taken.values.filter { $0.on > today - DonationStore.donationDays + 1 }
        for (content, all) in Dictionary(grouping: kept, by: \.content) {
            guard stored[content, default: 0] >= all.count else { throw found("a donation that was taken is not stored") }
        }
    }
}
