// SPDX-License-Identifier: Apache-2.0

/// The name of a key in a security token, as other programs take it in place of a file: a PKCS#11 URI (RFC 7512).
///
///     pkcs11:token=fleet;object=operator?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/run/pin
///
/// All four parts have to be there. `type=private` may be. Whatever else the RFC has would choose among keys by more than their names, and is refused:
/// a part that is passed over would choose another key than was meant.
public struct TokenURI: Sendable, Hashable {
    /// What each such name begins with.
    public static let scheme = "pkcs11:"
    /// The most bytes of a URI, inclusive; our own bound.
    public static let maximumByteCount = 2_048

    /// Where the key is.
    public let place: TokenKey.Place
    /// The absolute path of the file with the token's PIN.
    public let pinFile: String

    /// Whether `text` is meant as one: it is no name of a file then. Schemes are written in any case (RFC 3986).
    public static func isMeant(by text: String) -> Bool { text.prefix(scheme.count).lowercased() == scheme }

    /// Reads a URI. Throws `unusableURI`, whose detail never has the value of `pin-value`.
    public init(_ text: String) throws(TokenError) {
        guard Self.isMeant(by: text), text.utf8.count <= Self.maximumByteCount else {
            throw TokenError(.unusableURI, "it does not begin with \(Self.scheme), or is too long")
        }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = try Self.attributes(parts[0], by: ";", among: ["token", "object", "type"])
        let query = try Self.attributes(
            parts.count > 1 ? parts[1] : "", by: "&", among: ["module-path", "pin-source"])
        guard path["type"].map({ $0 == "private" }) ?? true else {
            throw TokenError(.unusableURI, "type is private, or left out")
        }
        func needed(_ name: String, _ attributes: [String: String]) throws(TokenError) -> String {
            guard let value = attributes[name], !value.isEmpty else { throw TokenError(.unusableURI, "\(name) is missing") }
            return value
        }
        let module = try needed("module-path", query), source = try needed("pin-source", query)
        let file =
            source.hasPrefix("file:///")
            ? String(source.dropFirst(7)) : source.hasPrefix("file:/") ? String(source.dropFirst(5)) : source
        guard module.hasPrefix("/"), file.hasPrefix("/"), !file.hasPrefix("//") else {
            throw TokenError(.unusableURI, "module-path and pin-source are whole paths")
        }
        place = TokenKey.Place(module: module, label: try needed("token", path), name: try needed("object", path))
        pinFile = file
    }

    private static func attributes(
        _ text: Substring, by separator: Character, among names: [String]
    ) throws(TokenError) -> [String: String] {
        var found: [String: String] = [:]
        guard !text.isEmpty else { return found }
        for part in text.split(separator: separator, omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, names.contains(pair[0]) else {
                if pair[0] == "pin-value" {
                    throw TokenError(
                        .unusableURI, "pin-value stands where others read it; give pin-source=file:/…, a file with the PIN")
                }
                // Of an attribute that is not known its name only, and of a name only what names are made of (RFC 7512, section 2.3).
                let name =
                    pair[0].utf8.prefix(24).allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
                    ? pair[0] : "…"
                throw TokenError(.unusableURI, "\(name.prefix(24)) is not among \(names.joined(separator: ", "))")
            }
            guard let value = decoded(pair[1]) else {
                throw TokenError(.unusableURI, "the value of \(pair[0]) is not written as URIs are")
            }
            guard found.updateValue(value, forKey: pair[0]) == nil else {
                throw TokenError(.unusableURI, "\(pair[0]) stands there twice")
            }
        }
        return found
    }

    /// With each `%` and its two digits as a byte; `nil` if one has no two digits, or a byte is no printable character of UTF-8.
    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var left = Array(text.utf8)[...]
        while let byte = left.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = left.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            left = left.dropFirst(2)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
