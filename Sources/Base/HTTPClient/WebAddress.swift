// SPDX-License-Identifier: Apache-2.0

import CCurl
import Glibc

/// The scheme, host and port of a URL, parsed by libcurl, so that a check and the connection cannot disagree.
public struct WebAddress: Sendable, Hashable {
    /// Whether the scheme is `https`; otherwise it is `http`.
    public let isSecure: Bool
    /// The host name or IP address in lower case; an IPv6 address is in brackets.
    public let host: String
    /// The port: 0 to 65535 as written, or by default 443 for `https` and 80 for `http`. Port 0, at which nothing can
    /// listen, is not refused here.
    public let port: Int

    /// Parses a URL. Returns `nil` unless it is an absolute `http` or `https` URL without a user name, of at most
    /// 2,048 visible ASCII characters (our own bound), and without `:///` anywhere, which libcurl reads in its own
    /// way.
    public init?(_ url: String) {
        // libcurl would read "https:///x" as the host x.
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (33...126).contains($0) }), strstr(url, ":///") == nil,
            let parsed = curl_url()
        else { return nil }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            let scheme = Self.part(parsed, CURLUPART_SCHEME), scheme == "https" || scheme == "http",
            let host = Self.part(parsed, CURLUPART_HOST), !host.isEmpty,
            let port = Self.part(parsed, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) })
        else { return nil }
        isSecure = scheme == "https"
        self.host = host.lowercased()
        self.port = port
    }

    private static func part(_ url: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
