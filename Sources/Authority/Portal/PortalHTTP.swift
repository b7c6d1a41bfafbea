// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import HTTPService
import Verification
import WebSafety

/// The pages of health officers: turns one request into one answer, without a socket of its own. The pages work without
/// scripts.
package final class PortalHTTP: HTTPHandler {
    /// The settings of a running portal.
    package struct Settings: Sendable {
        /// The rules that say how long a sign-in lasts and how much one user may do in an hour.
        package var rules = SessionRules()
        /// Whether cookies are sent over plain HTTP too; only for tests on the loopback. `false` unless set.
        package var isPlain = false
        /// The rounds of PBKDF2 that are computed for a name that does not exist. It must be the number that real passwords
        /// have, so that both take the same time.
        package var iterations = PasswordHash.iterations
        /// The shortest time in milliseconds from a sign-in attempt to its answer, once the attempt is judged, so that the
        /// answer's time does not show what was looked up.
        package var signInMilliseconds = 1_500.0

        /// The number of exchanges that each board of the fleet has in a day: 6, 12, 24, 48, 96 or 192, which is not
        /// checked.
        package var slots = standardSlots
        /// The number of exchanges in a day that `plugin.json` of the boards' diagnosis plugin has: 48.
        package static let standardSlots: Int64 = 48

        /// Creates settings with the defaults stated.
        package init() {}
    }

    enum Route: String {
        case start = "/"
        case style = "/style.css"
        case german = "/language/de"
        case english = "/language/en"
        case signIn = "/sign-in"
        case teleTAN = "/teletan"
        case signOut = "/sign-out"
        case warnings = "/warnings"
        case propose = "/warnings/propose"
        case confirm = "/warnings/confirm"
        case drop = "/warnings/drop"

        var method: String {
            switch self {
            case .signIn, .teleTAN, .signOut, .propose, .confirm, .drop: "POST"
            default: "GET"
            }
        }
    }

    /// Bytes of a form at most: 64 of a name and 256 of a password, three for each with percent signs.
    static let maximumBytes = 4_096

    let store: PortalStore
    let source: any TeleTANSource
    let warnings: PortalWarnings?
    let cookies: PortalCookies
    let settings: Settings
    let counters: PortalCounters
    let now: () -> Int64
    let log: (String) -> Void
    var generator: any RandomNumberGenerator
    var throttle = SignInThrottle()
    var slowedNoted: Int64 = 0

    /// `secret` makes form tokens and the proofs of browsers. `log` gets one line at a time, never with a name or a teleTAN in it.
    init(
        store: PortalStore, source: any TeleTANSource, warnings: PortalWarnings? = nil, secret: SecretBytes,
        settings: Settings, counters: PortalCounters,
        now: @escaping () -> Int64, generator: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        log: @escaping (String) -> Void
    ) {
        self.store = store
        self.source = source
        self.warnings = warnings
        self.settings = settings
        self.counters = counters
        self.now = now
        self.generator = generator
        self.log = log
        cookies = PortalCookies(secret: secret, isPlain: settings.isPlain)
    }

    // MARK: Requests

    /// Checks path, method and headers of a request. Returns the number of bytes that the body may have: 0 for a page,
    /// 4,096 for a form. Otherwise the failure is a page with status 400, 403, 404, 405, 413 or 415.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard let route = Route(rawValue: request.path) else { return .failure(refusal(request, 404)) }
        guard route.method == request.method || (route.method == "GET" && request.method == "HEAD") else {
            return .failure(refusal(request, 405, [("Allow", route.method == "GET" ? "GET, HEAD" : "POST")]))
        }
        guard route.method == "POST" else { return .success(0) }
        let type = request.headers["content-type"]?.split(separator: ";").first?.lowercased().filter { $0 != " " }
        guard type == "application/x-www-form-urlencoded" else { return .failure(refusal(request, 415)) }
        if let length = request.headers["content-length"] {
            guard let count = Int(length), count >= 0 else { return .failure(refusal(request, 400)) }
            guard count <= Self.maximumBytes else { return .failure(refusal(request, 413)) }
        }
        // Browsers say where a form stood (Fetch Metadata); ours stand here. The form's token is asked for in any case.
        guard isOurs(request) else { return .failure(refusal(request, 403)) }
        return .success(Self.maximumBytes)
    }

    /// Whether a form may be one of ours, by what browsers say of it. Ours name no referrer, so browsers call their origin `null` and say beside it that
    /// it is the same; those that call it by name mean the name they asked for.
    private func isOurs(_ request: HTTPRequest) -> Bool {
        let site = request.headers["sec-fetch-site"]
        if let site, site != "same-origin", site != "none" { return false }
        switch request.headers["origin"] {
        case nil: return true
        case "null": return site == "same-origin"
        case let origin?: return origin == (settings.isPlain ? "http://" : "https://") + (request.headers["host"] ?? "")
        }
    }

    /// Returns the page with status 413, for a form of more than 4,096 bytes.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { refusal(request, 413).response }

    /// Returns the answer to a request, and computes a password's hash on the calling thread if one is needed; for tests.
    /// See ``outcome(of:)``.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        switch outcome(of: request) {
        case .answer(let answer): return answer
        case .calculation(let calculation):
            calculation.calculate()
            return calculation.finish(true)
        }
    }

    /// Returns the answer to a request; for a sign-in that is judged, returns the calculation of the password's hash
    /// instead, which is to be run on another thread than the portal's. Never throws: a failure of the storage becomes the
    /// page with status 503 and a line in the log.
    package func outcome(of request: HTTPRequest) -> HTTPOutcome {
        guard Route(rawValue: request.path) == .signIn else {
            return .answer(answering(request) { () throws(PortalError) in try page(request) })
        }
        do throws(PortalError) { return try signIn(request) } catch { return .answer(unable(request, error)) }
    }

    /// What `body` says, or the page for trouble.
    func answering(_ request: HTTPRequest, _ body: () throws(PortalError) -> HTTPResponse) -> HTTPResponse {
        do throws(PortalError) { return try body() } catch { return unable(request, error) }
    }

    private func unable(_ request: HTTPRequest, _ error: PortalError) -> HTTPResponse {
        log("portal: \(error)")
        return refusal(request, 503).response
    }

    private func page(_ request: HTTPRequest) throws(PortalError) -> HTTPResponse {
        switch Route(rawValue: request.path) {
        case .start: return try start(request)
        case .style:
            return Self.answer(200, PortalStyle.text, type: "text/css; charset=utf-8")
        case .german, .english:
            let language = String(request.path.suffix(2))
            return Self.redirect([cookies.header(.language, language, seconds: 365 * UTCDay.seconds)])
        case .teleTAN: return try teleTAN(request)
        case .signOut: return try signOut(request)
        case .warnings: return try warningsPage(request)
        case .propose: return try propose(request)
        case .confirm: return try decide(request, isConfirmed: true)
        case .drop: return try decide(request, isConfirmed: false)
        case .signIn, nil: return refusal(request, 404).response
        }
    }

    // MARK: Answers

    /// Every answer has these.
    static let protection = SafetyHeaders.all(scripts: false)

    static func answer(
        _ status: UInt32, _ text: String, _ headers: [(String, String)] = [], type: String = "text/html; charset=utf-8"
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", type)] + protection + headers, body: .bytes(Array(text.utf8)))
    }

    /// To the first page, with GET (RFC 9110, 15.4.4).
    static func redirect(_ headers: [(String, String)]) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", "/")] + protection + headers)
    }

    func language(_ request: HTTPRequest) -> PortalLanguage {
        cookies.value(.language, in: request.headers["cookie"]).flatMap(PortalLanguage.init)
            ?? .preferred(request.headers["accept-language"])
    }

    private func refusal(_ request: HTTPRequest, _ status: UInt32, _ headers: [(String, String)] = []) -> HTTPRefusal {
        counters.count { $0.refused["status\(status)", default: 0] += 1 }
        let language = language(request)
        let text =
            switch status {
            case 403: language("Dieses Formular kam von einer anderen Seite.", "This form came from another site.")
            case 404: language("Diese Seite gibt es nicht.", "There is no such page.")
            case 503:
                language(
                    "Das Portal kann gerade nicht arbeiten. Bitte später noch einmal, oder die Technik anrufen.",
                    "The portal cannot work at the moment. Try again later, or call whoever runs it.")
            default: language("So kann das Portal nicht gefragt werden.", "The portal cannot be asked like this.")
            }
        let page = PortalPage(language: language, formToken: "").plain(
            language("Das ging nicht", "That did not work"), text)
        return HTTPRefusal(response: Self.answer(status, page, headers))
    }
}
