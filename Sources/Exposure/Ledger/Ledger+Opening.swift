// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension Ledger {
    /// Opens what is there, brings it to the present form, checks it and finishes an interrupted renewal.
    func openDatabase() throws {
        try connect()
        let definitions = try schema()
        guard !isWritable || !database.isReadOnly else { throw Self.damage("its header") }
        if definitions.isEmpty {
            guard isWritable else { throw LedgerFailure(.readOnly, "there is no ledger yet") }
            sealer = try RowSealer(key: keys.keys[0])
            try migrate(from: 0)
            step("ledger.open.made")
        } else {
            guard definitions.contains(LedgerForm.definition(.meta)) else { throw Self.damage("another schema") }
            let form = try findForm()
            guard form <= LedgerForm.steps.count else { throw LedgerFailure(.tooNew, "form \(form)") }
            try openAuditKey()
            if isWritable { try migrate(from: form) }
        }
        guard Set(try schema()) == Set(LedgerTable.allCases.map(LedgerForm.definition)) else {
            throw Self.damage("another schema")
        }
        try check()
        try removeDamagedRows()
        try finishRenewal()
    }

    private static func damage(_ detail: String) -> LedgerFailure { LedgerFailure(.damaged, detail) }

    private func connect() throws {
        guard let path else { return try LedgerPragmas.apply(to: database, isInMemory: true, isWritable: true) }
        if isWritable {
            // A log without its database belongs to one that was set aside.
            if folder.byteCount(path) == nil {
                try removeLogs(path)
                try folder.make(path)
            }
            database = try LedgerDatabase(path: path, vfs: vfs, access: .readWrite)
        } else {
            guard folder.byteCount(path) != nil else { throw LedgerFailure(.readOnly, "there is no ledger yet") }
            let hasLog = (folder.byteCount(path + "-wal") ?? 0) > 0
            database = try LedgerDatabase(path: path, vfs: vfs, access: hasLog ? .readOnly : .immutable)
        }
        try LedgerPragmas.apply(to: database, isInMemory: false, isWritable: isWritable)
    }

    private func schema() throws -> [String] {
        var texts: [String] = []
        // Tables without row numbers have no index of their own, so nothing else is there.
        try database.run("SELECT sql FROM sqlite_schema") { values in
            guard case .blob(let text) = values[0] else { throw Self.damage("another schema") }
            texts.append(String(decoding: text, as: UTF8.self))
        }
        return texts
    }

    /// The sealed form, and with it the key the rows are under.
    private func findForm() throws -> Int {
        for key in keys.keys {
            sealer = try RowSealer(key: key)
            if let content = try row(.meta, LedgerForm.formName) {
                var reader = LedgerReader(content)
                guard let form = reader.integer(UInt32.self) else { break }
                return Int(form)
            }
        }
        throw Self.damage("it cannot be unsealed")
    }

    private func openAuditKey() throws {
        guard let bytes = try row(.meta, LedgerForm.auditKeyName), bytes.count == SealedBox.keyByteCount else {
            throw Self.damage("it cannot be unsealed")
        }
        auditSealer = try RowSealer(key: SecretBytes(copying: bytes))
    }

    func storeAuditKey() throws {
        try put(.meta, LedgerForm.auditKeyName, auditSealer.key.withBytes { Array($0) })
    }

    private func migrate(from form: Int) throws {
        for number in form..<LedgerForm.steps.count {
            try transaction("ledger.open.made") {
                try LedgerForm.steps[number](self)
                try storeForm(number + 1)
            }
        }
        if let number = try database.integer("PRAGMA user_version"), number != Int64(LedgerForm.steps.count) {
            findings.append(.damagedRows(table: "header", count: 1))
            try database.run("PRAGMA user_version = \(LedgerForm.steps.count)")
        }
        if form == 0, let path { try folder.sync(folderOf: path) }
    }

    private func storeForm(_ form: Int) throws {
        var writer = LedgerWriter()
        writer.write(UInt32(form))
        try put(.meta, LedgerForm.formName, writer.bytes)
        try database.run("PRAGMA application_id = \(LedgerForm.applicationIdentifier)")
        try database.run("PRAGMA user_version = \(form)")
    }

    private func check() throws {
        try database.run("PRAGMA quick_check(1)") { values in
            guard values == [.blob(Array("ok".utf8))] else { throw Self.damage("its structure") }
        }
    }

    /// A damaged row costs itself. Entries of the audit log stay, for its verification tells of them.
    private func removeDamagedRows() throws {
        for table in LedgerTable.allCases where table != .audit {
            let damaged = try forEachRow(table) { _ in }
            guard !damaged.isEmpty else { continue }
            findings.append(.damagedRows(table: table.rawValue, count: damaged.count))
            guard isWritable else { continue }
            do {
                try transaction("ledger.write.commit") { for tag in damaged { try delete(table, tag: tag) } }
            } catch let failure as LedgerFailure where failure.code == .full {
                // They are not read either way.
            }
        }
    }

    func setAside(because reason: String) throws {
        guard let path else { return }
        // Lets go of the file first.
        database = try LedgerDatabase(path: nil, vfs: nil, access: .readWrite)
        let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let place = path[..<slash] + Self.damagedName
        try folder.rename(path, to: String(place))
        try folder.sync(folderOf: path)
        step("ledger.open.aside")
        try removeLogs(path)
        findings = [.setAside(as: Self.damagedName, because: reason)]
    }

    private func removeLogs(_ path: String) throws {
        let logs = ["-wal", "-journal", "-shm"].map { path + $0 }.filter { folder.byteCount($0) != nil }
        guard !logs.isEmpty else { return }
        for log in logs { try folder.remove(log) }
        try folder.sync(folderOf: path)
    }
}
