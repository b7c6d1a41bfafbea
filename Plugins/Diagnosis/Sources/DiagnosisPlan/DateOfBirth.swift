// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography

/// A date of birth, held only for as long as it takes to bind a test's code to it. No stored value contains it, and it has
/// no text form.
public struct DateOfBirth: Sendable, CustomStringConvertible {
    private let date: CivilDate

    /// Most years from the year of birth to this one. The oldest person ever lived 122 years.
    static let maximumYears = 130

    /// Reads a date of birth as `YYYY-MM-DD`. `today` is the current day in days since 1970.
    /// - Throws: `DiagnosisPlanError.notADateOfBirth` if the text is not a date of this form, the date is after `today`, or
    ///   its year is more than 130 before the current one.
    public init(_ text: String, today: Int64) throws(DiagnosisPlanError) {
        guard let date = CivilDate(isoText: text), case let now = CivilDate(day: today),
            (date.year, date.month, date.day) <= (now.year, now.month, now.day), now.year - date.year <= Self.maximumYears
        else { throw DiagnosisPlanError(.notADateOfBirth) }
        self.date = date
    }

    /// Returns the hash that the verification server compares (`keyDob`): an x and the last 63 of the 64 lower-case
    /// hexadecimal digits of SHA-256 of `identifier` and the day as `ddMMyyyy` (cwa-app-android `DateOfBirthKey`).
    /// `identifier` is the text after `?` in a laboratory's code, as bytes; not checked. Cannot fail.
    public func key(of identifier: some Collection<UInt8>) -> String {
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let day = digits(date.day, 2) + digits(date.month, 2) + digits(date.year, 4)
        return "x" + Hex.string(SHA256.digest(of: Array(identifier) + Array(day.utf8))).dropFirst()
    }

    func isSame(as other: CivilDate) -> Bool { date == other }

    /// The words `a date of birth`, never the day.
    public var description: String { "a date of birth" }
}
