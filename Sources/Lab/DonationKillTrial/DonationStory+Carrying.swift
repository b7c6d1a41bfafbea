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
        let keys = try (entries ?? []).dropFirst().map { entry in
            let parts = entry.split(separator: ":").map(String.init)
            return DonationTerms.Key(
                day: UTCDay(number: Int64(parts[0]) ?? 0), key: try TokenKey(decoding: Base64.bytes(parts[1]) ?? []))
        }
        version += 1
        let terms = DonationTerms(
            version: version, issuerName: "issuer.example", issuerAddress: "https://issuer.example", origin: origin,
            serverAddress: "https://\(origin)", epsilon: 4, keys: keys)
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
            if let wish, wish == state, hasConsent {
                try withdraw()
                return true
            }
            guard let step = try order("step"), try !isCover(step) else { continue }
            switch step[0] {
            case "request" where step.count == 3:
                if try request(Int64(step[1]) ?? 0, step[2], wish) { return true }
            case "donate" where step.count == 4:
                if try donate(Int64(step[1]) ?? 0, step[2], step[3], wish) { return true }
            default:
                let wait = min(Int64(step.last ?? "") ?? 60, .random(in: 3_600...28_800, using: &random))
                try pass(min(wait, end - time))
            }
        }
        return false
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
            let answer = try askServer("give", "\(time)", step[2], step[3])
            _ = try order("end", step[1], answer?[0] == "taken" ? "taken" : "unknown")
            return true
        default: return false
        }
    }

    // MARK: Requests

    private func request(_ day: Int64, _ body: String, _ wish: DonationState?) throws -> Bool {
        let message = try TokenRequest(decoding: Base64.bytes(body) ?? []).blindedMessage
        messages[day, default: []].insert(message)
        guard messages[day]?.count == 1 else { throw found("two blinded messages for the key of one day left the board") }
        carrying = .asked
        defer { carrying = nil }
        if wish == .asked, chance(0.5) {
            try withdraw()
            if let late = try order("token", "\(day)", Base64.string(message)), late != ["none"] {
                throw found("a token was taken after a withdrawal")
            }
            return true
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
        let answer = isTroubled && chance(0.15) ? nil : try askServer("give", "\(time)", body, field)
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
}
