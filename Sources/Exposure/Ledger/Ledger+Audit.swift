// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension Ledger {
    /// The maximum number of entries in the audit log, inclusive; beyond it the oldest are dropped. The number is
    /// this project's own.
    public static let maximumAuditEntries = 5_000
    /// The maximum number of entries that ``commonAuditEntries()`` returns: half of those kept, so that the number of
    /// the wearer's entries between them does not affect which are returned. The number is this project's own.
    public static let maximumCommonEntries = 2_500

    /// The ends of the chain, in a sealed row of `meta`: first sequence kept (8), hash before it (32), next sequence (8), last hash (32).
    private struct Ends {
        static let name = Array("audit ends".utf8)
        var first: UInt64 = 1
        var anchor = [UInt8](repeating: 0, count: SHA256.byteCount)
        var next: UInt64 = 1
        var last = [UInt8](repeating: 0, count: SHA256.byteCount)

        var bytes: [UInt8] {
            var writer = LedgerWriter()
            writer.write(first)
            writer.write(raw: anchor)
            writer.write(next)
            writer.write(raw: last)
            return writer.bytes
        }

        init() {}

        init?(_ bytes: [UInt8]) {
            var reader = LedgerReader(bytes)
            guard let first = reader.integer(UInt64.self), let anchor = reader.raw(SHA256.byteCount),
                let next = reader.integer(UInt64.self), let last = reader.raw(SHA256.byteCount), reader.isAtEnd,
                first <= next
            else { return nil }
            (self.first, self.anchor, self.next, self.last) = (first, anchor, next, last)
        }
    }

    private static let goneName = Array("audit gone".utf8)

    /// How many entries have gone that were not the wearer's alone.
    private func goneCommon() throws -> UInt64 {
        guard let stored = try row(.meta, Self.goneName) else { return 0 }
        var reader = LedgerReader(stored)
        return reader.integer(UInt64.self) ?? 0
    }

    private func countGoneCommon() throws {
        var writer = LedgerWriter()
        writer.write(try goneCommon() + 1)
        try put(.meta, Self.goneName, writer.bytes)
    }

    /// The ends as stored. When they were lost the chain goes on after the last entry there is, and verification says so.
    private func ends() throws -> Ends {
        if let stored = try row(.meta, Ends.name).flatMap(Ends.init) { return stored }
        var ends = Ends()
        if let newest = try database.integer("SELECT max(written) FROM audit") { ends.next = UInt64(clamping: newest) &+ 1 }
        return ends
    }

    private static func tag(_ sequence: UInt64) -> [UInt8] { withUnsafeBytes(of: sequence.bigEndian) { Array($0) } }

    static func hash(after last: [UInt8], _ sequence: UInt64, _ entry: [UInt8]) -> [UInt8] {
        SHA256.digest(of: last + withUnsafeBytes(of: sequence.littleEndian) { Array($0) } + entry)
    }

    private static func record(_ row: Row) -> AuditRecord? {
        guard row.content.count >= SHA256.byteCount, let sequence = UInt64(exactly: row.written), row.tag == tag(sequence),
            let entry = AuditEntry(Array(row.content[SHA256.byteCount...]))
        else { return nil }
        return AuditRecord(sequence: sequence, entry: entry, hash: Array(row.content[..<SHA256.byteCount]))
    }

    func append(_ entry: AuditEntry) throws -> UInt64 {
        guard let bytes = entry.bytes else { throw LedgerFailure(.invalid, "an audit entry beyond its size") }
        var ends = try ends()
        let sequence = ends.next
        ends.last = Self.hash(after: ends.last, sequence, bytes)
        ends.next += 1
        try insert(
            .audit, tag: Self.tag(sequence), written: Int64(clamping: sequence), name: [], ends.last + bytes)
        while ends.next - ends.first > UInt64(Self.maximumAuditEntries) {
            if let gone = try row(.audit, tag: Self.tag(ends.first)) {
                ends.anchor = Array(gone.content.prefix(SHA256.byteCount))
                if let entry = Self.record(gone)?.entry, !isPersonal(entry) { try countGoneCommon() }
            }
            try delete(.audit, tag: Self.tag(ends.first))
            ends.first += 1
        }
        try put(.meta, Ends.name, ends.bytes)
        return sequence
    }

    /// Begins the log anew, under another key: of the entries before neither contents nor number are left.
    func beginAuditAnew() throws {
        try database.run("DELETE FROM \(LedgerTable.audit.rawValue)")
        for name in [Ends.name, Self.goneName] { try delete(.meta, tag: sealer.tag(.meta, name)) }
        auditSealer = try RowSealer(key: SecretBytes(count: SealedBox.keyByteCount, from: &generator))
        try storeAuditKey()
    }

    /// Returns the readable ones of the first `limit` entries with a number above `sequence`, oldest first.
    /// Unreadable entries make the list shorter, and ``verifyAudit()`` reports them. A `limit` below 0 counts as 0.
    /// Throws ``LedgerFailure`` when the database cannot be read.
    public func auditEntries(after sequence: UInt64 = 0, limit: Int) throws -> [AuditRecord] {
        var records: [AuditRecord] = []
        try forEachRow(.audit, after: Int64(clamping: sequence), limit: max(0, limit)) { row in
            if let record = Self.record(row) { records.append(record) }
        }
        return records
    }

    /// Returns the newest entries that do not belong to the wearer alone (``isPersonal``), at most
    /// ``maximumCommonEntries``, oldest first, and the number of such entries before them, whether kept or not. They
    /// are numbered separately, from 1, so that their numbers reveal nothing about the wearer's entries. Unreadable
    /// entries are left out. Throws ``LedgerFailure`` when the database cannot be read.
    public func commonAuditEntries() throws -> (records: [AuditRecord], dropped: UInt64) {
        var records: [AuditRecord] = []
        var number = try goneCommon()
        try forEachRow(.audit) { row in
            guard let record = Self.record(row), !isPersonal(record.entry) else { return }
            number += 1
            records.append(AuditRecord(sequence: number, entry: record.entry, hash: record.hash))
        }
        records.removeFirst(max(0, records.count - Self.maximumCommonEntries))
        return (records, number - UInt64(records.count))
    }

    /// Verifies the hash chain from the oldest entry kept to the newest, in time proportional to their number. A
    /// broken chain is not an error but part of the verdict. Throws ``LedgerFailure`` when the database cannot be
    /// read.
    public func verifyAudit() throws -> AuditVerdict {
        let ends = try ends()
        var (expected, last) = (ends.first, ends.anchor)
        var isBroken = false
        try forEachRow(.audit) { row in
            guard !isBroken, let record = Self.record(row), record.sequence == expected, let bytes = record.entry.bytes,
                record.hash == Self.hash(after: last, expected, bytes)
            else { return isBroken = true }
            (expected, last) = (expected + 1, record.hash)
        }
        // Also when the newest are missing.
        let isWhole = !isBroken && expected == ends.next && last == ends.last
        return AuditVerdict(
            intact: Int(expected - ends.first), firstBroken: isWhole ? nil : expected, dropped: ends.first - 1)
    }
}

extension LedgerTransaction {
    /// Appends `entry` to the audit log and returns its number; beyond ``Ledger/maximumAuditEntries`` the oldest
    /// entries are dropped. Throws ``LedgerFailure``: `invalid` when the entry has more than
    /// ``AuditEntry/maximumByteCount`` bytes, or what the disk refuses.
    @discardableResult
    public func audit(_ entry: AuditEntry) throws -> UInt64 { try ledger.append(entry) }
}
