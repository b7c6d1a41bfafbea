// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The keys of an issuer as it publishes them for anybody (RFC 9578, section 4), and where it takes requests.
///
/// Boards take keys from the signed configuration and not from here: an issuer could give each board another directory. It is read to
/// compare, and served for other clients.
public struct IssuerDirectory: Sendable, Hashable {
    /// A key in the directory.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: TokenKey
        /// The time from which the key may be used, in Unix seconds; `nil`: at once.
        public let notBefore: Int64?
    }

    /// The media type of a directory (RFC 9578, section 4).
    public static let mediaType = "application/private-token-issuer-directory"
    /// The most bytes that are read; of our own choosing, a key takes about 500.
    public static let maximumByteCount = 65_536

    /// Where requests go: an absolute URL with `https`.
    public let requestURL: String
    /// The usable keys of type 0x0002, in the issuer's order of preference. Keys of other types or in another form are left out.
    public let entries: [Entry]

    /// Reads a directory, from anywhere, that was fetched from `directoryURL`. Throws `malformedDirectory` unless it is one with
    /// a request URL that is, or becomes by `directoryURL`, an `https` URL without a user.
    public init(decoding document: [UInt8], directoryURL: String) throws(PrivacyPassError) {
        guard document.count <= Self.maximumByteCount else {
            throw PrivacyPassError(.malformedDirectory, "\(document.count) bytes")
        }
        guard let json = try? JSON(parsing: document), let reference = json["issuer-request-uri"]?.string,
            let keys = json["token-keys"]?.array
        else { throw PrivacyPassError(.malformedDirectory) }
        guard let url = Self.resolved(reference, by: directoryURL) else {
            throw PrivacyPassError(.malformedDirectory, "the request URL is not an https URL")
        }
        requestURL = url
        entries = keys.compactMap { entry in
            guard entry["token-type"]?.int == Int64(TokenChallenge.tokenType),
                let bytes = (entry["token-key"]?.string).flatMap({ Base64URL.paddedBytes($0.utf8) }),
                let key = try? TokenKey(decoding: bytes)
            else { return nil }
            guard let notBefore = entry["not-before"] else { return Entry(key: key, notBefore: nil) }
            return notBefore.int.map { Entry(key: key, notBefore: $0) }
        }
    }

    /// The first key that may be used at `now` (Unix seconds); `nil` if there is none.
    public func key(at now: Int64) -> TokenKey? { entries.first { $0.notBefore.map { $0 <= now } ?? true }?.key }

    /// The absolute URL of a reference (RFC 3986, section 5.2); `nil` unless both are `https`, with a host and no user. Steps up
    /// in a path (`..`) and fragments are refused: no issuer needs them.
    private static func resolved(_ reference: String, by base: String) -> String? {
        guard !reference.isEmpty, let start = origin(base) else { return nil }
        let path = base.dropFirst(start.count).prefix { $0 != "?" && $0 != "#" }
        let url: String
        if reference.lowercased().hasPrefix("https://") {
            url = reference
        } else if reference.hasPrefix("//") {
            url = "https:" + reference
        } else if reference.hasPrefix("/") {
            url = start + reference
        } else {
            // A colon before the first slash would make it a URL of another scheme.
            guard !reference.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") else { return nil }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
            url = start + folder + reference
        }
        let steps = url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard origin(url) != nil, !steps.contains("."), !steps.contains("..") else { return nil }
        return url
    }

    /// `https://` with host and port; `nil` for another scheme, for an empty host, and with a user.
    private static func origin(_ url: String) -> String? {
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
            url.lowercased().hasPrefix("https://")
        else { return nil }
        let authority = url.dropFirst(8).prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
        return String(url.prefix(8 + authority.count))
    }
}
