// SPDX-License-Identifier: Apache-2.0

/// The headers of every answer to a browser: the page may not load anything from other hosts, contain inline code, be
/// framed, or reveal its address to others.
public enum SafetyHeaders {
    /// Returns the header lines as names and values.
    ///
    /// - Parameters:
    ///   - scripts: Whether the pages have scripts from this host, which may send requests to it. Only then are
    ///     images permitted (from this host or as `data:`), and only then do requests to this host name the page
    ///     that they come from.
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
