// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Reads values of X.690's distinguished encoding, one after the other, out of bytes that anybody may have made. Never fails
/// otherwise than by returning `nil`. Values of more than 16,777,215 bytes are not read.
package struct DERReader {
    private var rest: ArraySlice<UInt8>

    /// Reads from the first of `bytes` on.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next value; `nil` at the end.
    package var tag: UInt8? { rest.first }

    /// The whole next value, its tag and length included, if it has this tag; otherwise nothing is taken.
    package mutating func takeWhole(_ tag: UInt8) -> ArraySlice<UInt8>? {
        let before = rest
        guard take(tag) != nil else { return nil }
        return before.prefix(before.count - rest.count)
    }

    /// The content of the next value if it has this tag; otherwise nothing is taken.
    package mutating func take(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var look = rest
        guard look.popFirst() == tag, let first = look.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            // One to three bytes of length: what is longer is no certificate.
            guard (0x81...0x83).contains(first), look.count >= Int(first & 0x7F) else { return nil }
            count = 0
            for _ in 0..<(first & 0x7F) { count = count << 8 | Int(look.popFirst() ?? 0) }
        }
        guard count <= look.count else { return nil }
        rest = look.dropFirst(count)
        return look.prefix(count)
    }

    /// A UTCTime or GeneralizedTime in the form that certificates have: to the second, in UTC.
    package mutating func takeTime() -> Int64? {
        if let text = take(0x17) {
            guard text.count == 13, let year = Self.number(text.prefix(2)) else { return nil }
            return Self.seconds(year: year >= 50 ? 1900 + year : 2000 + year, text.dropFirst(2))
        }
        guard let text = take(0x18), text.count == 15, let year = Self.number(text.prefix(4)) else { return nil }
        return Self.seconds(year: year, text.dropFirst(4))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 48)
        }
        return value
    }

    /// - Parameter rest: MMDDHHMMSSZ.
    private static func seconds(year: Int64, _ rest: ArraySlice<UInt8>) -> Int64? {
        guard rest.last == UInt8(ascii: "Z") else { return nil }
        let start = rest.startIndex
        let parts = (0..<5).map { number(rest[(start + $0 * 2)..<(start + $0 * 2 + 2)]) }
        guard let month = parts[0], let day = parts[1], let hour = parts[2], let minute = parts[3], let second = parts[4],
            let date = CivilDate(year: Int(year), month: Int(month), day: Int(day)), hour < 24, minute < 60, second < 61
        else { return nil }
        return UTCDay(number: date.dayNumber).start + hour * 3_600 + minute * 60 + second
    }
}
