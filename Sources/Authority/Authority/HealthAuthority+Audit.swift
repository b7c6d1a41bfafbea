// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import JSON
import SQLiteFile

/// One entry of the audit, such as keys that were handed in or a package that was published. Never holds a key.
public struct AuditEvent: Sendable, Hashable {
    /// The number of the event: from 1, without gaps.
    public let sequence: Int64
    /// The time of the event by this machine's clock, in Unix seconds. For `keys-accepted`, which counts all
    /// submissions of an hour, it is the end of that hour, so that no single submission shows.
    public let time: Int64
    /// The stable name of what happened, for example `package-published`.
    public let event: String
    /// The numbers and names that belong to the event; its members depend on ``event``. A stored text that is not JSON is
    /// given as a string.
    public let detail: JSON

    /// The event as one JSON object: `sequence`, `time` in UTC as text, `event`, `detail`.
    public var json: JSON {
        [
            "sequence": .int(sequence), "time": .string(Hour.text(time)), "event": .string(event), "detail": detail,
        ]
    }
}

extension HealthAuthority {
    /// Adds to the audit, in the transaction of what it tells about. Each entry holds the hash of all before it.
    func note(_ event: String, _ detail: JSON.Object, now: Int64) throws(AuthorityError) {
        let text = JSON.object(detail).description
        let sequence = (try database.first("SELECT max(sequence) FROM audit")?.integer ?? 0) + 1
        let before = try database.first("SELECT chain FROM audit WHERE sequence = ?", [.integer(sequence - 1)])?.blob ?? []
        try database.run(
            "INSERT INTO audit VALUES (?, ?, ?, ?, ?)",
            [
                .integer(sequence), .integer(now), .text(event), .text(text),
                .blob(Self.chain(before, sequence, now, event, text)),
            ])
    }

    private static func chain(
        _ before: [UInt8], _ sequence: Int64, _ time: Int64, _ event: String, _ text: String
    ) -> [UInt8] {
        SHA256.digest(of: before + Array("\(sequence)\n\(time)\n\(event)\n\(text)".utf8))
    }

    /// Returns the events of the audit numbered `sequence` or higher, oldest first, and whether the whole chain is intact.
    /// Changing or removing an entry breaks the chain, except that removed last entries are not noticed. Throws
    /// `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database cannot be read.
    public func audit(since sequence: Int64 = 1) throws(AuthorityError) -> (events: [AuditEvent], isWhole: Bool) {
        var events: [AuditEvent] = []
        var isWhole = true
        var before: [UInt8] = []
        var expected: Int64 = 1
        try database.run("SELECT sequence, time, event, detail, chain FROM audit ORDER BY sequence") { row in
            guard let number = row[0].integer, let time = row[1].integer, let event = row[2].text,
                let text = row[3].text, let chain = row[4].blob
            else {
                isWhole = false
                return
            }
            if number != expected || chain != Self.chain(before, number, time, event, text) { isWhole = false }
            expected = number + 1
            before = chain
            if number >= sequence {
                let detail = (try? JSON(parsing: Array(text.utf8))) ?? .string(text)
                events.append(AuditEvent(sequence: number, time: time, event: event, detail: detail))
            }
        }
        return (events, isWhole)
    }
}
