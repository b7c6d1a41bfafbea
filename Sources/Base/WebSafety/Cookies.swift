// SPDX-License-Identifier: Apache-2.0

/// Cookies as Vigil sets them: for this host only, for all paths, unreadable for scripts, never sent along from another site.
public enum Cookies {
    /// The prefix of a cookie's name with which browsers take it from this host only, over a channel they trust only, for
    /// all paths (RFC 6265bis, 4.1.3.2).
    public static let hostPrefix = "__Host-"

    /// A header line (`Set-Cookie`) that sets a cookie. `value` must consist of letters, digits, dots and dashes; this is not checked.
    ///
    /// - Parameters:
    ///   - name: Without the prefix.
    ///   - isSecure: Whether it gets the prefix and `Secure`.
    ///   - seconds: The time for which the cookie is kept, in seconds: 0 deletes it, `nil` keeps it as long as the browser
    ///     runs.
    public static func header(_ name: String, _ value: String, isSecure: Bool, seconds: Int64?) -> (String, String) {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        let full = (isSecure ? hostPrefix : "") + name
        return ("Set-Cookie", "\(full)=\(value); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")\(age)")
    }

    /// The value in a request's `Cookie` header, which may be empty; `nil` without header or cookie. `fullName` includes the prefix. A cookie that
    /// comes twice counts as none: whoever planted the second must gain nothing.
    public static func value(_ fullName: String, in header: String?) -> String? {
        let found = (header ?? "").split { $0 == ";" || $0 == "," }.map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("\(fullName)=") }
        return found.count == 1 ? found.first.map { String($0.dropFirst(fullName.utf8.count + 1)) } : nil
    }
}
