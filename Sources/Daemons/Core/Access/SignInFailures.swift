// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Wrong secrets that are not on record yet. On record at most once a minute for each role: who tries a thousand secrets must not fill the disk.
struct SignInFailures {
    private static let pause = Duration.seconds(60)

    private var pending: [Access1.Role: (count: Int, noted: Duration?)] = [:]

    /// One more at `now`, on the boot clock. Gives how many are to be put on record, this one among them; `nil` while it is too early.
    mutating func add(_ role: Access1.Role, at now: Duration) -> Int? {
        var failures = pending[role] ?? (count: 0, noted: nil)
        failures.count += 1
        if let noted = failures.noted, now - noted < Self.pause {
            pending[role] = failures
            return nil
        }
        pending[role] = (count: 0, noted: now)
        return failures.count
    }
}
