// SPDX-License-Identifier: Apache-2.0

/// What a text must look like: said to people, to the published schema, and checked.
struct Form: Sendable {
    /// "1 to 32 small letters, digits and dashes, beginning with a letter"
    let words: String
    /// For the schema: a pattern of ECMA 262 that matches the same texts as ``isHeld`` does; a test compares the two.
    let pattern: String?
    /// In Unicode characters (JSON Schema counts those).
    let length: ClosedRange<Int>
    private let isHeld: @Sendable (String) -> Bool

    init(_ words: String, pattern: String?, length: ClosedRange<Int>, _ isHeld: @escaping @Sendable (String) -> Bool) {
        self.words = words
        self.pattern = pattern
        self.length = length
        self.isHeld = isHeld
    }

    func holds(_ text: String) -> Bool { length.contains(text.unicodeScalars.count) && isHeld(text) }
}

extension Form {
    static func isSmallLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
    static func isLetter(_ byte: UInt8) -> Bool { isSmallLetter(byte | 0x20) }
    static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// A plugin's name, a role, the name of an endpoint or a listener.
    static let name = Form(
        "1 to 32 small letters, digits and dashes, beginning with a letter", pattern: "^[a-z][a-z0-9-]{0,31}$",
        length: 1...32
    ) { text in
        guard let first = text.utf8.first, isSmallLetter(first) else { return false }
        return text.utf8.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == 45 }
    }

    static let version = Form(
        "one to four numbers with dots between, such as 1.2.0, with letters after a dash if need be",
        pattern: "^[0-9]{1,9}(\\.[0-9]{1,9}){0,3}(-[A-Za-z0-9.]{1,20})?$", length: 1...64
    ) { text in
        let parts = text.utf8.split(separator: 45, maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts.first?.split(separator: 46, omittingEmptySubsequences: false) ?? []
        guard (1...4).contains(numbers.count) else { return false }
        guard numbers.allSatisfy({ (1...9).contains($0.count) && $0.allSatisfy(isDigit) }) else { return false }
        return parts.dropFirst().allSatisfy { tail in
            (1...20).contains(tail.count) && tail.allSatisfy { isLetter($0) || isDigit($0) || $0 == 46 }
        }
    }

    /// Stays in the folder: no step up, nothing hidden, no root.
    static let programPath = Form(
        "a path inside the plugin's folder, such as bin/hello: letters, digits, dots, dashes and underscores, no part beginning with a dot",
        pattern: "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$", length: 1...200
    ) { text in
        text.utf8.split(separator: 47, omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.first != 46
                && part.allSatisfy { isLetter($0) || isDigit($0) || $0 == 46 || $0 == 95 || $0 == 45 }
        }
    }

    /// As Varlink's, in the house's narrower form: small letters, and a number at the end so that there can be a successor.
    static let interface = Form(
        "the name of an interface, such as org.example.hello1: small letters, digits and dashes, parts with dots between, a number at the end",
        pattern: "^[a-z]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\\.([a-z0-9][a-z0-9-]*)?[0-9]$",
        length: 3...100
    ) { text in
        let parts = text.utf8.split(separator: 46, omittingEmptySubsequences: false)
        guard parts.count >= 2, let first = text.utf8.first, isSmallLetter(first) else { return false }
        guard let last = text.utf8.last, isDigit(last) else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last, first != 45, last != 45 else { return false }
            return part.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == 45 }
        }
    }

    static let method = Form(
        "the name of a method, such as GetStatus", pattern: "^[A-Z][A-Za-z0-9]*$", length: 1...64
    ) { text in
        guard let first = text.utf8.first, isLetter(first), !isSmallLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    static let setting = Form(
        "a name of 1 to 64 letters, digits and underscores, beginning with a letter",
        pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$",
        length: 1...64
    ) { text in
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 95 }
    }

    static let device = Form(
        "a path in /dev, such as /dev/i2c-1", pattern: "^/dev(/[A-Za-z0-9_:+-][A-Za-z0-9._:+-]*)+$", length: 6...100
    ) { text in
        let parts = text.utf8.split(separator: 47, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].isEmpty, parts[1].elementsEqual("dev".utf8) else { return false }
        return parts.dropFirst(2).allSatisfy { part in
            !part.isEmpty && part.first != 46
                && part.allSatisfy { isLetter($0) || isDigit($0) || [46, 95, 45, 58, 43].contains($0) }
        }
    }

    /// Where egress may go; ``Endpoint`` judges the rest.
    static let host = Form(
        "a name in ASCII (xn-- for others), an IPv4 address, or an IPv6 address in brackets, in small letters",
        pattern: "^([a-z0-9.-]+|\\[[0-9a-f:.]+\\])$", length: 1...253
    ) { text in
        let bytes = Array(text.utf8)
        guard bytes.first == 91 else {
            return bytes.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == 45 || $0 == 46 }
        }
        guard bytes.last == 93, bytes.count > 2 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { isDigit($0) || (97...102).contains($0) || $0 == 58 || $0 == 46 }
    }

    /// Where a listener is; `IPAddress` judges the rest.
    static let address = Form(
        "an IPv4 address such as 127.0.0.1, or an IPv6 address in brackets such as [::1]",
        pattern: "^([0-9.]+|\\[[0-9a-f:.]+\\])$", length: 4...45
    ) { text in host.holds(text) && (text.utf8.first == 91 || text.utf8.allSatisfy { isDigit($0) || $0 == 46 }) }

    static let schemaAddress = Form("the address of a JSON Schema", pattern: nil, length: 0...500) { _ in true }
}
