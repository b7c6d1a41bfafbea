// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment

/// How long a board waits before it asks the registration authority again. Boards of a fleet start together when the power comes back; they ask
/// again at moments of their own, by their names.
enum EnrolmentPace {
    /// The first wait after a failure that may pass, in seconds; it doubles with each further one.
    static let firstWait: Int64 = 60
    /// The longest of these.
    static let longestWait: Int64 = 3_600
    /// The wait when somebody has to do something first: a board that is approved again finds that out by itself.
    static let longWait: Int64 = 86_400
    /// The longest wait at all: the clock may be set meanwhile, and the plugin says what holds once a day.
    static let longestRest: Int64 = 86_400

    /// Seconds until the next question after a failure, 1 to ``longWait`` and a tenth. `failures` counts those in a row, this one included.
    static func wait(after error: EnrolmentError, failures: Int, name: BoardName) -> Int64 {
        // What the server asks for is the least.
        if let asked = error.retryAfter, error.isTemporary { return asked + share(asked / 10, failures, name) }
        guard error.isTemporary else { return longWait + share(longWait / 10, failures, name) }
        let step = min(longestWait, firstWait << Int64(min(max(failures - 1, 0), 6)))
        return step / 2 + share(step / 2, failures, name)
    }

    /// Seconds until a board that is enrolled looks again: the moment when its certificate is renewed, or a day.
    static func rest(until moment: Int64, now: Int64) -> Int64 { min(max(1, moment - now), longestRest) }

    /// A part of `range` that is this board's own for this failure.
    private static func share(_ range: Int64, _ failures: Int, _ name: BoardName) -> Int64 {
        let digest = SHA256.digest(of: Array("wait \(failures) \(name.text)".utf8))
        return range * (Int64(digest[0]) << 8 | Int64(digest[1])) / 65_536
    }
}
