// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import HTTPService
import Interfaces
import WebSafety

/// One request, and what is known of who sent it.
final class IncomingRequest {
    /// By what somebody says who they are.
    enum Credential: Equatable {
        case none
        case cookie(String)
        /// A script's, which no browser sends by itself.
        case bearer(String)

        var session: String? {
            switch self {
            case .none: nil
            case .cookie(let value), .bearer(let value): value
            }
        }
    }

    enum CookieName: String {
        case visit = "vigil-visit"
        case session = "vigil-session"
        case language = "vigil-language"
        // That this browser signed in to a role before.
        case knownWearer = "vigil-known-wearer"
        case knownTechnicianReadOnly = "vigil-known-technician-read-only"
        case knownTechnician = "vigil-known-technician"

        static func known(_ role: Access1.Role) -> CookieName {
            switch role {
            case .wearer: .knownWearer
            case .technicianReadOnly: .knownTechnicianReadOnly
            case .technician: .knownTechnician
            }
        }
    }

    /// A browser that signed in is known for so long.
    static let knownSeconds: Int64 = 90 * UTCDay.seconds

    let exchange: HTTPExchange
    let credential: Credential
    /// Parts of the path that the route names.
    let parts: [String: String]
    /// Whose session it is; `nil` for nobody's. Known once the core was asked.
    var role: Access1.Role?
    /// Of a form; empty for everything else.
    var fields: FormFields?
    /// Sent along with whatever is answered.
    var headers: [(String, String)] = []

    var request: HTTPRequest { exchange.request }
    /// The session, if the core knew it.
    var session: String? { role == nil ? nil : credential.session }

    init(_ exchange: HTTPExchange, parts: [String: String]) {
        self.exchange = exchange
        self.parts = parts
        credential = Self.credential(exchange.request)
    }

    static func credential(_ request: HTTPRequest) -> Credential {
        if let header = request.authorization {
            guard header.utf8.count == 71, header.lowercased().hasPrefix("bearer "),
                isRandom(String(header.dropFirst(7)), digits: 64)
            else { return .bearer("") }
            return .bearer(String(header.dropFirst(7)))
        }
        guard let value = cookie(.session, request), isRandom(value, digits: 64) else { return .none }
        return .cookie(value)
    }

    /// Over TLS only cookies with the prefix count. On the machine itself browsers differ in whether they take these without TLS: both forms do.
    static func cookie(_ name: CookieName, _ request: HTTPRequest) -> String? {
        let header = request.headers["cookie"]
        let protected = Cookies.value(Cookies.hostPrefix + name.rawValue, in: header)
        return request.isSecure ? protected : protected ?? Cookies.value(name.rawValue, in: header)
    }

    /// Headers that set a cookie in the form this browser takes; both where that is not known yet.
    func setting(_ name: CookieName, _ value: String, seconds: Int64?) -> [(String, String)] {
        let secure = Cookies.header(name.rawValue, value, isSecure: true, seconds: seconds)
        if request.isSecure { return [secure] }
        let plain = Cookies.header(name.rawValue, value, isSecure: false, seconds: seconds)
        // Whoever has shown to take the protected form gets nothing else.
        let isProtected =
            Cookies.value(Cookies.hostPrefix + CookieName.visit.rawValue, in: request.headers["cookie"]) != nil
        return name == .session && value != "" && isProtected ? [secure] : [secure, plain]
    }

    static func isRandom(_ text: String, digits: Int) -> Bool {
        text.utf8.count == digits && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// What forms are bound to: the session, or the visit before there is one.
    var formCookie: String? {
        if case .cookie(let value) = credential, role != nil { return value }
        return Self.cookie(.visit, request).flatMap { Self.isRandom($0, digits: 32) ? $0 : nil }
    }

    func query(_ name: String) -> String? {
        let found = request.query.filter { $0.name == name }
        return found.count == 1 ? found.first?.value : nil
    }
}
