// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// An opened row.
    struct Row {
        let tag: [UInt8]
        /// Place in the order of writing.
        let written: Int64
        /// What the tag stands for; sealed beside the content, so that a fresh key can make a fresh tag.
        let name: [UInt8]
        let content: [UInt8]

        /// `nil` for what ``Ledger/insert(_:tag:written:name:_:)`` cannot have made.
        init?(tag: [UInt8], written: Int64, message: [UInt8]) {
            var reader = LedgerReader(message)
            guard let name = reader.counted(), let content = reader.raw(message.count - 2 - name.count) else { return nil }
            (self.tag, self.written, self.name, self.content) = (tag, written, name, content)
        }
    }

    func sealer(of table: LedgerTable) -> RowSealer { table == .audit ? auditSealer : sealer }

    /// The content under `name`; `nil` when there is none, or when it cannot be opened.
    func row(_ table: LedgerTable, _ name: [UInt8]) throws -> [UInt8]? {
        try row(table, tag: sealer.tag(table, name))?.content
    }

    func row(_ table: LedgerTable, tag: [UInt8]) throws -> Row? {
        var found: Row?
        try database.run("SELECT written, content FROM \(table.rawValue) WHERE tag = ?", [.blob(tag)]) { values in
            guard case .integer(let written) = values[0], case .blob(let sealed) = values[1] else { return }
            found = open(table, tag, written, sealed)
        }
        return found
    }

    private func open(_ table: LedgerTable, _ tag: [UInt8], _ written: Int64, _ sealed: [UInt8]) -> Row? {
        sealer(of: table).open(sealed, table, tag: tag, written: written).flatMap {
            Row(tag: tag, written: written, message: $0)
        }
    }

    /// Every row that opens, in the order of writing; gives the tags of the others.
    @discardableResult
    func forEachRow(
        _ table: LedgerTable, after written: Int64 = .min, limit: Int = .max, _ body: (Row) throws -> Void
    ) throws -> [[UInt8]] {
        var damaged: [[UInt8]] = []
        try database.run(
            "SELECT tag, written, content FROM \(table.rawValue) WHERE written > ? ORDER BY written, tag LIMIT ?",
            [.integer(written), .integer(Int64(clamping: limit))]
        ) { values in
            guard case .blob(let tag) = values[0] else { return }
            if case .integer(let written) = values[1], case .blob(let sealed) = values[2],
                let row = open(table, tag, written, sealed)
            {
                try body(row)
            } else {
                damaged.append(tag)
            }
        }
        return damaged
    }

    func rows(_ table: LedgerTable) throws -> [Row] {
        var rows: [Row] = []
        try forEachRow(table) { rows.append($0) }
        return rows
    }

    func count(_ table: LedgerTable) throws -> Int {
        Int(try database.integer("SELECT count(*) FROM \(table.rawValue)") ?? 0)
    }

    /// Writes `content` under `name`, as the newest row, or in the place the row had when `keepsPlace`.
    func put(_ table: LedgerTable, _ name: [UInt8], _ content: [UInt8], keepsPlace: Bool = false) throws {
        let tag = try sealer.tag(table, name)
        let place = keepsPlace ? try row(table, tag: tag)?.written : nil
        let newest = try database.integer("SELECT max(written) FROM \(table.rawValue)") ?? 0
        try insert(table, tag: tag, written: place ?? newest &+ 1, name: name, content)
    }

    func insert(_ table: LedgerTable, tag: [UInt8], written: Int64, name: [UInt8], _ content: [UInt8]) throws {
        if table == .file { fileCount = nil }
        var writer = LedgerWriter()
        writer.write(counted: name)
        writer.write(raw: content)
        let sealed = try sealer(of: table).seal(writer.bytes, table, tag: tag, written: written, using: &generator)
        try database.run(
            """
            INSERT INTO \(table.rawValue) (tag, written, content) VALUES (?, ?, ?)
            ON CONFLICT (tag) DO UPDATE SET written = excluded.written, content = excluded.content
            """, [.blob(tag), .integer(written), .blob(sealed)])
    }

    func delete(_ table: LedgerTable, tag: [UInt8]) throws {
        if table == .file { fileCount = nil }
        try database.run("DELETE FROM \(table.rawValue) WHERE tag = ?", [.blob(tag)])
    }

    /// Deletes the rows `isGone` says; gives how many.
    @discardableResult
    func delete(_ table: LedgerTable, where isGone: (Row) -> Bool) throws -> Int {
        let gone = try rows(table).filter(isGone)
        for row in gone { try delete(table, tag: row.tag) }
        return gone.count
    }

    /// Leaves the `count` rows written last.
    func trim(_ table: LedgerTable, to count: Int) throws {
        let excess = try self.count(table) - count
        guard excess > 0 else { return }
        if table == .file { fileCount = nil }
        try database.run(
            """
            DELETE FROM \(table.rawValue) WHERE tag IN
            (SELECT tag FROM \(table.rawValue) ORDER BY written, tag LIMIT ?)
            """, [.integer(Int64(excess))])
    }
}
