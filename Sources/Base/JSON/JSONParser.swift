// SPDX-License-Identifier: Apache-2.0

import ForeignText

extension JSON {
    /// The default limit of arrays and objects nested in each other: 64, the limit that systemd has for interface
    /// descriptions.
    public static let maximumDepth = 64

    /// Parses exactly one value, with white space allowed around it. Throws ``JSONError`` with the broken rule and
    /// the byte at which it was broken.
    ///
    /// Strict where RFC 8259 leaves a choice: text is UTF-8, the names in an object are unique (as Swift compares
    /// strings), whole numbers fit into `Int64`, other numbers are finite, no number is longer than 128 characters
    /// (our own bound), surrogates come in pairs, U+0000 is refused because it ends a string for any program in
    /// C, and texts are ``ForeignText/StreamSafe``. Time and memory are at most proportional to the number of bytes, also those of comparing its texts.
    ///
    /// - Parameter maximumDepth: The most arrays and objects nested in each other, 0 or more.
    public init(parsing bytes: [UInt8], maximumDepth: Int = JSON.maximumDepth) throws(JSONError) {
        try self.init(parsing: bytes[...], maximumDepth: maximumDepth)
    }

    /// Parses a slice of bytes as ``init(parsing:maximumDepth:)`` parses an array. Throws ``JSONError`` unless it is
    /// exactly one well-formed value; places in errors count from the start of the slice.
    public init(parsing bytes: ArraySlice<UInt8>, maximumDepth: Int = JSON.maximumDepth) throws(JSONError) {
        var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth)
        self = try parser.document()
    }
}

struct JSONParser {
    /// Longer than any number a double can tell from its neighbours.
    private static let maximumNumberByteCount = 128

    private let bytes: ArraySlice<UInt8>
    private let maximumDepth: Int
    private var index: Int

    init(bytes: ArraySlice<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        index = bytes.startIndex
    }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard index == bytes.endIndex else { throw error(.malformedJSON, "something follows the value") }
        return value
    }

    private func error(_ code: JSONError.Code, _ detail: String = "") -> JSONError {
        JSONError(code, at: .byte(index - bytes.startIndex), detail)
    }

    private var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        guard let byte = next else { throw error(.malformedJSON, "the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error(.malformedJSON, "no value starts like this")
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.endIndex,
            bytes[index..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        else { throw error(.malformedJSON, "no value starts like this") }
        index = end
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSON] {
        guard depth <= maximumDepth else { throw error(.nestedTooDeep, "at most \(maximumDepth) levels") }
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            index += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            if try !hasAnother(closing: UInt8(ascii: "]")) { return elements }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON.Object {
        guard depth <= maximumDepth else { throw error(.nestedTooDeep, "at most \(maximumDepth) levels") }
        index += 1
        var members: [JSON.Object.Member] = []
        // Built only when comparing with each name before would become quadratic.
        var names: Set<String> = []
        skipSpace()
        if next == UInt8(ascii: "}") {
            index += 1
            return JSON.Object()
        }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error(.malformedJSON, "a name in quotes is missing") }
            let start = index
            let name = try string()
            if members.count == 16 { names = Set(members.map(\.name)) }
            let isNew = members.count < 16 ? !members.contains { $0.name == name } : names.insert(name).inserted
            guard isNew else {
                index = start
                throw error(.duplicateKey)
            }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw error(.malformedJSON, "a colon is missing") }
            index += 1
            members.append(JSON.Object.Member(name: name, value: try value(depth: depth)))
            if try !hasAnother(closing: UInt8(ascii: "}")) { return JSON.Object(distinct: members) }
        }
    }

    private mutating func hasAnother(closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next, byte == UInt8(ascii: ",") || byte == closing else {
            throw error(.malformedJSON, "a comma or the closing bracket is missing")
        }
        index += 1
        return byte != closing
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
        var isWhole = true
        if next == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        let end = index
        index = start
        guard end - start <= Self.maximumNumberByteCount else { throw error(.numberOutOfRange, "too many digits") }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        if isWhole {
            guard let value = Int64(text) else { throw error(.numberOutOfRange) }
            index = end
            return .int(value)
        }
        guard let value = Double(text), value.isFinite else { throw error(.numberOutOfRange) }
        index = end
        return .double(value)
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        guard index > start else { throw error(.malformedJSON, "a digit is missing") }
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
        if next == UInt8(ascii: "\"") {
            let text = try text(bytes[start..<index])
            index += 1
            return text
        }
        var unescaped = Array(bytes[start..<index])
        while let byte = next, byte >= 0x20 {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return try text(unescaped[...])
            case UInt8(ascii: "\\"): try unescape(into: &unescaped)
            default: unescaped.append(byte)
            }
        }
        throw error(.malformedJSON, next == nil ? "a string does not end" : "a control character must be escaped")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw error(.notUTF8) }
        guard StreamSafe.isSafe(text) else { throw error(.tooManyMarks, "more than \(StreamSafe.maximumMarks)") }
        return text
    }

    private mutating func unescape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error(.malformedJSON, "a string does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(Character(try escapedScalar())).utf8)
        default:
            index -= 1
            throw error(.malformedJSON, "there is no such escape")
        }
    }

    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let first = try fourHexadecimalDigits()
        var number = first
        if (0xD800...0xDBFF).contains(first) {
            guard next == UInt8(ascii: "\\"), index + 1 < bytes.endIndex, bytes[index + 1] == UInt8(ascii: "u") else {
                throw error(.loneSurrogate)
            }
            index += 2
            let second = try fourHexadecimalDigits()
            guard (0xDC00...0xDFFF).contains(second) else { throw error(.loneSurrogate) }
            number = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        guard number != 0 else { throw error(.zeroCharacter) }
        guard let scalar = Unicode.Scalar(number) else { throw error(.loneSurrogate) }
        return scalar
    }

    private mutating func fourHexadecimalDigits() throws(JSONError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(.malformedJSON, "four hexadecimal digits must follow \\u")
            }
            number = number << 4 | UInt32(digit)
            index += 1
        }
        return number
    }
}
