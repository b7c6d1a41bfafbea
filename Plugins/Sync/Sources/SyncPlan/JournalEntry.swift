// SPDX-License-Identifier: Apache-2.0

/// One change in the journal: what is different from then on. A line of it has one or more.
public enum JournalEntry: Sendable, Hashable {
    /// The state of one package of a source has changed to this record.
    case package(source: String, id: String, PackageRecord)
    /// A package of a source is not of interest any more: its record goes.
    case forgotten(source: String, id: String)
    /// The facts of a source have changed, and its schedule is this one from now on; `nil` for none.
    case source(String, SourceFacts, StoredSchedule?)
    /// Somebody wants this source to be asked now. The entry with which a run of it begins says that the wish has come true.
    case wished(source: String)
    /// The server's clock was measured: by so many seconds it is ahead of ours, negative when it is behind; `nil` if that
    /// is unknown again.
    case clockOffset(Int64?)
}

/// The state that the whole journal adds up to.
public struct SyncState: Sendable, Hashable {
    /// The record of each source, by the source's name; empty at first.
    public var sources: [String: SourceRecord] = [:]
    /// The seconds that the server's clock is ahead of ours, negative when it is behind, as measured last; `nil` if it is
    /// unknown.
    public var clockOffset: Int64?

    /// A state before anything was done: no sources, no clock offset.
    public init() {}

    /// Changes the state as the entry says; the same entry twice changes nothing more.
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

    /// The number of entries that ``entries`` has, about: the journal is written anew if it has many more lines.
    public var entryCount: Int { sources.values.reduce(1) { $0 + 1 + $1.packages.count } }

    /// The entries that make this state out of an empty one, sources and packages in the order of their names.
    public var entries: [JournalEntry] {
        [.clockOffset(clockOffset)]
            + sources.sorted { $0.key < $1.key }.flatMap { name, record in
                [.source(name, record.facts, record.schedule)] + (record.isWished ? [.wished(source: name)] : [])
                    + record.packages.sorted { $0.key < $1.key }.map { .package(source: name, id: $0.key, $0.value) }
            }
    }
}
