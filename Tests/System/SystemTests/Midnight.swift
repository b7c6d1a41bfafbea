// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A day's key is good for nothing before its first ten minutes (UTC) are over, and another one the day after: tests that count released
/// keys cannot say how many there are around midnight.
enum Midnight {
    /// Cancels the test from two minutes before midnight until ten minutes after.
    static func keepAway() throws {
        let second = Int(time(nil)) % 86_400
        if second < 610 || second > 86_400 - 120 {
            try Test.cancel("It is near midnight (UTC), when there are fewer keys. Run it again in a quarter of an hour.")
        }
    }
}
