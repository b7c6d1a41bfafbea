// SPDX-License-Identifier: Apache-2.0

/// A code of an exposure-notifications-verification-server, as a person types it or as a link carries it (specification ens
/// 3). Anyone who has the code can use it, so it is never printed.
public struct ENSCode: Sendable, Hashable, CustomStringConvertible {
    /// The code as it is sent: 1 to ``maximumLength`` digits and lower-case letters, because the server compares it byte
    /// for byte. A secret.
    public let text: String
    /// The region that the link names, in upper case, such as `US-WA` or `NZ`: two letters, optionally followed by a hyphen
    /// and one to three letters or digits. `nil` for a code that was typed.
    public let region: String?

    /// The most characters of a code: 128, as exposure-notifications-android accepts (`common/IntentUtil.java`).
    public static let maximumLength = 128
    /// The most bytes of a text that is read: 1,024, our choice; no link is that long.
    public static let maximumBytes = 1_024

    /// Reads a code that a person typed or pasted. White space and hyphens are removed, letters become lower-case,
    /// and zeros stay.
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` if the text has more than ``maximumBytes``, or if the rest
    ///   has another character than ASCII letters and digits, no character, or more than ``maximumLength``.
    public init(typed: String) throws(DiagnosisPlanError) {
        guard typed.utf8.count <= Self.maximumBytes else { throw DiagnosisPlanError(.notACode) }
        let kept = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 && !(0x09...0x0D).contains($0) }
        guard let text = Self.code(kept) else { throw DiagnosisPlanError(.notACode) }
        self.text = text
        region = nil
    }

    /// Reads a code from a link: `ens://v?r=REGION&c=CODE` or `https://REGION.en.express/v?c=CODE`.
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` if the link has more than ``maximumBytes`` or another form, names a
    ///   field twice, or if its code or region is missing or malformed.
    public init(link: String) throws(DiagnosisPlanError) {
        guard let parts = Self.parts(of: link), let code = parts.code.flatMap({ Self.code(Array($0.utf8)) }),
            let region = parts.region.map({ $0.uppercased() }), Self.isRegion(region)
        else { throw DiagnosisPlanError(.notACode) }
        text = code
        self.region = region
    }

    /// Reads a link (``init(link:)``) if the text contains a colon, and a typed code (``init(typed:)``) otherwise. White
    /// space around a link is ignored.
    /// - Throws: ``DiagnosisPlanError/Code/notACode``, as those two do.
    public init(_ text: String) throws(DiagnosisPlanError) {
        if text.contains(":") { try self.init(link: text.trimmedASCII) } else { try self.init(typed: text) }
    }

    /// Returns whether the text is the link that begins a set-up and carries no code; capital and small letters count as
    /// equal.
    public static func isOnboarding(_ link: String) -> Bool { link.lowercased() == "ens://onboarding" }

    /// Whether the code consists of digits only, as codes do that are read out on the telephone.
    public var isDigits: Bool { text.utf8.allSatisfy { (48...57).contains($0) } }

    /// The words `a verification code`, never the code.
    public var description: String { "a verification code" }

    private static func parts(of link: String) -> (region: String?, code: String?)? {
        guard link.utf8.count <= maximumBytes, let scheme = link.range(of: "://") else { return nil }
        let rest = link[scheme.upperBound...]
        let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.count == 2 else { return nil }
        var fields: [String: String] = [:]
        for field in pieces[1].split(separator: "&", omittingEmptySubsequences: true) {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, fields[pair[0]] == nil else { return nil }
            fields[pair[0]] = pair[1]
        }
        switch link[..<scheme.lowerBound].lowercased() {
        case "ens" where pieces[0] == "v" || pieces[0] == "v/": return (fields["r"], fields["c"])
        case "https":
            let place = pieces[0].split(separator: "/", omittingEmptySubsequences: false)
            let host = place[0].lowercased()
            guard place.count == 2, place[1] == "v", host.hasSuffix(".en.express") else { return nil }
            return (String(host.dropLast(".en.express".utf8.count)), fields["c"])
        default: return nil
        }
    }

    private static func code(_ bytes: [UInt8]) -> String? {
        guard (1...maximumLength).contains(bytes.count) else { return nil }
        var small: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 48...57, 97...122: small.append(byte)
            case 65...90: small.append(byte + 32)
            default: return nil
            }
        }
        return String(decoding: small, as: UTF8.self)
    }

    /// ISO 3166: two letters, and perhaps a hyphen and up to three letters or digits.
    private static func isRegion(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let country = parts.first, country.count == 2, country.allSatisfy({ (65...90).contains($0) }) else {
            return false
        }
        return parts.count == 1
            || parts.count == 2 && (1...3).contains(parts[1].count)
                && parts[1].allSatisfy { (65...90).contains($0) || (48...57).contains($0) }
    }
}

extension String {
    /// Without the white space around it.
    var trimmedASCII: String {
        let bytes = Array(utf8)
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// Where a text begins in this one.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
