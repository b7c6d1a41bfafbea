// SPDX-License-Identifier: Apache-2.0

/// Something that happened and that the wearer may want to read of later. Must hold no secret.
public struct AuditEntry: Sendable, Hashable {
    /// Most bytes of an entry, encoded, inclusive: 12, and for each text its UTF-8 and 2 for its length. Our own bound.
    public static let maximumByteCount = 4_096

    /// The kind of event, such as `keys.released`, any text; shown to whoever reads the log.
    public var kind: String
    /// The actor, such as the name of a plugin or a role; any text.
    public var actor: String
    /// The time when it happened, Unix seconds; `nil` when the time was not known.
    public var time: Int64?
    /// Further texts by name, perhaps none; no secrets, no identifiers.
    public var details: [String: String]

    /// An entry of these parts; `time` is in Unix seconds, `nil` when not known. Its size is checked when it is appended.
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

/// An entry in its place in the chain.
public struct AuditRecord: Sendable, Hashable {
    /// Number of the entry from 1, without gaps: in the log, or among the common entries if it came from ``Ledger/commonAuditEntries()``.
    public let sequence: UInt64
    /// The entry itself; without secrets, at most ``AuditEntry/maximumByteCount`` bytes.
    public let entry: AuditEntry
    /// SHA-256, 32 bytes, over the hash of the entry before in the log (32 bytes; zeros before the first), the number in the log (8 bytes,
    /// little-endian) and the encoded entry.
    public let hash: [UInt8]
}

/// The result of verifying the audit log.
public struct AuditVerdict: Sendable, Hashable {
    /// The number of entries with a whole chain, from the oldest kept up to the first that is broken; 0 or more.
    public let intact: Int
    /// Number (from 1) of the first entry that is missing, changed or unreadable, or for which the stored ends of the chain do not fit; it can be
    /// one more than the newest has. `nil` when all is well.
    public let firstBroken: UInt64?
    /// The number of entries that were dropped because the log was full, since it began, 0 or more. The chain goes on from
    /// the last of them.
    public let dropped: UInt64

    /// Whether every entry from the oldest kept to the newest is there, unchanged.
    public var isIntact: Bool { firstBroken == nil }

    /// A verdict of these numbers, unchecked; `firstBroken` is the number of an entry, `nil` when all is well.
    public init(intact: Int, firstBroken: UInt64?, dropped: UInt64) {
        self.intact = intact
        self.firstBroken = firstBroken
        self.dropped = dropped
    }
}
