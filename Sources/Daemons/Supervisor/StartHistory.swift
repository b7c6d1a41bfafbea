// SPDX-License-Identifier: Apache-2.0

import Supervision

/// How the board's last starts went, in the file `starts` beside the data; and so whether this one is a safe one.
struct StartHistory {
    /// Whether only the core and the page are started.
    let isSafeMode: Bool
    /// How the life before this one ended; `nil` when nobody knows.
    let lastEnd: StartRecord.End?
    /// Whether this start has lasted ``StartRecord/soundAfter``.
    private(set) var isProved = false
    private var record: StartRecord
    private let path: String

    /// Reads the file and counts this start; `store()` has to follow.
    init(data: String, boot: String) {
        path = "\(data)/starts"
        record = StartRecord(parsing: Folders.read(path, limit: StartRecord.maximumByteCount) ?? [])
        lastEnd = record.end(boot: boot)
        isSafeMode = record.begin(boot: boot)
    }

    /// Starts in a row, this one included, that have not proved sound.
    var count: Int { record.count }

    /// This start has lasted long enough.
    mutating func prove() {
        isProved = true
        record.prove()
    }

    /// A person wants a plugin in spite of safe mode, or this life ends because somebody wants it to: no boot loop.
    mutating func finish() { record.finish() }

    /// Written as a whole. Not synced: a count that a power cut takes back delays the safe mode by one start.
    func store() throws(Folders.Failure) { try Folders.replace(path, with: record.bytes, mode: 0o644) }
}
