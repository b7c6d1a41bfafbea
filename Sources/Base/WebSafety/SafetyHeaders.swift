// SPDX-License-Identifier: Apache-2.0

/// Headers of every answer to a browser: nothing from elsewhere, nothing inline, nobody frames it, nothing leaks.
public enum SafetyHeaders {
    /// The header lines, names and values.
    ///
    /// - Parameters:
    ///   - scripts: Whether pages bring a script of their own, and may ask this host.
    ///   - caching: The value of `Cache-Control`.
    public static func all(scripts: Bool, caching: String = "no-store") -> [(String, String)] {
        let scripted = scripts ? " script-src 'self'; img-src 'self' data:; connect-src 'self';" : ""
        return [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self';\(scripted) form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
            ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"),
            // Forms of a page that names no referrer come with `Origin: null`, which could be anybody's.
            ("Referrer-Policy", scripts ? "same-origin" : "no-referrer"),
            ("Cache-Control", caching), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            (
                "Permissions-Policy",
                "camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()"
            ),
        ]
    }
}
