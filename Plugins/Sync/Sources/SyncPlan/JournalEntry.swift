// SPDX-License-Identifier: Apache-2.0

/// One change in the journal, in effect from then on. A line has one or more entries.
public enum JournalEntry: Sendable, Hashable {
    /// A package of a source has this record now.
    case package(source: String, id: String, PackageRecord)
    /// A package of a source is forgotten: its record is removed.
    case forgotten(source: String, id: String)
    /// A source has these facts and this schedule now; the schedule is `nil` if it has none.
    case source(String, SourceFacts, StoredSchedule?)
    /// A person asked for a run of this source. The wish is fulfilled by the entry with which the run begins.
    case wished(source: String)
    /// The server's clock is this many seconds ahead of the board's, negative if it is behind; `nil` if that is unknown
    /// now.
    case clockOffset(Int64?)
}

/// The state that follows from a whole journal.
public struct SyncState: Sendable, Hashable {
    /// The record of each source, by the source's name; empty at first.
    public var sources: [String: SourceRecord] = [:]
    /// The number of seconds by which the server's clock is ahead of the board's, negative if it is behind, as last
    /// measured; `nil` if it is unknown.
    public var clockOffset: Int64?

    /// Creates the state of an empty journal: no sources, no clock offset.
    public init() {}

    /// Applies an entry to the state; to apply the same entry twice has no further effect.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .package(let source, let id, let record): sources[source, default: SourceRecord()].packages[id] = record
        case .forgotten(let source, let id): sources[source]?.packages[id] = nil
        case .source(let source, let facts, let schedule):
            sources[source, default: SourceRecord()].facts = facts
            sources[source]?.schedule = schedule
            if schedule?.isRunning == true { sources[source]?.isWished = false }
        case .wished(let source): sources[source, default: SourceRecord()].isWished = true
        case .clockOffset(let offset): clockOffset = offset
        }
    }

    /// The approximate number of ``entries``; if the journal has many more lines, it is written anew.
    public var entryCount: Int { sources.values.reduce(1) { $0 + 1 + $1.packages.count } }

    /// The entries that lead from an empty state to this one, with sources and packages in the order of their names.
    public var entries: [JournalEntry] {
        [.clockOffset(clockOffset)]
            + sources.sorted { $0.key < $1.key }.flatMap { name, record in
                [.source(name, record.facts, record.schedule)] + (record.isWished ? [.wished(source: name)] : [])
                    + record.packages.sorted { $0.key < $1.key }.map { .package(source: name, id: $0.key, $0.value) }
            }
    }
}
