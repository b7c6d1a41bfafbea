// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import JSON
import SQLiteFile

/// The number by which boards tell an older configuration of the Corona-Warn-App's kind from a newer one (decision 67).
extension HealthAuthority {
    /// Returns the number of the configuration with this content, and stores it before anybody can publish it. Another content than before gets a higher number,
    /// and so does the first publication of each UTC day: a folder that was restored from a copy, whose numbers boards have seen already, is believed again the next
    /// day at the latest, without anybody's doing.
    ///
    /// `content` is the message without a number; `now` is in Unix seconds. Numbers rise whatever the clock says, with one exception: if the last one is more than
    /// a day above `now`, this machine's clock was ahead then, or is behind now. No board with the right time has believed that number in the first case, and in
    /// the second boards keep what they have until the clock is right. So the numbers begin anew at `now`, and the fault comes back.
    func configurationNumber(
        of content: [UInt8], now: Int64
    ) throws(AuthorityError) -> (number: ConfigurationNumber, fault: AuthorityError?) {
        let digest = Hex.string(SHA256.digest(of: content))
        return try database.transaction { () throws(AuthorityError) in
            var last: (number: ConfigurationNumber, digest: String)?
            try database.run("SELECT number, digest FROM configuration_number") { row in
                if let number = row[0].integer.flatMap(ConfigurationNumber.init), let digest = row[1].text {
                    last = (number, digest)
                }
            }
            var fault: AuthorityError?
            let number: ConfigurationNumber
            if let last, last.number.isAhead(of: now) {
                number = ConfigurationNumber(time: now)
                fault = AuthorityError(
                    .configurationNumberAhead, "it was \(last.number.value), \(last.number.day.date.isoText)")
                try note(
                    "configuration-number-lowered",
                    ["from": .int(last.number.value), "to": .int(number.value)], now: now)
            } else if let last {
                let holds = last.digest == digest && UTCDay(containing: now) <= last.number.day
                number = holds ? last.number : last.number.next(at: now)
            } else {
                number = ConfigurationNumber(time: now)
            }
            if last?.number != number || last?.digest != digest {
                try database.run(
                    "INSERT OR REPLACE INTO configuration_number VALUES (1, ?, ?)",
                    [.integer(number.value), .text(digest)])
            }
            return (number, fault)
        }
    }
}
