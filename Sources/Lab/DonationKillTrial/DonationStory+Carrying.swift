// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import Donation
import KeyExport
import PrivacyPass

/// What goes between the board and the servers, carried as the plugin for donations does.
extension DonationStory {
    /// The authority publishes a new document, with the keys that the issuer has now; the donation server has it before the board.
    func publish() throws {
        var entries: [String]?
        while entries == nil { entries = try askIssuer("keys", "\(time)") }
        var keys: [MonthlyPurpose?: [DonationTerms.Key]] = [:]
        for entry in (entries ?? []).dropFirst() {
            let parts = entry.split(separator: ":").map(String.init)
            let key = DonationTerms.Key(
                day: UTCDay(number: Int64(parts[0]) ?? 0), key: try TokenKey(decoding: Base64.bytes(parts[2]) ?? []))
            keys[MonthlyPurpose(rawValue: parts[1]), default: []].append(key)
        }
        if survey.number == 0 { keys[.survey] = nil }
        func names(_ purpose: MonthlyPurpose) -> [UInt8: Int64] {
            Dictionary(uniqueKeysWithValues: (keys[purpose] ?? []).map { ($0.key.truncatedID, $0.day.number) })
        }
        (log.monthNames, survey.monthNames) = (names(.log), names(.survey))
        for month in keys[.log] ?? [] { log.monthKeys[month.key.id] = month.day.number }
        for month in keys[.survey] ?? [] { survey.monthKeys[month.key.id] = month.day.number }
        version += 1
        let terms = DonationTerms(
            version: version, issuerName: "issuer.example", issuerAddress: "https://issuer.example", origin: origin,
            serverAddress: "https://\(origin)", epsilon: 4, keys: keys[nil] ?? [],
            monthlyKeys: Dictionary(
                uniqueKeysWithValues: MonthlyPurpose.allCases.compactMap { purpose in keys[purpose].map { (purpose, $0) } }),
            responsible: offer?.responsible.map { [.survey: $0] } ?? [:], survey: offer?.survey)
        guard let document = terms?.encoded else { throw KilledDonationsFailure("no terms") }
        try DonationFiles.write(document, "\(trial.server)/terms.json")
        let signatures = try ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "",
            signatureInfos: [ExportEncoder.signatureInfo(for: KilledBoard.name)]
        ).exportSig(for: document, keys: [trial.signer])
        while try order("terms", Base64.string(document), Base64.string(signatures), as: .terms) == nil {}
        termsDay = today
    }

    /// Lives until `days` are over, or until a state is there in which the wearer wants the consent back, which happens then. Returns whether it did.
    func live(_ days: Int64, until wish: DonationState?, orTaken isEnough: Bool = false) throws -> Bool {
        let end = time + days * Self.day
        let taken = taken.count
        while time < end {
            if isEnough, self.taken.count > taken { return false }
            if today > metDay, try order("meet", "\(version * 1_000 + today)") != nil { metDay = today }
            if today > termsDay + 1 {
                try registerOther()
                try publish()
            }
            if today > survey.turnDay {
                survey.turnDay = today
                try surveyTurn()
            }
            if let wish = survey.wish, survey.hasConsent, present.contains(wish) { try withdrawSurvey() }
            if log.hasConsent, log.released.isEmpty, today > log.readDay {
                log.readDay = today
                if chance(0.6) { try readLog() }
            }
            if let wish, present.contains(wish), wish.isOfLogs ? log.hasConsent : hasConsent {
                try wish.isOfLogs ? withdrawLog() : withdraw()
                return true
            }
            guard let step = try order("step"), try !isCover(step) else { continue }
            if step[0] == "wait" {
                let wait = min(Int64(step.last ?? "") ?? 60, .random(in: 3_600...28_800, using: &random))
                try pass(min(wait, end - time))
            } else if try carry(step, wish) {
                return true
            }
        }
        return false
    }

    /// Carries a step that is no cover; returns whether the wearer has taken a consent back meanwhile.
    func carry(_ step: [String], _ wish: DonationState?) throws -> Bool {
        switch step[0] {
        case "request" where step.count == 3: try request(Int64(step[1]) ?? 0, step[2], wish)
        case "donate" where step.count == 5 && step[4] == MonthlyPurpose.log.rawValue:
            try sendLog(Int64(step[1]) ?? 0, step[2], step[3], wish)
        case "donate" where step.count == 5 && step[4] == MonthlyPurpose.survey.rawValue:
            try sendDigest(Int64(step[1]) ?? 0, step[2], step[3])
        case "donate" where step.count == 5: try donate(Int64(step[1]) ?? 0, step[2], step[3], wish)
        default: false
        }
    }

    /// Another board of the fleet is seen, so that there are two.
    func registerOther(_ key: String? = nil) throws {
        _ = try key.map { try askIssuer("register", "\(time)", $0) } ?? askIssuer("register", "\(time)")
    }

    // MARK: Cover

    /// Carries a step if it is cover; returns whether it is.
    func isCover(_ step: [String]) throws -> Bool {
        switch step[0] {
        case "request" where DonationCover.truncatedKeyID(ofRequest: Base64.bytes(step[2]) ?? []) != nil:
            var field = "-"
            for _ in 0..<2 {
                guard let answer = try askIssuer("ask", "\(time)", step[2], field) else { return true }
                if answer[0] == "signed" {
                    _ = try order("token", step[1], answer[2])
                    return true
                }
                guard answer[3] == "401" else { break }
                guard let evidence = try order("evidence", step[1], answer[1]), evidence.count == 2 else { return true }
                field = evidence[1]
            }
            _ = try order("refusal", step[1], "unreachable")
            return true
        case "donate"
        where DonationCover.isAuthorization(String(decoding: Base64.bytes(step[3]) ?? [], as: UTF8.self)):
            let answer = try askServer("give", "\(time)", step[2], step[3], step[4])
            _ = try order("end", step[1], answer?[0] == "taken" ? "taken" : "unknown")
            return true
        default: return false
        }
    }

    // MARK: Requests

    private func request(_ day: Int64, _ body: String, _ wish: DonationState?) throws -> Bool {
        let request = try TokenRequest(decoding: Base64.bytes(body) ?? [])
        let message = request.blindedMessage
        if let month = log.monthNames[request.truncatedKeyID] {
            guard log.hasConsent, !isLogForOthers else { throw found("a month's token is asked for without a consent") }
            log.messages[month, default: []].insert(message)
            guard log.messages[month]?.count == 1 else {
                throw found("two blinded messages for the key of one month left the board")
            }
            carrying = .logAsked
        } else if let month = survey.monthNames[request.truncatedKeyID] {
            guard survey.hasConsent, !isSurveyForOthers else {
                throw found("a survey's token is asked for without a consent")
            }
            survey.messages[month, default: []].insert(message)
            guard survey.messages[month]?.count == 1 else {
                throw found("two blinded messages for the key of one month of surveys left the board")
            }
            carrying = .surveyAsked
        } else {
            guard hasConsent, !isForOthers else { throw found("a token is asked for without a consent") }
            messages[day, default: []].insert(message)
            guard messages[day]?.count == 1 else {
                throw found("two blinded messages for the key of one day left the board")
            }
            carrying = .asked
        }
        defer { carrying = nil }
        if wish == .logAsked, carrying == .logAsked, chance(0.5) {
            try withdrawLog()
            // To the board it is cover by now.
            _ = try order("token", "\(day)", Base64.string(message))
            guard try look().book?[.log] == nil else { throw found("a month's token was taken after a withdrawal") }
            return true
        }
        if wish == .asked, carrying == .asked, chance(0.5) {
            try withdraw()
            if let late = try order("token", "\(day)", Base64.string(message)), late != ["none"] {
                throw found("a token was taken after a withdrawal")
            }
            return true
        }
        if survey.wish == .surveyAsked, carrying == .surveyAsked, chance(0.5) {
            try withdrawSurvey()
            _ = try order("token", "\(day)", Base64.string(message))
            guard try look().book?[.survey] == nil else { throw found("a survey's token was taken after a withdrawal") }
            return false
        }
        var nonce = nextNonce
        nextNonce = nil
        for round in 0..<3 {
            var field = "-"
            if let nonce {
                guard let evidence = try order("evidence", "\(day)", nonce), evidence.count == 2 else { return false }
                field = evidence[1]
            }
            // Lost on the way there, and on the way back.
            let answer = isTroubled && chance(0.05) ? nil : try askIssuer("ask", "\(time)", body, field)
            guard let answer, !(isTroubled && chance(0.05)) else {
                _ = try order("refusal", "\(day)", "unreachable")
                return false
            }
            nextNonce = answer[1]
            if answer[0] == "signed" {
                _ = try order("token", "\(day)", answer[2])
                return false
            }
            switch answer[3] {
            case "401" where round < 2: nonce = answer[1]
            case "422": _ = try order("refusal", "\(day)", "notThisDay")
            case "429": throw found("the issuer was asked for two blinded messages of one key")
            default: _ = try order("refusal", "\(day)", "unreachable")
            }
            if answer[3] != "401" { return false }
        }
        return false
    }

    // MARK: Donations

    private func donate(_ day: Int64, _ body: String, _ field: String, _ wish: DonationState?) throws -> Bool {
        guard let content = DonationBody.content(of: Base64.bytes(body) ?? []),
            let token = PrivateTokenScheme.token(
                inAuthorization: String(decoding: Base64.bytes(field) ?? [], as: UTF8.self))
        else { throw found("what left the board is no donation") }
        guard hasConsent, !isForOthers else { throw found("a donation is sent without a consent") }
        contents[day, default: []].insert(content)
        nonces[day, default: []].insert(token.nonce)
        secrets.formUnion([token.bytes, token.nonce, Array(Base64.string(token.bytes).utf8)])
        if content.count >= 24 { secrets.insert(content) }
        guard contents[day]?.count == 1, nonces[day]?.count == 1 else {
            throw found("two contents or two tokens of one day left the board")
        }
        carrying = .sent
        defer { carrying = nil }
        if wish == .sent {
            try withdraw()
            // It is cover now.
            _ = try order("end", "\(day)", "taken")
            return true
        }
        let answer = isTroubled && chance(0.15) ? nil : try askServer("give", "\(time)", body, field, "-")
        if answer?[0] == "taken" { taken[day] = (content, today) }
        guard let answer, !(isTroubled && chance(0.15)) else {
            _ = try order("end", "\(day)", "unknown")
            return false
        }
        if answer[0] == "taken" {
            _ = try order("end", "\(day)", "taken")
            return false
        }
        // The server may have the document of other servers before the board does.
        guard answer.last == "401" else { throw found("the server says \(answer.dropFirst().joined(separator: " "))") }
        _ = try order("end", "\(day)", "refused")
        return false
    }

    // MARK: Error logs

    private func sendLog(_ day: Int64, _ body: String, _ field: String, _ wish: DonationState?) throws -> Bool {
        guard let troubles = TroubleReport.troubles(ofBody: Base64.bytes(body) ?? []),
            let token = PrivateTokenScheme.token(
                inAuthorization: String(decoding: Base64.bytes(field) ?? [], as: UTF8.self)),
            let month = log.monthKeys[token.keyID]
        else { throw found("what left the board is no error log") }
        guard log.hasConsent, !isLogForOthers else { throw found("an error log is sent without a consent") }
        let content = TroubleReport.content(troubles)
        log.contents[token.nonce, default: []].insert(content)
        log.nonces[month, default: []].insert(token.nonce)
        secrets.formUnion([token.bytes, token.nonce, Array(Base64.string(token.bytes).utf8)])
        guard log.contents[token.nonce]?.count == 1 else { throw found("two contents of a log's token left the board") }
        guard log.nonces[month]?.count == 1 else { throw found("error logs with two tokens of one month left the board") }
        guard Set(troubles) == log.released else { throw found("an error log left the board that nobody let go") }
        carrying = .logSent
        defer { carrying = nil }
        if wish == .logSent {
            try withdrawLog()
            // It is cover now.
            _ = try order("end", "\(day)", "taken", as: .end)
            return true
        }
        let answer =
            isTroubled && chance(0.15) ? nil : try askServer("give", "\(time)", body, field, MonthlyPurpose.log.rawValue)
        if answer?[0] == "taken" { log.taken[token.nonce] = (content, today) }
        guard let answer, !(isTroubled && chance(0.15)) else {
            _ = try order("end", "\(day)", "unknown")
            return false
        }
        // The server may have the document of other servers before the board does.
        guard answer[0] == "taken" || answer.last == "401" else {
            throw found("the server says \(answer.dropFirst().joined(separator: " ")) to an error log")
        }
        // After a cut nothing is known of it here: what nobody said is asked again by the board.
        if try order("end", "\(day)", answer[0] == "taken" ? "taken" : "refused", as: .end) != nil { log.released = [] }
        return false
    }
}
