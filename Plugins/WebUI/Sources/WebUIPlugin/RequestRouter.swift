// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
import Interfaces
import JSON
import Logging
import PluginKit
import WebSafety

/// Everything around the pages: judges each request before anything of it is obeyed, finds out whose it is, and hands it to its route.
final class RequestRouter: HTTPLoopHandler {
    let client: InterfaceClient
    let tokens: FormTokens
    private let log: Logger
    private var generator = SystemRandomNumberGenerator()
    /// By listener.
    var names: [String: HostNames] = [:]
    /// In the order they are tried.
    var routes: [Route] = []
    /// How a page refuses; JSON until there are pages.
    var refusalPage: ((HTTPRequest, Problem) -> HTTPResponse)?
    /// How a page refuses somebody who has signed in: with what their pages have around them.
    var framedRefusal: ((IncomingRequest, Problem) -> Void)?
    /// Told of each request that may change something.
    var onChange: (() -> Void)?
    /// Where people are sent who have to sign in.
    static let signInPath = "/sign-in"
    /// The same after a secret was changed.
    static let signInAgainPath = "/sign-in?changed=yes"

    static let formType = "application/x-www-form-urlencoded"
    static let formFieldLimit = 200

    init(client: InterfaceClient, tokens: FormTokens, log: Logger) {
        self.client = client
        self.tokens = tokens
        self.log = log
    }

    // MARK: Before the body

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        do throws(Problem) {
            guard let names = names(of: request), names.permit(request.headers["host"]) else {
                throw Problem(
                    421, "wrongHost", "Ask for the device by its address, or by a name that its operator has set.")
            }
            let (route, _) = try route(request)
            guard let action = route.action(request.method) else {
                throw Problem(405, "method", "Possible: \(route.allow).", headers: [("Allow", route.allow)])
            }
            // Whatever changes something, and whatever is asked in a body.
            guard request.method == "GET" || request.method == "HEAD" else {
                try judge(request, action, names)
                return .success(action.bodyLimit)
            }
            // A page that another site links to or embeds changes nothing, and cannot be read from there.
            return .success(0)
        } catch {
            // Who it is, is found out first.
            if mayFrame(request, error) { return .success(0) }
            return .failure(HTTPRefusal(response: refusal(request, error)))
        }
    }

    /// What the device may be called in this request. Its address can change while it runs (DHCP), so that of the connection counts, and no
    /// list. DNS rebinding gains nothing by it: what a rebound page sends is its name, and an address there is one that the page came from.
    private func names(of request: HTTPRequest) -> HostNames? {
        guard let known = names[request.listener] else { return nil }
        guard !request.ownAddress.isEmpty else { return known }
        return known.adding([ListenerPlace(address: request.ownAddress, port: 0).text])
    }

    /// Whether somebody may look at the refusal who has signed in.
    private func mayFrame(_ request: HTTPRequest, _ problem: Problem) -> Bool {
        guard problem.status == 404, framedRefusal != nil, request.method == "GET" || request.method == "HEAD",
            !request.path.hasPrefix("/api/"), Self.isForPerson(request), case .cookie = IncomingRequest.credential(request)
        else { return false }
        return true
    }

    private func judge(_ request: HTTPRequest, _ action: Route.Action, _ names: HostNames) throws(Problem) {
        // A browser is known by what it adds; scripts bring a token that no browser sends by itself.
        let isScript = if case .bearer = IncomingRequest.credential(request) { true } else { false }
        guard
            RequestSource.isOurs(
                origin: request.headers["origin"], site: request.headers["sec-fetch-site"], names: names,
                mayBeSilent: action.kind == .api && (isScript || request.headers["cookie"] == nil))
        else { throw Problem(403, "wrongOrigin", "This came from another site's page. Nothing was done.") }
        if let length = request.headers["content-length"] {
            guard let count = Int(length), count >= 0 else { throw Problem(400, "contentLength") }
            guard count <= action.bodyLimit else { throw Self.tooLarge(action.bodyLimit) }
            if count == 0, action.kind == .api { return }
        } else if request.headers["transfer-encoding"] == nil, action.kind == .api {
            return
        }
        guard action.bodyLimit > 0 else { return }
        let wanted = action.kind == .form ? Self.formType : "application/json"
        let type = request.headers["content-type"]?.split(separator: ";").first?.lowercased().filter { $0 != " " }
        guard type == wanted else { throw Problem(415, "contentType", "Send it as \(wanted).") }
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        guard limit > 0 else { return Problem(400, "noBody", "Send this without a body. Nothing was done.") }
        return Problem(413, "tooLarge", "At most \(limit) bytes; nothing was done.")
    }

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        let limit = (try? route(request))?.0.action(request.method)?.bodyLimit ?? 0
        return refusal(request, Self.tooLarge(limit))
    }

    private func route(_ request: HTTPRequest) throws(Problem) -> (Route, [String: String]) {
        let parts = Route.parts(request.path)
        for route in routes {
            if let values = route.match(parts) { return (route, values) }
        }
        throw Problem(404, "noSuchPath")
    }

    // MARK: With the body

    func answer(_ exchange: HTTPExchange) {
        let request = exchange.request
        do throws(Problem) {
            let (route, parts) = try route(request)
            guard let action = route.action(request.method) else { throw Problem(405, "method") }
            let incoming = IncomingRequest(exchange, parts: parts)
            guard action.wantsRole, let session = incoming.credential.session else { return go(incoming, action) }
            // No token has this form, so there is nothing to ask.
            if case .bearer = incoming.credential, session.isEmpty { return go(incoming, action) }
            client.ask(Self.whose(session, isAttended: action.isAttended), session: nil, role: nil) { [weak self] answer in
                switch answer {
                case .success(let reply): incoming.role = reply["role"]?.string.flatMap(Access1.Role.init)
                case .failure(let error) where error.code == .refused: break
                // Whoever needs no role is answered without.
                case .failure where action.roles == nil: break
                case .failure(let error):
                    if let self { incoming.exchange.send(self.refusal(request, Problem(error))) }
                    return
                }
                self?.go(incoming, action)
            }
        } catch {
            guard mayFrame(request, error) else { return exchange.send(refusal(request, error)) }
            frame(IncomingRequest(exchange, parts: [:]), error)
        }
    }

    /// Refuses a page in its frame; without one where the session is over or nobody knows.
    private func frame(_ incoming: IncomingRequest, _ problem: Problem) {
        guard let session = incoming.credential.session else {
            return incoming.exchange.send(refusal(incoming.request, problem))
        }
        // A page that is not there keeps no session from ending.
        client.ask(Self.whose(session, isAttended: false), session: nil, role: nil) { [weak self] answer in
            guard let self else { return }
            if case .success(let reply) = answer { incoming.role = reply["role"]?.string.flatMap(Access1.Role.init) }
            guard incoming.role != nil, let framedRefusal else {
                return incoming.exchange.send(refusal(incoming.request, problem))
            }
            framedRefusal(incoming, problem)
        }
    }

    /// Whose session it is, if it has not ended.
    static func whose(_ session: String, isAttended: Bool) -> InterfaceClient.Question {
        var parameters: JSON.Object = ["session": .string(session)]
        if !isAttended { parameters["unattended"] = true }
        return .init(Access1.Method.useSession, parameters: .object(parameters))
    }

    private func go(_ incoming: IncomingRequest, _ action: Route.Action) {
        do throws(Problem) {
            try admit(incoming, action)
        } catch {
            // The address stands in the browser: with GET it comes back after signing in.
            if error.status == 401, action.kind == .page || action.kind == .form {
                incoming.exchange.send(Self.redirect(Self.signInPath))
            } else {
                incoming.exchange.send(refusal(incoming.request, error))
            }
            return
        }
        if incoming.request.method != "GET", incoming.request.method != "HEAD" { onChange?() }
        action.run(incoming)
    }

    private func admit(_ incoming: IncomingRequest, _ action: Route.Action) throws(Problem) {
        if let roles = action.roles {
            guard let role = incoming.role else {
                throw Problem(
                    401, "notSignedIn", "Sign in, or bring a token that is in force.",
                    headers: action.kind == .api ? [("WWW-Authenticate", "Bearer")] : [])
            }
            guard roles.contains(role) else {
                throw Problem(
                    403, "wrongRole",
                    "This is for \(roles.map(\.rawValue).joined(separator: " and ")), and you are \(role.rawValue).")
            }
        }
        switch action.kind {
        case .form:
            guard let fields = FormFields(incoming.request.body, maximum: Self.formFieldLimit) else {
                throw Problem(400, "form")
            }
            guard let cookie = incoming.formCookie, isFitting(fields.text("form"), cookie) else {
                throw Problem(403, "formToken", "This page was no longer valid. Go back, load it again, and try once more.")
            }
            incoming.fields = fields
        case .api:
            guard incoming.request.method != "GET", incoming.request.method != "HEAD",
                case .cookie(let cookie) = incoming.credential
            else { return }
            guard isFitting(incoming.request.headers["x-vigil-form"], cookie) else {
                throw Problem(403, "formToken", "With a cookie, X-Vigil-Form has to be a page's token.")
            }
        case .page, .plain: break
        }
    }

    private func isFitting(_ token: String?, _ cookie: String) -> Bool { (try? tokens.fits(token, cookie: cookie)) == true }

    // MARK: Answers

    /// What forms on a page of this visit bring along. A visit begins where somebody can sign in, and leaves nothing in browsers that only read.
    func formToken(_ incoming: IncomingRequest) -> String {
        var cookie = incoming.formCookie
        if cookie == nil, incoming.request.path == Self.signInPath {
            let fresh = Hex.string((0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
            incoming.headers += incoming.setting(.visit, fresh, seconds: nil)
            cookie = fresh
        }
        return cookie.flatMap { try? tokens.token(for: $0) } ?? ""
    }

    func refusal(_ request: HTTPRequest, _ problem: Problem) -> HTTPResponse {
        if problem.status >= 500 { log.warning("a request could not be answered", metadata: ["code": "\(problem.code)"]) }
        guard let refusalPage, !request.path.hasPrefix("/api/"), Self.isForPerson(request) else { return problem.response }
        return refusalPage(request, problem)
    }

    /// Whether somebody looks at the answer.
    private static func isForPerson(_ request: HTTPRequest) -> Bool {
        guard request.path != "/events", request.path != "/metrics", request.path != "/healthz" else { return false }
        let accepted = request.headers["accept"] ?? "*/*"
        return accepted.split(separator: ",").contains { part in
            let type = part.split(separator: ";").first?.filter { $0 != " " } ?? ""
            return type == "text/html" || type == "*/*" || type == "text/*"
        }
    }

    static func page(_ html: String, status: UInt32 = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "text/html; charset=utf-8")] + SafetyHeaders.all(scripts: true) + headers,
            body: .bytes(Array(html.utf8)))
    }

    static func json(_ value: JSON, status: UInt32 = 200, type: String = "application/json") -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", type)] + SafetyHeaders.all(scripts: true),
            body: status == 204 ? .bytes([]) : .bytes(value.bytes))
    }

    /// A file of the program's own.
    static func asset(_ text: String, type: String, caching: String = "private, max-age=3600") -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "\(type); charset=utf-8")] + SafetyHeaders.all(scripts: true, caching: caching),
            body: .bytes(Array(text.utf8)))
    }

    /// A picture or a page to print, made for this request.
    /// `name`, a file's, is of letters, digits, hyphens and a full stop: nothing of a request.
    static func picture(_ bytes: [UInt8], type: String, name: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", type), ("Content-Disposition", "inline; filename=\"\(name)\"")]
                + SafetyHeaders.all(scripts: true), body: .bytes(bytes))
    }

    /// With GET (RFC 9110, 15.4.4). `path` is one of ours: nothing of a request is written into a header.
    static func redirect(_ path: String, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", path)] + SafetyHeaders.all(scripts: true) + headers)
    }
}
