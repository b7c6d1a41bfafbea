// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The form of times in the NHS's documents.
package enum UTCInstant {
    /// Returns the Unix seconds of a text such as `2020-07-08T10:00:00Z`; a fraction of one to nine digits is
    /// allowed and cut off. Returns `nil` for any other text, and for a second of 60.
    package static func unixSeconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes.last == UInt8(ascii: "Z"),
            let date = CivilDate(isoText: String(decoding: bytes[..<10], as: UTF8.self)),
            let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60,
            let second = number(bytes[17..<19]), second < 60
        else { return nil }
        let fraction = bytes[19..<(bytes.count - 1)]
        guard
            fraction.isEmpty
                || (fraction.count > 1 && fraction.first == UInt8(ascii: ".") && number(fraction.dropFirst()) != nil)
        else { return nil }
        return date.dayNumber * UTCDay.seconds + hour * 3_600 + minute * 60 + second
    }

    /// Returns the text, without a fraction, that ``unixSeconds(_:)`` reads as this time. The time must be of the
    /// years 1970 to 9999, which is not checked.
    package static func text(_ unixSeconds: Int64) -> String {
        let second = UTCDay.second(of: unixSeconds)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(UTCDay(containing: unixSeconds).date.isoText)T\(clock.joined(separator: ":"))Z"
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.reduce(Int64?(0)) { value, digit in
            guard let value, (48...57).contains(digit) else { return nil }
            return value * 10 + Int64(digit - 48)
        }
    }
}
