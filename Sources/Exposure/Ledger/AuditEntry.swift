// SPDX-License-Identifier: Apache-2.0

/// An event that the wearer may want to read about later. It must have no secrets.
public struct AuditEntry: Sendable, Hashable {
    /// The maximum size of an encoded entry in bytes, inclusive: it has 12 bytes, and for each text its UTF-8 and 2
    /// bytes of length. The number is this project's own.
    public static let maximumByteCount = 4_096

    /// The kind of event, such as `keys.released`, any text; it is shown to readers of the log.
    public var kind: String
    /// The name of the plugin or role that acted; any text.
    public var actor: String
    /// The time of the event, in Unix seconds; `nil` when it was not known.
    public var time: Int64?
    /// Further texts by name, may be empty; no secrets and no identifiers.
    public var details: [String: String]

    /// Creates an entry; `time` is in Unix seconds, `nil` when not known. The size is checked when the entry is
    /// appended.
    public init(kind: String, actor: String, time: Int64?, details: [String: String] = [:]) {
        self.kind = kind
        self.actor = actor
        self.time = time
        self.details = details
    }

    /// Version (1), time there (1), time (8), kind, actor, number of details (2), then name and value of each, by name. Strings have their
    /// length (2) before them. `nil` beyond ``maximumByteCount``.
    var bytes: [UInt8]? {
        let strings = [kind, actor] + details.flatMap { [$0.key, $0.value] }
        guard strings.reduce(12, { $0 + 2 + $1.utf8.count }) <= Self.maximumByteCount else { return nil }
        var writer = LedgerWriter()
        writer.write(UInt8(1))
        writer.write(UInt8(time == nil ? 0 : 1))
        writer.write(time ?? 0)
        writer.write(kind)
        writer.write(actor)
        writer.write(UInt16(details.count))
        for (name, value) in details.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            writer.write(value)
        }
        return writer.bytes
    }

    /// `nil` for anything ``bytes`` cannot have been.
    init?(_ bytes: [UInt8]) {
        var reader = LedgerReader(bytes)
        guard reader.integer(UInt8.self) == 1, let hasTime = reader.integer(UInt8.self), hasTime <= 1,
            let time = reader.integer(Int64.self), hasTime == 1 || time == 0, let kind = reader.string(),
            let actor = reader.string(), let count = reader.integer(UInt16.self)
        else { return nil }
        self.init(kind: kind, actor: actor, time: hasTime == 1 ? time : nil)
        for _ in 0..<count {
            guard let name = reader.string(), let value = reader.string(), details[name] == nil else { return nil }
            details[name] = value
        }
        guard reader.isAtEnd, self.bytes == bytes else { return nil }
    }
}

/// An entry with its number and its place in the hash chain.
public struct AuditRecord: Sendable, Hashable {
    /// The number of the entry, from 1 without gaps: in the log, or among the common entries if it came from
    /// ``Ledger/commonAuditEntries()``.
    public let sequence: UInt64
    /// The entry itself, without secrets; at most ``AuditEntry/maximumByteCount`` bytes when encoded.
    public let entry: AuditEntry
    /// The SHA-256, 32 bytes, over the hash of the previous entry in the log (32 bytes; zeros before the first), the
    /// number in the log (8 bytes, little-endian) and the encoded entry.
    public let hash: [UInt8]
}

/// The result of verifying the audit log.
public struct AuditVerdict: Sendable, Hashable {
    /// The number of entries whose chain is intact, from the oldest one kept to the first broken one; 0 or more.
    public let intact: Int
    /// The number, from 1, of the first entry that is missing, changed or unreadable, or at which the stored ends of
    /// the chain do not match; it can be one more than that of the newest entry. `nil` when the log is intact.
    public let firstBroken: UInt64?
    /// The number of entries that were dropped since the log began because it was full, 0 or more. The chain
    /// continues from the last of them.
    public let dropped: UInt64

    /// Whether every entry from the oldest one kept to the newest is there and unchanged.
    public var isIntact: Bool { firstBroken == nil }

    /// Creates a verdict from these numbers, which are not checked; `firstBroken` is the number of an entry, `nil`
    /// when the log is intact.
    public init(intact: Int, firstBroken: UInt64?, dropped: UInt64) {
        self.intact = intact
        self.firstBroken = firstBroken
        self.dropped = dropped
    }
}
