// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import HTTPService
import Synchronization
import WebSafety

extension PortalHTTP {
    /// The session of a request, and its cookie.
    func session(_ request: HTTPRequest) throws(PortalError) -> (session: PortalSession, cookie: String)? {
        guard let cookie = cookies.value(.session, in: request.headers["cookie"]), PortalCookies.isRandom(cookie),
            let session = try store.session(PortalCookies.code(cookie), rules: settings.rules, now: now())
        else { return nil }
        return (session, cookie)
    }

    /// One of two pages.
    func start(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        guard let (session, cookie) = try session(request) else { return try signInPage(request) }
        return Self.answer(200, try page(request, cookie).issue(session, notice: nil))
    }

    func page(_ request: HTTPRequest, _ cookie: String) throws(PortalError) -> PortalPage {
        PortalPage(
            language: language(request), formToken: try cookies.formToken(cookie), hasWarnings: warnings != nil,
            slots: settings.slots)
    }

    /// The page for signing in, bound to the browser's visit, which begins if there is none.
    func signInPage(
        _ request: HTTPRequest, status: UInt32 = 200, notice: PortalPage.Notice? = nil, name: String = "",
        headers: [(String, String)] = []
    ) throws(PortalError) -> HTTPResponse {
        let known = cookies.value(.visit, in: request.headers["cookie"]).flatMap { PortalCookies.isRandom($0) ? $0 : nil }
        let visit = known ?? PortalCookies.random(&generator)
        let new = known == nil ? [cookies.header(.visit, visit, seconds: nil)] : []
        return Self.answer(status, try page(request, visit).signIn(notice, name: name), headers + new)
    }

    /// A form without the token of its page: from elsewhere, or older than its cookie.
    func refuseForm(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        counters.count { $0.refused["formToken", default: 0] += 1 }
        let text = language(request)(
            "Diese Seite war nicht mehr gültig. Bitte noch einmal.", "This page was not valid any more. Please try again.")
        guard let (session, cookie) = try session(request) else {
            return try signInPage(request, status: 403, notice: .init(text: text, isFault: true))
        }
        return Self.answer(403, try page(request, cookie).issue(session, notice: .init(text: text, isFault: true)))
    }

    private static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// Name and password. What was wrong is not said, and takes as long as what was right. Who has to wait is told at once: nothing was looked up,
    /// and an answer that is held back holds its connection, of which there are only so many.
    ///
    /// Passwords are hashed one after the other beside the portal's own thread, so nobody's pages wait for them; those of browsers that were let in before come
    /// first, a few of each user.
    func signIn(_ request: HTTPRequest) throws(PortalError) -> HTTPOutcome {
        let start = Self.milliseconds()
        let visit = cookies.value(.visit, in: request.headers["cookie"]) ?? ""
        guard let fields = FormFields(request.body), PortalCookies.isRandom(visit),
            try cookies.isFormToken(fields.text("form"), visit)
        else { return .answer(try refuseForm(request)) }
        let typed = fields.text("name") ?? ""
        // Names that nobody can have share one count.
        let name = PortalUser.normalized(typed) ?? ""
        let (number, compared) = try knownBrowser(request, user: name)
        let party =
            number.map { SignInThrottle.Party.browser(user: name, number: $0) }
            ?? .stranger(user: name, source: PortalSource.text(request.headers[PortalSource.header]))
        let wait = throttle.wait(party, now: now())
        let shown = String(typed.prefix(64))
        guard wait == 0 else {
            counters.count { $0.signIns["slowed", default: 0] += 1 }
            try noteSlowed()
            let text = language(request)(
                "Zu viele Versuche. Bitte \(wait) Sekunden warten, dann noch einmal.",
                "Too many tries. Please wait \(wait) seconds, then try again.")
            return .answer(
                try signInPage(
                    request, status: 429, notice: .init(text: text, isFault: true), name: shown,
                    headers: [("Retry-After", "\(wait)")]))
        }
        let password = SecretBytes(copying: fields.bytes("password") ?? [])
        var known = compared
        if known == nil { known = try store.password(of: name) }
        // From here on nothing fails before the finish, which says what came of it.
        let isUrgent = throttle.begin(party, now: now())
        let hash = known ?? .nobody(iterations: settings.iterations)
        let verdict = Mutex<Result<Bool, PortalError>?>(nil)
        let judged = Judged(party: party, name: name, password: known, shown: shown, number: number)
        return .calculation(
            HTTPCalculation(isUrgent: isUrgent) {
                let result = Result { () throws(PortalError) in try hash.fits(password) }
                verdict.withLock { $0 = result }
            } finish: { [self] _ in
                var answer = answering(request) { () throws(PortalError) in
                    try signInAnswer(request, judged, verdict.withLock { $0 })
                }
                answer.delayMilliseconds = max(0, settings.signInMilliseconds - (Self.milliseconds() - start))
                return answer
            })
    }

    /// A try under way.
    struct Judged {
        let party: SignInThrottle.Party
        let name: String
        /// What the password is compared with; `nil` where there is no such user.
        let password: PasswordHash?
        /// What was typed, for the page.
        let shown: String
        /// Of a browser that was let in before.
        let number: Int?
    }

    /// The number of a browser that this user signed in from with the password of today, and that password's hash. Without a cookie nothing is looked up.
    private func knownBrowser(
        _ request: HTTPRequest, user: String
    ) throws(PortalError) -> (number: Int?, password: PasswordHash?) {
        let proof = cookies.value(.browser, in: request.headers["cookie"])
        guard PortalCookies.isBrowserProof(proof) else { return (nil, nil) }
        let password = try store.password(of: user)
        // Computed for names that nobody has, too, so that they take as long.
        let number = try cookies.browserNumber(
            proof, user: user, password ?? .nobody(iterations: settings.iterations), now: now())
        return (password == nil ? nil : number, password)
    }

    /// `verdict` is `nil` when nobody looked at the password, because the portal stops. That, and a password that could not be compared, is no wrong try.
    private func signInAnswer(
        _ request: HTTPRequest, _ judged: Judged, _ verdict: Result<Bool, PortalError>?
    ) throws(PortalError) -> HTTPResponse {
        let cookie = PortalCookies.random(&generator)
        let isIn: Bool
        do throws(PortalError) {
            guard let verdict else { throw PortalError(.stopping) }
            // Never the cookie that was there before: whoever planted one must not get a session.
            if try verdict.get(), let password = judged.password {
                isIn = try store.begin(
                    PortalCookies.code(cookie), user: judged.name, comparedWith: password,
                    insteadOf: try session(request)?.session, now: now())
            } else {
                isIn = false
            }
        } catch {
            throttle.withdrawn(judged.party)
            throw error
        }
        guard isIn, let password = judged.password else {
            throttle.failed(judged.party, now: now())
            try store.note(.signInFailed, user: judged.password == nil ? "" : judged.name, now: now())
            counters.count { $0.signIns["failed", default: 0] += 1 }
            let text = language(request)(
                "Name oder Passwort stimmt nicht. Bitte prüfen und noch einmal.",
                "Name or password is wrong. Check them and try again.")
            return try signInPage(request, status: 403, notice: .init(text: text, isFault: true), name: judged.shown)
        }
        throttle.succeeded(judged.party)
        counters.count { $0.signIns["done", default: 0] += 1 }
        let life = settings.rules.knownBrowserSeconds
        let proof = try cookies.browser(
            judged.name, password, number: judged.number ?? .random(in: PortalCookies.browserNumbers, using: &generator),
            expiry: now() + life)
        return Self.redirect([
            cookies.header(.session, cookie, seconds: nil), cookies.header(.browser, proof, seconds: life),
            cookies.header(.visit, "", seconds: 0),
        ])
    }

    /// Once a minute: what is slowed down must not fill the disk.
    private func noteSlowed() throws(PortalError) {
        guard now() - slowedNoted >= 60 else { return }
        slowedNoted = now()
        try store.note(.signInSlowed, user: "", now: now())
    }

    func signOut(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        guard let (session, cookie) = try session(request) else { return Self.redirect([]) }
        guard let fields = FormFields(request.body), try cookies.isFormToken(fields.text("form"), cookie) else {
            return try refuseForm(request)
        }
        try store.end(session, now: now())
        return Self.redirect([cookies.header(.session, "", seconds: 0)])
    }
}
