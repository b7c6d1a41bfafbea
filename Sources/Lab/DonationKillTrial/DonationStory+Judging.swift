// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import DonationService
import Interfaces
import SelfCheck

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
        verdict.logs = log.taken.count
        (verdict.digests, verdict.redeemed) = (survey.taken.count, survey.redeemed.count)
    }

    private func tell(isShort: Bool) throws {
        var key: [String]?
        while key == nil { key = try order("donor") }
        try registerOther(key?.last)
        try idle(4)
        try publish()
        try idle(4)
        if fault?.isOfSurveys == true {
            _ = try live(90, until: nil)
            return
        }
        try agree()
        try agreeLog()
        let wishes: [DonationState] = [.asked, .sent, .frozen, .ready, .paused, .taken, .waiting]
        let logWishes: [DonationState] = [.logAsked, .logSent, .logReleased, .logNoted, .logTaken, .logsAlone]
        for _ in 0..<(isShort ? 1 : 2) {
            let wish = isShort ? nil : wishes.randomElement(using: &random)
            if try !live(isShort ? 14 : 18, until: wish) { try withdraw() }
            try idle(3)
            if !isShort, chance(0.5) {
                try moveServer()
                try agreeLog()
            }
            // Logs alone; or donations again at once, when days that were asked for are still to come: only then is it noticed that they were forgotten.
            if fault != .askedForgotten, chance(0.5),
                try !live(isShort ? 2 : 14, until: isShort ? nil : logWishes.randomElement(using: &random))
            {
                try withdrawLog()
            }
            try idle(6)
            if chance(0.5) { try agreeLog() }
            try agree()
            if isShort { break }
            _ = try live(10, until: nil)
            try moveServer()
            try idle(3)
            try agree()
            try agreeLog()
        }
        try agreeLog()
        // The way of a password takes weeks.
        if !isShort { _ = try live(45, until: nil) }
        try calm()
        // Days that were asked for before are not asked for again, so this takes three weeks at most.
        _ = try live(30, until: nil, orTaken: true)
        guard taken.contains(where: { $0.value.on >= today - 1 }) else { throw found("no donation is taken any more") }
        try compare(try look(), nil)
        try compareServer()
        if survey.hasConsent { try withdrawSurvey() }
        guard try askIssuer("alarms") == ["alarms", "0"] else { throw found("the issuer takes the board for two") }
    }

    /// Time goes by, and the plugin asks in vain.
    private func idle(_ rounds: Int) throws {
        for _ in 0..<rounds {
            if let step = try order("step"), try !isCover(step) { _ = try carry(step, nil) }
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
        if !hasConsent || isForOthers { given() }
        try compare(try look(), nil)
    }

    private func given() {
        (hasConsent, consentOrigin) = (true, origin)
        donations.given += 1
    }

    private func takenBack() {
        hasConsent = false
        donations.withdrawn += 1
    }

    private func agreeLog() throws {
        while try order("agree-log", as: .agreeLog) == nil {}
        if !log.hasConsent || isLogForOthers { log.given(by: origin) }
        try compare(try look(), nil)
    }

    /// The wearer reads the log, and lets it go if there is a line.
    func readLog() throws {
        _ = try order("trouble", chance(0.5) ? "on" : "off")
        guard let read = try order("log"), read.count == 3, read[1] != "-", read[2] == "-" else { return }
        log.offered = Set(
            read[1].split(separator: ",").compactMap { word in
                DeviceTrouble.allCases.first { Donation1.Trouble(rawValue: String(word))?.finding.rawValue == $0.rawValue }
            })
        // Whoever orders it sees to it that it is there.
        while log.released.isEmpty, try order("release", read[1], as: .release) == nil {}
        if log.released.isEmpty { log.letGo() }
    }

    func withdraw() throws {
        guard hasConsent else { return }
        try compare(try look(), nil)
        try DonationFiles.copy(trial.board, to: trial.before)
        while try order("withdraw", as: .withdraw) == nil {}
        if hasConsent { takenBack() }
        let look = try look()
        try compare(look, nil)
        // Logs and surveys are purposes of their own.
        var rest = look.book
        for purpose in MonthlyPurpose.allCases { rest?.withdraw(purpose) }
        guard rest?.isCoverOnly == true, look.body == nil else { throw found("something is left after a withdrawal") }
        try searchBefore(look)
    }

    func withdrawLog() throws {
        guard log.hasConsent else { return }
        try compare(try look(), nil)
        try DonationFiles.copy(trial.board, to: trial.before)
        while try order("withdraw-log", as: .withdrawLog) == nil {}
        if log.hasConsent { log.takenBack() }
        let look = try look()
        try compare(look, nil)
        // So are donations and surveys.
        var rest = look.book
        rest?.withdraw()
        rest?.withdraw(.survey)
        guard rest?.isCoverOnly == true else { throw found("something is left after a withdrawal from logs") }
        try searchBefore(look)
    }

    func searchBefore(_ look: DonorLook) throws {
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
        guard let book = look.book else { throw found("the book is damaged") }
        switch open {
        case .agree? where look.donations.given == donations.given + 1: given()
        case .withdraw? where look.donations.withdrawn == donations.withdrawn + 1: takenBack()
        case .agreeLog? where look.logs.given == log.entries.given + 1: log.given(by: origin)
        case .withdrawLog? where look.logs.withdrawn == log.entries.withdrawn + 1: log.takenBack()
        case .agreeSurvey? where look.surveys.given == survey.entries.given + 1: try surveyGiven()
        case .withdrawSurvey? where look.surveys.withdrawn == survey.entries.withdrawn + 1: survey.takenBack()
        case .release? where look.released == log.releaseCount + 1: log.letGo()
        case .end? where book[.log]?.isReleased == false: log.released = []
        default: break
        }
        for (what, has, made) in [
            ("donations", look.donations, donations), ("error logs", look.logs, log.entries),
            ("surveys", look.surveys, survey.entries),
        ] where has != made {
            throw found(
                "the wearer's log has \(has.given) consents to \(what) and \(has.withdrawn) withdrawals; \(made.given) and \(made.withdrawn) were made"
            )
        }
        try compareLog(look, book)
        try compareSurvey(book)
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

    private func compareLog(_ look: DonorLook, _ book: DonationBook) throws {
        guard look.released == log.releaseCount else {
            throw found("the wearer's log has \(look.released) error logs let go; \(log.releaseCount) were")
        }
        let kept = book[.log]
        guard (kept != nil) == log.hasConsent else {
            throw found(
                log.hasConsent ? "a consent to error logs is lost" : "a consent to error logs is there that nobody gave")
        }
        guard kept.map({ $0.consent.server == log.consentOrigin }) ?? true else {
            throw found("the consent to error logs is for others")
        }
        guard Set(kept?.releasedTroubles ?? []) == log.released else {
            throw found(
                log.released.isEmpty
                    ? "an error log is let go that nobody let go, or that was taken"
                    : "an error log that was let go is lost")
        }
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
        try compareServerLogs()
        try compareServerDigests()
    }

    /// The server has each error log that it said it has, and none twice.
    private func compareServerLogs() throws {
        var stored: [[UInt8]: Int] = [:]
        try DonationStore(path: "\(trial.server)/server.db").forEachLog {
            stored[TroubleReport.content($1), default: 0] += 1
        }
        for (content, count) in stored {
            let tokens = log.contents.values.count { $0.contains(content) }
            guard count <= tokens else { throw found("\(count) error logs are stored of \(tokens) tokens") }
        }
        let kept = log.taken.values.filter { $0.on > today - DonationStore.donationDays + 1 }
        for (content, all) in Dictionary(grouping: kept, by: \.content) {
            guard stored[content, default: 0] >= all.count else { throw found("an error log that was taken is not stored") }
        }
    }
}
