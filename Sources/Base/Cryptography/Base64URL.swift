// SPDX-License-Identifier: Apache-2.0

/// RFC 4648, section 5: the alphabet of links and JSON Web Tokens. Strict as ``Base64`` is: one text for each sequence of bytes.
public enum Base64URL {
    /// The bytes as text without padding (RFC 4648, section 5): four characters for three bytes. Cannot fail; empty for no
    /// bytes.
    public static func string(_ bytes: [UInt8]) -> String {
        String(Base64.string(bytes).compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
    }

    /// The bytes of `text`; `nil` for anything ``string(_:)`` would not write, the other alphabet and padding included.
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

    /// The bytes of `text` in this alphabet or the standard one, but not in both, with all of its padding or without: as
    /// scanners and people hand links on. `nil` for anything else.
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
