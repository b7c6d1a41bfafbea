// SPDX-License-Identifier: Apache-2.0

import Socks

/// Which refusals of one caller are written down: each kind once in a while, and never more than a few a minute, so that no caller can
/// fill the log with names of its choice.
struct RefusalLog {
    /// Lines a minute.
    static let linesPerMinute = 8
    /// The same refusal is not written again before that.
    static let sameAgain = Duration.seconds(3600)

    private struct Kind: Hashable {
        let rule: Refusal.Rule
        let destination: Destination?
    }

    private var written: [Kind: Duration] = [:]
    private var minuteBegan: Duration?
    private var lines = 0
    private var silent: UInt64 = 0

    /// Whether to write it down, and how many were not since the last that was.
    mutating func note(_ refusal: Refusal, at now: Duration) -> (isWritten: Bool, silentBefore: UInt64) {
        if minuteBegan.map({ now - $0 >= .seconds(60) }) ?? true {
            minuteBegan = now
            lines = 0
            written = written.filter { now - $0.value < Self.sameAgain }
        }
        let kind = Kind(rule: refusal.rule, destination: refusal.destination)
        let isOld = written[kind].map { now - $0 < Self.sameAgain } ?? false
        guard !isOld, lines < Self.linesPerMinute else {
            silent += 1
            return (false, 0)
        }
        lines += 1
        written[kind] = now
        defer { silent = 0 }
        return (true, silent)
    }
}
