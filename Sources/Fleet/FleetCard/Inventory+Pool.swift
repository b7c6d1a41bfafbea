// SPDX-License-Identifier: Apache-2.0

import SQLiteFile

/// The pool of tokens in the inventory: its events beside those of the cards, in the same list that is only added to.
extension Inventory {
    /// Returns the boards of the pool, sorted by name: those with a card, and those that were added. Throws
    /// ``InventoryFault`` when the file cannot be read.
    public func pool() throws(InventoryFault) -> [PoolToken] { try tokens(nil) }

    /// Notes the same for all of these tokens, or for none of them; durable when this returns. Returns what is known of
    /// them then, in the order of `serials`. With `isDry` everything is checked and nothing noted. `time` is in Unix seconds.
    /// Throws ``PoolFault`` when one of them is unknown or it cannot be, and ``InventoryFault`` when the file cannot be
    /// written.
    public func note(
        _ verb: PoolToken.Verb, of serials: [BoardSerial], _ detail: PoolToken.Detail, at time: Int64, isDry: Bool = false
    ) throws -> [PoolToken] {
        var changed: [PoolToken] = []
        var refusal: PoolFault?
        // A refusal comes before anything is written, because it does not undo the transaction.
        try database.transaction { () throws(InventoryFault) in
            for serial in serials {
                switch try foresee(verb, of: serial, detail, at: time) {
                case .success(let token): changed.append(token)
                case .failure(let fault):
                    refusal = fault
                    return
                }
            }
            guard !isDry else { return }
            for token in changed {
                if verb == .add {
                    try database.run(
                        "INSERT INTO board (serial, name, key) VALUES (?, ?, ?) ON CONFLICT (serial) DO NOTHING",
                        [.text("\(token.serial)"), .text("\(token.serial)"), .text("\(token.serial)")])
                }
                try database.run(
                    "INSERT INTO event (serial, kind, time, detail) VALUES (?, ?, ?, ?)",
                    [.text("\(token.serial)"), .text(verb.kind), .integer(time), .text(detail.text)])
            }
        }
        if let refusal { throw refusal }
        return changed
    }

    /// What would be known of a token afterwards; writes nothing.
    private func foresee(
        _ verb: PoolToken.Verb, of serial: BoardSerial, _ detail: PoolToken.Detail, at time: Int64
    ) throws(InventoryFault) -> Result<PoolToken, PoolFault> {
        var found = try tokens(serial).first
        if verb == .add, found == nil {
            let other = try database.first(
                "SELECT serial FROM board WHERE key = ?1 AND serial <> ?1", [.text("\(serial)")])?.text
            guard other == nil else {
                return .failure(
                    .refused(
                        serial,
                        "is the name of another board in this inventory, \(other ?? ""). Give that one's serial number, or take another inventory"
                    ))
            }
            found = PoolToken(serial: serial, name: "\(serial)")
        }
        guard var token = found else { return .failure(.unknown(serial)) }
        do throws(PoolFault) { try token.check(verb, detail) } catch { return .failure(error) }
        token.apply(verb, detail, at: time)
        return .success(token)
    }

    /// All of them, or the one with this serial number.
    private func tokens(_ serial: BoardSerial?) throws(InventoryFault) -> [PoolToken] {
        var found: [PoolToken] = []
        try database.run(
            """
            SELECT board.serial, name, kind, time, detail FROM board JOIN event ON event.serial = board.serial \
            WHERE (kind IN ('cardMade', 'cardWritten') OR kind LIKE 'pool.%')\(serial == nil ? "" : " AND board.serial = ?") \
            ORDER BY board.key, board.serial, sequence
            """, serial.map { [.text("\($0)")] } ?? []
        ) { row in
            guard let serial = row[0].text.flatMap({ BoardSerial($0) }) else { return }
            if found.last?.serial != serial { found.append(PoolToken(serial: serial, name: row[1].text ?? "")) }
            guard let kind = row[2].text, kind.hasPrefix("pool.") else {
                found[found.count - 1].applyNewCard()
                return
            }
            guard let verb = PoolToken.Verb(rawValue: String(kind.dropFirst(5))) else { return }
            found[found.count - 1].apply(verb, .init(parsing: row[4].text ?? ""), at: row[3].integer ?? 0)
        }
        return found
    }
}
