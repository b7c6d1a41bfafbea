// SPDX-License-Identifier: Apache-2.0

/// The values of `WWW-Authenticate` and `Authorization` (RFC 9110, section 11): names of schemes, each with parameters. A server
/// may name several schemes in one value.
struct AuthenticationField {
    /// One scheme with its parameters.
    struct Scheme {
        /// In lower case.
        let name: String
        /// By name in lower case.
        var parameters: [String: [UInt8]] = [:]
        /// Whether the grammar holds, and no parameter occurs twice.
        var isWellFormed = true
    }

    /// The most bytes of a value that are read; of our own choosing, a challenge has about 600.
    static let maximumByteCount = 16_384

    private let bytes: [UInt8]
    private var index = 0

    /// The schemes of a value in order, from anywhere. None if the value is longer than ``maximumByteCount``. Time is
    /// proportional to the length.
    static func schemes(_ value: some Collection<UInt8>) -> [Scheme] {
        guard value.count <= maximumByteCount else { return [] }
        var field = AuthenticationField(bytes: Array(value))
        return field.schemes()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func schemes() -> [Scheme] {
        var schemes: [Scheme] = []
        while true {
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard next != nil else { return schemes }
            let name = token()
            let mark = index
            skip(Self.isBlank)
            if !name.isEmpty, next == UInt8(ascii: "="), !schemes.isEmpty {
                index += 1
                skip(Self.isBlank)
                let value = next == UInt8(ascii: "\"") ? quoted() : token()
                let last = schemes.count - 1
                if value == nil || schemes[last].parameters.updateValue(value ?? [], forKey: Self.lower(name)) != nil {
                    schemes[last].isWellFormed = false
                }
                skip(Self.isBlank)
            } else if !name.isEmpty, index > mark || next == nil || next == UInt8(ascii: ",") {
                // A name that a blank or the end follows is a scheme; its first parameter needs no comma.
                schemes.append(Scheme(name: Self.lower(name)))
                if next != UInt8(ascii: ",") { continue }
            }
            guard next == nil || next == UInt8(ascii: ",") else {
                if !schemes.isEmpty { schemes[schemes.count - 1].isWellFormed = false }
                skip { $0 != UInt8(ascii: ",") }
                continue
            }
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { while let byte = next, isSkipped(byte) { index += 1 } }

    private mutating func token() -> [UInt8] {
        let start = index
        skip(Self.isTokenByte)
        return Array(bytes[start..<index])
    }

    /// A quoted string without its quotes; `nil` if it does not end.
    private mutating func quoted() -> [UInt8]? {
        index += 1
        var content: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\"):
                guard let escaped = next else { return nil }
                index += 1
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static let punctuation = Array("!#$%&'*+-.^_`|~".utf8)

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: punctuation.contains(byte)
        }
    }

    private static func lower(_ name: [UInt8]) -> String {
        String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
