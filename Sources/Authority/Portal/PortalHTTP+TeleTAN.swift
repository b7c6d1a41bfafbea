// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Verification
import WebSafety

extension PortalHTTP {
    /// Issues one teleTAN and shows it, once.
    func teleTAN(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        let language = language(request)
        guard let (session, cookie) = try session(request) else {
            let text = language(
                "Sie waren abgemeldet. Bitte wieder anmelden.", "You were signed out. Please sign in again.")
            return try signInPage(request, status: 403, notice: .init(text: text, isFault: true))
        }
        guard let fields = FormFields(request.body), try cookies.isFormToken(fields.text("form"), cookie) else {
            return try refuseForm(request)
        }
        let user = session.user
        guard let kind = fields.text("kind").flatMap(WarningType.init), user.role.kinds.contains(kind) else {
            return try shown(
                request, cookie, 403,
                language("Diese Art von teleTAN dürfen Sie nicht ausstellen.", "You may not issue this kind of teleTAN."))
        }
        guard fields.text("number") == "\(session.form)", try store.takeForm(session) else {
            return try shown(
                request, cookie, 409,
                language(
                    "Dieses Formular war schon abgeschickt. Für eine neue teleTAN bitte den Knopf drücken.",
                    "This form was sent already. For a new teleTAN press the button."))
        }
        let issued = try store.count(.teleTANIssued, user: user.name, after: now() - 3_600)
        do throws(PortalError) {
            guard issued < settings.rules.teleTANLimit else { throw PortalError(.limitReached) }
            try store.note(.teleTANRequested, user: user.name, detail: kind.rawValue, now: now())
            let teleTAN = try source.teleTAN(kind, now: now())
            try store.note(.teleTANIssued, user: user.name, detail: kind.rawValue, now: now())
            counters.count { $0.teleTANs[kind.rawValue, default: 0] += 1 }
            return try shown(request, cookie, 200, nil, teleTAN: teleTAN)
        } catch  where error.code == .limitReached {
            try store.note(.limitHit, user: user.name, detail: kind.rawValue, now: now())
            counters.count { $0.refused[error.code.rawValue, default: 0] += 1 }
            return try shown(
                request, cookie, 429,
                language(
                    "In dieser Stunde wurden so viele teleTANs ausgestellt, wie erlaubt sind. Bitte später noch einmal.",
                    "As many teleTANs were issued this hour as are permitted. Please try again later."))
        } catch  where error.code == .sourceFailed {
            log("portal: \(error)")
            try store.note(.teleTANRefused, user: user.name, detail: error.code.rawValue, now: now())
            counters.count { $0.refused[error.code.rawValue, default: 0] += 1 }
            return try shown(
                request, cookie, 502,
                language(
                    "Es kam keine teleTAN. Bitte gleich noch einmal; wenn es so bleibt, die Technik anrufen.",
                    "No teleTAN came. Try again in a moment; if it stays so, call whoever runs the portal."))
        }
    }

    /// The page with the next form.
    private func shown(
        _ request: HTTPRequest, _ cookie: String, _ status: UInt32, _ fault: String?,
        teleTAN: IssuedTeleTAN? = nil
    ) throws(PortalError) -> HTTPResponse {
        guard let (session, _) = try session(request) else { return try signInPage(request) }
        let notice = fault.map { PortalPage.Notice(text: $0, isFault: true) }
        return Self.answer(status, try page(request, cookie).issue(session, notice: notice, teleTAN: teleTAN))
    }
}
