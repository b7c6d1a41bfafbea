// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography

/// For how long a document is enough.
extension DonationTerms {
    /// With keys of fewer days than this, today among them, a new document is overdue: one of ten days that is made every week never has fewer. With
    /// two days boards have nothing left to ask for, which they do from the day after tomorrow on.
    public static let fewestDays = 3

    /// The last day that the document has a key of; `nil` if it has none, which ends donations on purpose.
    public var lastDay: UTCDay? { keys.last?.day }

    /// The number of days without a gap, from `today` on and with it, that the document has keys of.
    public func daysLeft(today: UTCDay) -> Int {
        var day = today
        while key(of: day) != nil { day = UTCDay(number: day.number + 1) }
        return Int(day.number - today.number)
    }

    /// What people compare to see that they have the same document: the first 128 bits of the SHA-256 of its bytes, as eight groups of four hexadecimal digits. Fewer would not do: who signs could
    /// make two documents that agree in so many.
    public static func fingerprint(of document: [UInt8]) -> String {
        let digits = Array(Hex.string(Array(SHA256.digest(of: document).prefix(16))).utf8)
        return stride(from: 0, to: digits.count, by: 4).map { String(decoding: digits[$0..<$0 + 4], as: UTF8.self) }
            .joined(separator: " ")
    }

    /// That of the document as it is published.
    public var fingerprint: String { Self.fingerprint(of: encoded) }

    /// For operators: the version, and for how many days there are keys.
    public func daysSentence(today: UTCDay) -> String {
        let left = daysLeft(today: today)
        let last = UTCDay(number: today.number + Int64(left) - 1)
        return left == 0
            ? "version \(version) has no key of today"
            : "version \(version) has keys of \(left) more days, until \(last.date.isoText)"
    }

    /// Whether a new document is overdue on `today`: it has keys, but of fewer than ``fewestDays`` days to come.
    public func isRunningOut(today: UTCDay) -> Bool { !keys.isEmpty && daysLeft(today: today) < Self.fewestDays }
}
