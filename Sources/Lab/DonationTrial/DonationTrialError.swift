// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a trial or a judgement has no result, in words.
package struct DonationTrialError: Error, Hashable, CustomStringConvertible {
    /// The file; empty if it is about none.
    package let file: String
    /// The number of the line, from 1; 0 if it is about the whole file.
    package let line: Int
    /// What is wrong.
    package let message: String

    init(file: String = "", line: Int = 0, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// The reason that the system gave for the last call that failed.
    static func system(_ path: String) -> DonationTrialError {
        DonationTrialError(file: path, String(cString: strerror(errno)))
    }

    /// File, line and message, for a person.
    package var description: String {
        file.isEmpty ? message : line == 0 ? "\(file): \(message)" : "\(file), line \(line): \(message)"
    }
}
