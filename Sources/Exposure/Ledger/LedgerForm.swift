// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The form of the database and how an older one becomes the present one.
///
/// The number is twice in the file: `user_version` for whoever looks with a tool, and in a sealed row, which is the one that counts, since a
/// flipped bit cannot change it. The table `meta` keeps its shape in every form to come.
enum LedgerForm {
    /// Brings form 0 (nothing) to 1, 1 to 2 and so on, each in one transaction. Forms that were released never change.
    static let steps: [@Sendable (Ledger) throws -> Void] = [
        { ledger in
            for table in LedgerTable.allCases { try ledger.database.run(definition(table)) }
            ledger.auditSealer = try RowSealer(key: SecretBytes(count: SealedBox.keyByteCount, from: &ledger.generator))
            try ledger.storeAuditKey()
        },
        // Matches know who published them. Those that are there do not; what cannot be read is found as damage later.
        { ledger in
            for row in try ledger.rows(.match) {
                guard let match = MatchCoding.decodeFirstForm(row.content), let bytes = MatchCoding.encode(match) else {
                    continue
                }
                try ledger.insert(.match, tag: row.tag, written: row.written, name: row.name, bytes)
            }
        },
    ]

    static func definition(_ table: LedgerTable) -> String {
        "CREATE TABLE \(table.rawValue) (tag BLOB PRIMARY KEY, written INTEGER NOT NULL, content BLOB NOT NULL) WITHOUT ROWID"
    }

    /// `VGLG`: tools that know files by their first bytes show it.
    static let applicationIdentifier = 0x5647_4C47
    static let formName = Array("form".utf8)
    static let auditKeyName = Array("audit key".utf8)
}
