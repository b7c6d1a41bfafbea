// SPDX-License-Identifier: Apache-2.0

/// A code of an exposure-notifications-verification-server, as somebody types it or as a link carries it (specification ens 3). Whoever has
/// it can use it, so it is printed by name only.
public struct ENSCode: Sendable, Hashable, CustomStringConvertible {
    /// The characters that the server compares byte for byte: 1 to ``maximumLength`` digits and lower-case letters. A
    /// secret.
    public let text: String
    /// The region of a link in upper case, like `US-WA` or `NZ`: two letters, and perhaps a hyphen and one to three letters or digits. `nil` for a
    /// code that was typed.
    public let region: String?

    /// The longest code, in characters, as exposure-notifications-android takes it (`common/IntentUtil.java`).
    public static let maximumLength = 128
    /// The longest text that is read, in bytes, a choice of ours; no link has as many.
    public static let maximumBytes = 1_024

    /// Reads what somebody typed or pasted: zeros stay, white space and hyphens go, letters become lower-case ones.
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` for everything else, and for more than ``maximumBytes``.
    public init(typed: String) throws(DiagnosisPlanError) {
        guard typed.utf8.count <= Self.maximumBytes else { throw DiagnosisPlanError(.notACode) }
        let kept = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 && !(0x09...0x0D).contains($0) }
        guard let text = Self.code(kept) else { throw DiagnosisPlanError(.notACode) }
        self.text = text
        region = nil
    }

    /// Reads a link: `ens://v?r=REGION&c=CODE` or `https://REGION.en.express/v?c=CODE`. Throws ``DiagnosisPlanError/Code/notACode`` for everything
    /// else.
    public init(link: String) throws(DiagnosisPlanError) {
        guard let parts = Self.parts(of: link), let code = parts.code.flatMap({ Self.code(Array($0.utf8)) }),
            let region = parts.region.map({ $0.uppercased() }), Self.isRegion(region)
        else { throw DiagnosisPlanError(.notACode) }
        text = code
        self.region = region
    }

    /// Reads a link (``init(link:)``, white space around it left out) if there is a colon in the text, otherwise what somebody typed
    /// (``init(typed:)``).
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` for everything else.
    public init(_ text: String) throws(DiagnosisPlanError) {
        if text.contains(":") { try self.init(link: text.trimmedASCII) } else { try self.init(typed: text) }
    }

    /// Whether the text is the link that begins a set-up and carries no code, in small or capital letters.
    public static func isOnboarding(_ link: String) -> Bool { link.lowercased() == "ens://onboarding" }

    /// Whether it has digits only, as codes have that are read out.
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
