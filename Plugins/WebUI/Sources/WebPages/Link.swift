// SPDX-License-Identifier: Apache-2.0

/// The target of a link: a page of this board, a page over HTTPS, or a telephone number. A page can contain no other
/// targets.
public struct Link: Sendable, Equatable {
    /// The address before it is escaped: a path, `#` and a name, `https:` or `tel:`.
    public let target: String

    private init(target: String) { self.target = target }

    /// Creates a link to a page of this board from the parts of its path, which are encoded. Cannot fail.
    ///
    /// - Parameters:
    ///   - parts: The parts of the path, without slashes; none for the first page. An empty part, `.` and `..`
    ///     become `-`, because they would lead to another host or path.
    ///   - query: Names with values, in this order; both are encoded.
    ///   - fragment: The name of the part of the page to show, which is encoded; `nil` for the beginning.
    public init(page parts: [String], query: [(name: String, value: String)] = [], fragment: String? = nil) {
        var target = parts.isEmpty ? "/" : ""
        // An empty part would make `//`, which leads to another host; dots lead up, to browsers also as %2E (URL Standard, double-dot segment).
        for part in parts { target += "/" + (["", ".", ".."].contains(part) ? "-" : Self.encoded(part)) }
        for (index, member) in query.enumerated() {
            target += (index == 0 ? "?" : "&") + Self.encoded(member.name) + "=" + Self.encoded(member.value)
        }
        if let fragment { target += "#" + Self.encoded(fragment) }
        self.target = target
    }

    /// A page of this board whose path is written in the code: `/tech/radio`.
    init(_ path: StaticString) { target = "\(path)" }

    /// A place in the same page.
    static func here(_ fragment: String) -> Link { Link(target: "#" + encoded(fragment)) }

    /// Creates a link to a page on another server, unchanged; `nil` unless the text is `https://host…`, at most 1,000 bytes
    /// of visible ASCII, with only letters, digits, `-`, `.` and `:` in the host.
    public init?(https: String) {
        guard https.hasPrefix("https://"), https.utf8.count <= 1_000 else { return nil }
        let rest = https.utf8.dropFirst(8)
        guard let first = rest.first, Self.isPlain(first), rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // No user name before the host, which would let a link look as if it led elsewhere.
        guard host.allSatisfy({ Self.isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }) else {
            return nil
        }
        target = https
    }

    /// Creates a link to a telephone number as people write it: digits, optionally with a `+` before them, and blanks, `-`,
    /// `/`, `.` and brackets between them, which are removed. `nil` if the text has other characters, or unless 3 to 21
    /// characters are left, including the `+`.
    public init?(telephone: String) {
        var number = ""
        for scalar in telephone.unicodeScalars {
            switch scalar {
            case "0"..."9": number.unicodeScalars.append(scalar)
            case "+" where number.isEmpty: number = "+"
            case " ", "-", "/", "(", ")", ".", "\u{A0}", "\u{202F}": continue
            default: return nil
            }
        }
        guard (3...21).contains(number.utf8.count) else { return nil }
        target = "tel:" + number
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var encoded = ""
        for byte in text.utf8 {
            if isPlain(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%"
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 15)])
            }
        }
        return encoded
    }
}
