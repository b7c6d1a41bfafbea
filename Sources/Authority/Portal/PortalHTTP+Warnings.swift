// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Verification
import WebSafety

/// Taking warnings back: one officer proposes, another one confirms.
extension PortalHTTP {
    private struct IncomingRequest {
        let warnings: PortalWarnings
        let session: PortalSession
        let cookie: String
    }

    /// Who asks, if they may; otherwise what they are answered.
    private func incoming(
        _ request: HTTPRequest
    ) throws(PortalError) -> (incoming: IncomingRequest?, refusal: HTTPResponse?) {
        guard let (session, cookie) = try session(request) else {
            let text = language(request)(
                "Sie waren abgemeldet. Bitte wieder anmelden.", "You were signed out. Please sign in again.")
            return (nil, try signInPage(request, status: 403, notice: .init(text: text, isFault: true)))
        }
        guard let warnings, session.user.role.mayTakeBack else {
            let text = language(request)(
                "Warnungen dürfen Sie nicht zurücknehmen.", "You may not take warnings back.")
            return (
                nil, Self.answer(403, try page(request, cookie).issue(session, notice: .init(text: text, isFault: true)))
            )
        }
        return (IncomingRequest(warnings: warnings, session: session, cookie: cookie), nil)
    }

    func warningsPage(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        let (incoming, refusal) = try incoming(request)
        guard let incoming else { return refusal ?? Self.redirect([]) }
        return try shown(request, incoming, 200, nil)
    }

    private func shown(
        _ request: HTTPRequest, _ incoming: IncomingRequest, _ status: UInt32, _ notice: PortalPage.Notice?,
        code: String = "",
        reason: String = ""
    ) throws(PortalError) -> HTTPResponse {
        guard let (session, cookie) = try session(request) else { return try signInPage(request) }
        var notice = notice
        var proposals: [WarningProposal] = []
        do throws(WarningRefusal) { proposals = try incoming.warnings.desk.proposals(now: now()) } catch {
            log("portal: warnings: \(error.code.rawValue) \(error.detail)")
            notice = notice ?? .init(text: language(request).sentence(.failed), isFault: true)
        }
        return Self.answer(
            status,
            try page(request, cookie).warnings(
                session, proposals, incoming.warnings.desk.changes, notice: notice, code: code, reason: reason, now: now()))
    }

    /// The fields of a form that was sent from a page of this session, once.
    private func fields(
        _ request: HTTPRequest, _ incoming: IncomingRequest
    ) throws(PortalError) -> (FormFields?, HTTPResponse?) {
        guard let fields = FormFields(request.body), try cookies.isFormToken(fields.text("form"), incoming.cookie) else {
            return (nil, try refuseForm(request))
        }
        guard fields.text("number") == "\(incoming.session.form)", try store.takeForm(incoming.session) else {
            let text = language(request)(
                "Dieses Formular war schon abgeschickt.", "This form was sent already.")
            return (nil, try shown(request, incoming, 409, .init(text: text, isFault: true)))
        }
        return (fields, nil)
    }

    private func refused(
        _ request: HTTPRequest, _ incoming: IncomingRequest, _ refusal: WarningRefusal, code: String = "",
        reason: String = ""
    ) throws(PortalError) -> HTTPResponse {
        if refusal.code == .failed { log("portal: warnings: \(refusal.detail)") }
        try store.note(.warningRefused, user: incoming.session.user.name, detail: refusal.code.rawValue, now: now())
        counters.count { $0.refused[refusal.code.rawValue, default: 0] += 1 }
        return try shown(
            request, incoming, refusal.code == .failed ? 502 : 409,
            .init(text: language(request).sentence(refusal.code), isFault: true), code: code, reason: reason)
    }

    /// Finds the warning of a code and proposes that it is taken back, or that its report type changes.
    func propose(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        let (incoming, refusal) = try incoming(request)
        guard let incoming else { return refusal ?? Self.redirect([]) }
        let (fields, answer) = try fields(request, incoming)
        guard let fields else { return answer ?? Self.redirect([]) }
        let user = incoming.session.user.name
        let reason = fields.text("reason") ?? ""
        guard try store.count(.warningAsked, user: user, after: now() - 3_600) < settings.rules.warningLimit else {
            try store.note(.limitHit, user: user, detail: PortalEvent.Kind.warningAsked.rawValue, now: now())
            let text = language(request)(
                "In dieser Stunde wurde so oft gesucht, wie erlaubt ist. Bitte später noch einmal.",
                "As many warnings were looked for this hour as are permitted. Please try again later.")
            return try shown(request, incoming, 429, .init(text: text, isFault: true))
        }
        // Before anything is looked for: whoever learns that somebody warned is on record.
        try store.note(.warningAsked, user: user, now: now())
        do throws(WarningRefusal) {
            let handles = try incoming.warnings.finder.handles(fields.text("code") ?? "")
            // An older page has no such field.
            let change = try fields.text("change").map { (text) throws(WarningRefusal) in
                guard let change = WarningChange(rawValue: text) else { throw WarningRefusal(.typesAreCodes) }
                return change
            }
            let proposal = try incoming.warnings.desk.propose(
                handles, change ?? .revoked, by: user, reason: reason, now: now())
            try? store.note(.warningProposed, user: user, detail: "\(proposal.number)", now: now())
        } catch { return try refused(request, incoming, error, reason: String(reason.prefix(200))) }
        let text = language(request)(
            "Vorgeschlagen. Jetzt muss eine andere Person bestätigen.", "Proposed. Now another person must confirm.")
        return try shown(request, incoming, 200, .init(text: text))
    }

    func decide(_ request: HTTPRequest, isConfirmed: Bool) throws(PortalError) -> HTTPResponse {
        let (incoming, refusal) = try incoming(request)
        guard let incoming else { return refusal ?? Self.redirect([]) }
        let (fields, answer) = try fields(request, incoming)
        guard let fields else { return answer ?? Self.redirect([]) }
        let user = incoming.session.user.name
        do throws(WarningRefusal) {
            guard let number = fields.text("proposal").flatMap({ Int64($0) }) else {
                throw WarningRefusal(.unknownProposal)
            }
            if isConfirmed {
                _ = try incoming.warnings.desk.confirm(number, by: user, now: now())
            } else {
                try incoming.warnings.desk.drop(number, by: user, now: now())
            }
            try? store.note(
                isConfirmed ? .warningConfirmed : .warningDropped, user: user, detail: "\(number)", now: now())
        } catch { return try refused(request, incoming, error) }
        let text =
            isConfirmed
            ? language(request)(
                "Bestätigt. Die Geräte erfahren es mit den nächsten Paketen, meist in ein bis zwei Stunden.",
                "Confirmed. Devices learn of it with the next packages, mostly within one or two hours.")
            : language(request)("Verworfen.", "Dropped.")
        return try shown(request, incoming, 200, .init(text: text))
    }
}
