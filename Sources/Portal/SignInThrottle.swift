// SPDX-License-Identifier: Apache-2.0

/// Slows down who tries passwords, without a way to lock others out for long.
///
/// Failures are counted by user and browser: one count for each browser the user signed in from before (which it proves with a cookie),
/// one for all strangers together ("device cookies", OWASP). So a stranger who tries somebody's name slows down strangers, not the
/// user's own browser. Strangers also share a budget over all names, because each try costs the machine a share of a second.
/// It knows names that do not exist like those that do. Forgets with the process.
public struct SignInThrottle: Sendable {
    /// Whose failures are counted together.
    public enum Party: Hashable, Sendable {
        case stranger(user: String)
        case browser(user: String, number: String)
    }

    /// So many failures cost nothing; each further one doubles the wait.
    static let freeFailures = 5
    /// No wait is longer: who knows the password waits at most so long, whatever others do.
    public static let longestWaitSeconds: Int64 = 60
    /// A failure is forgotten after so long without another.
    static let memorySeconds: Int64 = 3_600
    /// Strangers' tries at once, and seconds in which one more comes.
    static let budget: Int64 = 20
    static let budgetSeconds: Int64 = 3
    /// Names that are remembered; strangers cannot fill the memory.
    static let partyLimit = 10_000

    private struct Record {
        var failures = 0
        var last: Int64 = 0
    }

    private var records: [Party: Record] = [:]
    private var spent: Int64 = 0
    private var spentTime: Int64 = 0

    /// Nothing happened yet.
    public init() {}

    /// Seconds to wait before a try; 0 when it may be made now. Whoever makes it says so with ``begin(_:now:)``.
    public func wait(_ party: Party, now: Int64) -> Int64 {
        let own = records[party].map { max(0, min($0.last, now) + Self.pause(after: $0.failures) - now) } ?? 0
        guard case .stranger = party else { return own }
        return max(own, spentNow(now) < Self.budget ? 0 : Self.budgetSeconds)
    }

    static func pause(after failures: Int) -> Int64 {
        guard failures >= freeFailures else { return 0 }
        return min(longestWaitSeconds, 1 << min(Int64(failures - freeFailures), 20))
    }

    private func spentNow(_ now: Int64) -> Int64 { max(0, spent - max(0, now - spentTime) / Self.budgetSeconds) }

    /// A try is made: it counts as a failure until ``succeeded(_:)``.
    public mutating func begin(_ party: Party, now: Int64) {
        if case .stranger = party {
            let left = spentNow(now)
            // The part of a step that has passed is kept.
            spentTime = left == 0 || now < spentTime ? now : now - (now - spentTime) % Self.budgetSeconds
            spent = left + 1
        }
        records = records.count < Self.partyLimit ? records : records.filter { now - $0.value.last < Self.memorySeconds }
        if records.count >= Self.partyLimit, let oldest = records.min(by: { $0.value.last < $1.value.last })?.key {
            records[oldest] = nil
        }
        var record = records[party] ?? Record()
        if now - record.last >= Self.memorySeconds { record.failures = 0 }
        record.failures += 1
        record.last = now
        records[party] = record
    }

    /// The password was right.
    public mutating func succeeded(_ party: Party) { records[party] = nil }
}
