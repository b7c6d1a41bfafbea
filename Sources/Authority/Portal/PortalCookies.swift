// SPDX-License-Identifier: Apache-2.0

import Cryptography
import WebSafety

/// What browsers are asked to keep, and what is made of it.
///
/// Visit and session are 128 random bits each; the database has the session's SHA-256. Form tokens and the proof that a user signed in from a browser before are
/// codes under the portal's secret, so nothing needs to be kept for them.
struct PortalCookies {
    enum Name: String {
        /// Of a browser that is not signed in; its sign-in form is bound to it.
        case visit
        case session, browser, language
    }

    private let secret: SecretBytes
    /// Over plain HTTP, for tests on the loopback only.
    private let isPlain: Bool

    init(secret: SecretBytes, isPlain: Bool) {
        self.secret = secret
        self.isPlain = isPlain
    }

    /// Without the prefix that ``Cookies`` gives it.
    private func bare(_ name: Name) -> String { "vigil-\(name.rawValue)" }

    func name(_ name: Name) -> String { (isPlain ? "" : Cookies.hostPrefix) + bare(name) }

    /// A header's value; 0 seconds deletes it, `nil` keeps it as long as the browser runs.
    func header(_ name: Name, _ value: String, seconds: Int64?) -> (String, String) {
        Cookies.header(bare(name), value, isSecure: !isPlain, seconds: seconds)
    }

    /// The value in a request's header. One that comes twice counts as none.
    func value(_ name: Name, in header: String?) -> String? { Cookies.value(self.name(name), in: header) }

    // MARK: Values

    static func random(_ generator: inout any RandomNumberGenerator) -> String {
        Hex.string((0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
    }

    /// 128 bits in lower-case digits, and nothing else.
    static func isRandom(_ text: String) -> Bool {
        text.utf8.count == 32 && text == text.lowercased() && Hex.bytes(text) != nil
    }

    static func code(_ cookie: String) -> [UInt8] { SHA256.digest(of: Array(cookie.utf8)) }

    private func code(_ parts: [String]) throws(PortalError) -> [UInt8] {
        do {
            return try HMACSHA256.code(for: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8), key: secret)
        } catch { throw PortalError(.cryptography, "\(error)") }
    }

    /// What a form on a page of this visit or session must bring along.
    func formToken(_ cookie: String) throws(PortalError) -> String { Hex.string(try code(["form", cookie])) }

    func isFormToken(_ text: String?, _ cookie: String) throws(PortalError) -> Bool {
        guard let text else { return false }
        return SecretBytes(copying: Array(text.utf8)) == SecretBytes(copying: Array(try formToken(cookie).utf8))
    }

    /// Proof that `user` signed in from this browser, under a number of the browser's own, until `expiry`.
    func browser(_ user: String, number: String, expiry: Int64) throws(PortalError) -> String {
        "\(number).\(expiry).\(Hex.string(try code(["browser", user, number, "\(expiry)"])))"
    }

    /// The browser's number, if the proof is this user's and good.
    func browserNumber(_ text: String?, user: String, now: Int64) throws(PortalError) -> String? {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let expiry = Int64(parts[1]), expiry > now else { return nil }
        let expected = try browser(user, number: parts[0], expiry: expiry)
        let isGood = SecretBytes(copying: Array((text ?? "").utf8)) == SecretBytes(copying: Array(expected.utf8))
        return isGood ? parts[0] : nil
    }
}
