// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// As much of ASN.1's distinguished encoding (X.690) as requests and certificates need. Cannot fail.
package enum DER {
    /// A value with this tag, of at most 65,535 bytes.
    package static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)]
            : count < 256
                ? [0x81, UInt8(count)] : [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return [tag] + length + content
    }

    /// A SEQUENCE of these values.
    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, Array(parts.joined())) }
    /// A SEQUENCE of these values.
    package static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, Array(parts.joined())) }
    /// An OBJECT IDENTIFIER whose content is `bytes`.
    package static func identifier(_ bytes: [UInt8]) -> [UInt8] { value(0x06, bytes) }

    /// A moment in Unix seconds, held to the years 1950 to 9999: UTCTime up to 2049, GeneralizedTime from then on (RFC 5280, 4.1.2.5).
    package static func time(_ moment: Int64) -> [UInt8] {
        // The first second of 1950, the last of 9999.
        let moment = min(max(moment, -631_152_000), 253_402_300_799)
        let day = UTCDay(containing: moment)
        let second = Int(moment - day.start)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(second / 3_600))\(two(second / 60 % 60))\(two(second % 60))Z"
        let date = day.date.compactText
        return day.date.year < 2050
            ? value(0x17, Array((date.dropFirst(2) + clock).utf8)) : value(0x18, Array((date + clock).utf8))
    }
}
