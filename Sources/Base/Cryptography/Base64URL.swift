// SPDX-License-Identifier: Apache-2.0

/// Base64 with the alphabet for URLs, as JSON Web Tokens use it (RFC 4648, section 5). Strict like ``Base64``: each
/// sequence of bytes has exactly one text.
public enum Base64URL {
    /// Returns the bytes as text without padding: four characters for every three bytes, and the empty text for no bytes.
    /// Cannot fail.
    public static func string(_ bytes: [UInt8]) -> String {
        String(Base64.string(bytes).compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
    }

    /// Returns the bytes as text with complete padding, as Privacy Pass has them in HTTP header fields (RFC 9577, section 2).
    /// Cannot fail.
    public static func paddedString(_ bytes: [UInt8]) -> String {
        String(Base64.string(bytes).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// Decodes `text`. Returns `nil` for any text that ``paddedString(_:)`` would not write, such as one without padding.
    public static func paddedBytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return bytes(text.dropLast(padding))
    }

    /// Decodes `text`. Returns `nil` for any text that ``string(_:)`` would not write, such as one with padding or with `+`
    /// or `/`.
    public static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return String(validating: standard, as: UTF8.self).flatMap(Base64.bytes)
    }

    /// Decodes `text` in this alphabet or in the standard one, with complete padding or none, as scanners and people pass
    /// links on. Returns `nil` for anything else, such as a text that mixes the two alphabets.
    public static func lenientBytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var rest = Array(text)
        if rest.count.isMultiple(of: 4) {
            for _ in 0..<2 where rest.last == UInt8(ascii: "=") { rest.removeLast() }
        }
        let isStandard = rest.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        guard isStandard else { return bytes(rest) }
        guard !rest.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "=") })
        else {
            return nil
        }
        while !rest.count.isMultiple(of: 4) { rest.append(UInt8(ascii: "=")) }
        return String(validating: rest, as: UTF8.self).flatMap(Base64.bytes)
    }
}
