// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The second part of a device's storage: matches, matched files, attempts, consents, the audit log, evidence and
/// settings. It is an SQLite database in which every row is sealed.
///
/// What a call of ``write(_:)`` has committed survives a power cut at any instruction. The beacon does not depend on
/// the ledger. The calls block on the disk; a ledger has one owner, on a thread of its own.
public final class Ledger {
    /// An event or a damage that a technician should know of. Each is reported once.
    public enum Finding: Sendable, Hashable {
        /// The file could not be used as a ledger. It was renamed to `as`, and an empty one took its place. `because`
        /// is the detail of the failure.
        case setAside(as: String, because: String)
        /// `count` rows of `table` could not be opened. They were removed if the disk could be written to; the other
        /// rows are intact. For the table `header`, the format number in the file's header was wrong and was
        /// corrected.
        case damagedRows(table: String, count: Int)
        /// An interrupted renewal of the key was finished.
        case renewalFinished
        /// An interrupted renewal of the key could not be finished because of a failure of this code; the next
        /// opening or renewal will finish it.
        case renewalPending(LedgerFailure.Code)
        /// The disk cannot or must not be written to: everything can be read, nothing changed.
        case readOnly
    }

    /// The names of the points at which ``stepHook`` is called, in the order in which a ledger reaches them.
    public static let steps = [
        "ledger.open.aside", "ledger.open.made", "ledger.write.begin", "ledger.write.commit", "ledger.write.committed",
        "ledger.renew.stage", "ledger.renew.staged", "ledger.renew.commit", "ledger.renew.committed",
        "ledger.renew.retired",
    ]
    /// The file name to which a damaged ledger is renamed, in the same folder; it replaces one that was there before.
    /// The name is this project's own.
    public static let damagedName = "damaged-ledger.sqlite"

    /// A function that is called on the owner's thread before and after each durable step, with one of ``steps``, for
    /// tests that kill the process there. `nil` otherwise.
    public var stepHook: ((String) -> Void)?
    /// The test that tells which entries of the audit log belong to the wearer alone: ``commonAuditEntries()``
    /// neither returns nor counts them. Set it right after opening; until then no entry is personal.
    public var isPersonal: (AuditEntry) -> Bool = { _ in false }
    /// The findings of the opening, oldest first: damage, an interrupted renewal, a disk that cannot be written to;
    /// empty if there are none.
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

    /// Opens the ledger, creates it when there is none, and finishes what a power cut interrupted. A damaged one is
    /// set aside and replaced by an empty one. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - path: The database file, whose folder must exist; `nil` keeps the ledger in memory.
    ///   - keys: The source of the ledger's one or two keys.
    ///   - vfs: The name of the SQLite VFS; `nil` for the system's.
    ///   - folder: The folder with which files are renamed, removed and measured; it must show the same files as the
    ///     VFS.
    ///   - generator: The source of keys and nonces, which must be cryptographically secure outside of tests.
    ///   - stepHook: See ``stepHook``; it is also called during the opening.
    /// - Throws: ``LedgerFailure``: `tooNew` for the ledger of a newer release, which is left unchanged; `failed`
    ///   when there is no key, or one that does not have 32 bytes; `readOnly` when there is no ledger and none can be
    ///   created; `inUse` when another process has it open; `damaged` when it cannot be set aside; or what the disk
    ///   refuses.
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

    /// Runs `body` in one transaction, which is durable when its result is returned. When `body` throws, nothing of
    /// the transaction is kept. Reads within `body` see what it wrote. The transaction must not be used after `body`
    /// has returned.
    ///
    /// Throws what `body` throws, or ``LedgerFailure``: `readOnly` when the ledger cannot be written to, `failed`
    /// within another transaction, or what the disk refuses.
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

    /// The size of the ledger in bytes, 0 or more: the database and its write-ahead log. For a ledger in memory, or
    /// one that cannot be written to, only the pages of the database count. Throws ``LedgerFailure`` when it cannot
    /// be read.
    public var byteCount: Int {
        get throws {
            guard let path, isWritable else {
                return Int(try database.integer("PRAGMA page_count") ?? 0) * LedgerPragmas.pageByteCount
            }
            return (folder.byteCount(path) ?? 0) + (folder.byteCount(path + "-wal") ?? 0)
        }
    }

    /// Returns unused space to the file system, for which the whole ledger is written once. Throws ``LedgerFailure``,
    /// `readOnly` when the ledger cannot be written to; nothing is lost then.
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

/// A set of changes that are stored together or not at all. It is valid only within ``Ledger/write(_:)``, on one
/// thread at a time; afterwards every call throws `failed`.
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
