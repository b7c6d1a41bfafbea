// SPDX-License-Identifier: Apache-2.0

/// Cookies with Vigil's attributes: for this host only, for all paths, not readable by scripts, and never sent with
/// requests from another site.
public enum Cookies {
    /// The prefix of a cookie's name with which browsers accept the cookie only from this host, over a secure connection,
    /// for all paths (RFC 6265bis, 4.1.3.2).
    public static let hostPrefix = "__Host-"

    /// Returns the header (`Set-Cookie`) that sets a cookie. `value` must consist of letters, digits, dots and dashes,
    /// which is not checked.
    ///
    /// - Parameters:
    ///   - name: The name of the cookie, without ``hostPrefix``.
    ///   - isSecure: Whether the cookie gets the prefix and the attribute `Secure`.
    ///   - seconds: The lifetime of the cookie in seconds: 0 deletes it, `nil` keeps it until the browser is closed.
    public static func header(_ name: String, _ value: String, isSecure: Bool, seconds: Int64?) -> (String, String) {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        let full = (isSecure ? hostPrefix : "") + name
        return ("Set-Cookie", "\(full)=\(value); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")\(age)")
    }

    /// Returns the value of a cookie in a request's `Cookie` header, which may be empty. `fullName` includes the
    /// prefix, in ASCII. Cookies end at a semicolon or a comma, with which a server joins several `Cookie` headers.
    /// Returns `nil` if there is no header or no such cookie, and if the cookie appears twice, so that an attacker
    /// gains nothing by planting a second one.
    public static func value(_ fullName: String, in header: String?) -> String? {
        let found = (header ?? "").split { $0 == ";" || $0 == "," }.map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("\(fullName)=") }
        return found.count == 1 ? found.first.map { String($0.dropFirst(fullName.utf8.count + 1)) } : nil
    }
}
