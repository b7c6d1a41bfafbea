// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The second part of what a device keeps: matches, files matched, attempts, consents, the audit log, evidence and settings, in SQLite,
/// every row sealed.
///
/// What ``write(_:)`` returned from survives a cut at any instruction. The beacon does not depend on it. Blocks on the disk; one owner,
/// on a thread of its own.
public final class Ledger {
    /// Something a technician should know of. Each is reported once.
    public enum Finding: Sendable, Hashable {
        /// The file could not be used as a ledger; it was renamed to the file name `as`, and an empty one took its place. `because` is the
        /// failure's detail.
        case setAside(as: String, because: String)
        /// `count` rows of `table` could not be opened. They were removed if the disk could be written to; the others are there. For the table
        /// `header`, the number of the form in the file's header was wrong, and is mended.
        case damagedRows(table: String, count: Int)
        /// A renewal of the key was interrupted and is finished now.
        case renewalFinished
        /// An interrupted renewal of the key could not be finished, for a failure of this code; the next opening or renewal does it.
        case renewalPending(LedgerFailure.Code)
        /// The disk cannot be written to, or must not: everything can be read, nothing changed.
        case readOnly
    }

    /// The names of the points ``stepHook`` is called at, in the order in which a ledger comes to them.
    public static let steps = [
        "ledger.open.aside", "ledger.open.made", "ledger.write.begin", "ledger.write.commit", "ledger.write.committed",
        "ledger.renew.stage", "ledger.renew.staged", "ledger.renew.commit", "ledger.renew.committed",
        "ledger.renew.retired",
    ]
    /// The file name that a damaged ledger is moved to, in the same folder, in place of one moved there before. Our own choice.
    public static let damagedName = "damaged-ledger.sqlite"

    /// Called on the owner's thread before and after each durable step, with one of ``steps``, for proofs that kill the
    /// process there. `nil` outside of such proofs.
    public var stepHook: ((String) -> Void)?
    /// The test for entries of the audit log that are the wearer's alone: they are left out of ``commonAuditEntries()`` and not counted there. Set
    /// it right after opening; until then no entry is.
    public var isPersonal: (AuditEntry) -> Bool = { _ in false }
    /// The findings of the opening, oldest first: damage, a renewal that was interrupted, a disk that cannot be written to;
    /// empty without any.
    public internal(set) var findings: [Finding] = []

    let path: String?
    let vfs: String?
    let folder: any LedgerFolder
    let keys: any LedgerKeys
    var generator: any RandomNumberGenerator
    var isWritable = true
    var database: LedgerDatabase
    var sealer: RowSealer
    /// Under a key of its own, which is a row: thousands of entries need not be sealed anew each day.
    var auditSealer: RowSealer
    private var isWriting = false
    /// As ``matchedFileCount()`` counted last; `nil` since a row of a file changed.
    var fileCount: Int?

    /// Opens the ledger, making it when it is not there and finishing what a cut interrupted. A damaged one is set aside and begun anew.
    ///
    /// Throws a ``LedgerFailure``: `tooNew` for the ledger of a newer release, which is left as it is; `failed` without a key or with one that has
    /// not 32 bytes; `readOnly` if there is none and none can be made; `inUse`; `damaged` if it cannot be set aside; or what the disk refuses.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist. `nil` keeps it in memory.
    ///   - keys: Asked for one key or two.
    ///   - vfs: The SQLite VFS by name; `nil` is the system's.
    ///   - folder: The folder by which files are renamed, removed and measured; must see what the VFS sees.
    ///   - generator: Must be cryptographically secure outside of tests.
    ///   - stepHook: See ``stepHook``; called while opening too.
    public init(
        path: String?, keys: any LedgerKeys, vfs: String? = nil, folder: any LedgerFolder = PosixLedgerFolder(),
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator(), stepHook: ((String) -> Void)? = nil
    ) throws {
        guard let first = keys.keys.first, keys.keys.allSatisfy({ $0.count == 32 }) else {
            throw LedgerFailure(.failed, "there is no key")
        }
        self.path = path
        self.vfs = vfs
        self.folder = folder
        self.keys = keys
        self.generator = generator
        self.stepHook = stepHook
        sealer = try RowSealer(key: first)
        auditSealer = sealer
        database = try LedgerDatabase(path: nil, vfs: nil, access: .readWrite)
        if let path { isWritable = folder.isWritable(path) }
        do {
            try openDatabase()
        } catch let failure as LedgerFailure where failure.code == .damaged && path != nil && isWritable {
            try setAside(because: failure.detail)
            try openDatabase()
        }
        if !isWritable { findings.append(.readOnly) }
    }

    /// Runs `body` in one transaction, which is durable when this returns its result. When it throws, nothing of it is kept.
    ///
    /// The transaction must not be used after `body` ended. Reading within `body` sees what it wrote. Throws what `body` throws, or a
    /// ``LedgerFailure``: `readOnly`, `failed` within another transaction, or what the disk refuses.
    @discardableResult
    public func write<Result>(_ body: (LedgerTransaction) throws -> Result) throws -> Result {
        step("ledger.write.begin")
        let result = try transaction("ledger.write.commit") {
            let transaction = LedgerTransaction(self)
            defer { transaction.isOver = true }
            return try body(transaction)
        }
        step("ledger.write.committed")
        return result
    }

    func transaction<Result>(_ commitStep: String, _ body: () throws -> Result) throws -> Result {
        guard isWritable else { throw LedgerFailure(.readOnly) }
        guard !isWriting else { throw LedgerFailure(.failed, "a transaction within a transaction") }
        isWriting = true
        defer { isWriting = false }
        try database.run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            step(commitStep)
            try database.run("COMMIT")
            return result
        } catch {
            fileCount = nil
            // Some failures have ended it already; one that cannot be rolled back is by the next opening.
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    func step(_ name: String) { stepHook?(name) }

    /// Bytes the ledger takes, 0 or more: the database and its log beside it; only the database's pages for one in memory or that cannot be written
    /// to. Throws ``LedgerFailure``.
    public var byteCount: Int {
        get throws {
            guard let path, isWritable else {
                return Int(try database.integer("PRAGMA page_count") ?? 0) * LedgerPragmas.pageByteCount
            }
            return (folder.byteCount(path) ?? 0) + (folder.byteCount(path + "-wal") ?? 0)
        }
    }

    /// Gives free space back to the file system. Writes the whole ledger once. Throws ``LedgerFailure``, `readOnly` if it cannot be written to;
    /// nothing is lost then.
    public func vacuum() throws {
        guard isWritable else { throw LedgerFailure(.readOnly) }
        try database.run("VACUUM")
        try foldLog()
    }

    /// Moves what is in the log into the file and empties the log.
    func foldLog() throws {
        if path != nil { try database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
}

/// Changes that are kept together or not at all. Valid only within ``Ledger/write(_:)``. One thread at a time.
public final class LedgerTransaction {
    private let owner: Ledger
    var isOver = false

    init(_ ledger: Ledger) { owner = ledger }

    /// The ledger, as long as the transaction lasts.
    var ledger: Ledger {
        get throws {
            guard !isOver else { throw LedgerFailure(.failed, "the transaction is over") }
            return owner
        }
    }
}
