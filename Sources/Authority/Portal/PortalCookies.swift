// SPDX-License-Identifier: Apache-2.0

import Cryptography
import WebSafety

/// What browsers are asked to keep, and what is made of it.
///
/// Visit and session are 128 random bits each; the database has the session's SHA-256. Form tokens and the proof that a user signed in from a browser before are
/// codes under the portal's secret, so nothing needs to be kept for them. The proof's key comes of what is kept of the user's password, too: it ends with
/// the password and with the user.
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

    private func code(_ parts: [String]) throws(PortalError) -> [UInt8] { try Self.code(parts, key: secret) }

    private static func code(_ parts: [String], key: SecretBytes) throws(PortalError) -> [UInt8] {
        do {
            return try HMACSHA256.code(for: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8), key: key)
        } catch { throw PortalError(.cryptography, "\(error)") }
    }

    /// What a form on a page of this visit or session must bring along.
    func formToken(_ cookie: String) throws(PortalError) -> String { Hex.string(try code(["form", cookie])) }

    func isFormToken(_ text: String?, _ cookie: String) throws(PortalError) -> Bool {
        guard let text else { return false }
        return SecretBytes(copying: Array(text.utf8)) == SecretBytes(copying: Array(try formToken(cookie).utf8))
    }

    /// The numbers that a user's browsers have: 0 to 7. Browsers of one number share a pace, so that a user has eight, however often a browser begins
    /// without cookies. Our own choice.
    static let browserNumbers = 0..<8

    /// Proof that `user` signed in from this browser with `password`, under one of ``browserNumbers``, until `expiry` (Unix seconds).
    func browser(_ user: String, _ password: PasswordHash, number: Int, expiry: Int64) throws(PortalError) -> String {
        let kept = try Self.code(["browser", user, Hex.string(password.salt)], key: password.hash)
        return "\(number).\(expiry).\(Hex.string(try code(["browser", user, "\(number)", "\(expiry)", Hex.string(kept)])))"
    }

    /// Whether a cookie has the form of a proof; only then the user is looked up for it.
    static func isBrowserProof(_ text: String?) -> Bool { parts(text) != nil }

    private static func parts(_ text: String?) -> (number: Int, expiry: Int64)? {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].utf8.count == 2 * SHA256.byteCount, let number = Int(parts[0]),
            browserNumbers.contains(number), let expiry = Int64(parts[1])
        else { return nil }
        return (number, expiry)
    }

    /// The browser's number, if the proof is good, and of this user with this password.
    func browserNumber(
        _ text: String?, user: String, _ password: PasswordHash, now: Int64
    ) throws(PortalError) -> Int? {
        guard let (number, expiry) = Self.parts(text), expiry > now else { return nil }
        let expected = try browser(user, password, number: number, expiry: expiry)
        let isGood = SecretBytes(copying: Array((text ?? "").utf8)) == SecretBytes(copying: Array(expected.utf8))
        return isGood ? number : nil
    }
}
