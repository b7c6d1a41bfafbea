// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
public import Ledger
import Vault

/// A folder in a ``SimulatedStorage`` as SQLite and the ledger use it, so that the simulated cut can take what
/// SQLite writes. Use it on one thread at a time.
///
/// It is registered with SQLite under ``name`` while the object exists. Locks always succeed, because there is only
/// one process. A path has fewer than 128 bytes, and SQLite's random numbers are the same for each object. The name
/// of a new journal or log becomes durable with the first sync of the file, as in SQLite's own layer for Unix.
public final class SimulatedVFS: LedgerFolder {
    /// The name under which SQLite knows the folder, for `Ledger(vfs:)`; unique in the process.
    public let name: String
    /// The storage that is used now; trials replace it after a cut.
    public var storage: SimulatedStorage
    /// The number of syncs that SQLite has requested so far, 0 or more.
    public private(set) var syncs = 0
    /// The number of blocks of 4 KiB that were written between two syncs of a file, each block counted once between two
    /// syncs; summed up, 0 or more.
    public private(set) var blocks = 0
    private var touched: [String: Set<Int>] = [:]
    /// What SQLite draws from; seeded, so that a trial is the same each time.
    private var random: UInt64 = 1
    private let table: UnsafeMutablePointer<sqlite3_vfs>
    private let cName: UnsafeMutablePointer<CChar>

    /// Registers a folder in `storage` with SQLite, for as long as the object exists.
    public init(_ storage: SimulatedStorage) {
        self.storage = storage
        table = .allocate(capacity: 1)
        table.initialize(to: sqlite3_vfs())
        name = "simulated-\(UInt(bitPattern: table))"
        cName = .allocate(capacity: name.utf8.count + 1)
        for (index, byte) in (Array(name.utf8) + [0]).enumerated() { cName[index] = CChar(bitPattern: byte) }
        table.pointee.iVersion = 1
        table.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        table.pointee.mxPathname = 128
        table.pointee.zName = UnsafePointer(cName)
        table.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        table.pointee.xOpen = { vfs, path, file, flags, _ in
            guard let owner = SimulatedVFS.of(vfs), let path, let file else { return SQLITE_CANTOPEN }
            return owner.open(String(cString: path), file, flags)
        }
        table.pointee.xDelete = { vfs, path, isSynced in
            guard let owner = SimulatedVFS.of(vfs), let path else { return Refusal.delete }
            return owner.status(Refusal.delete) {
                try owner.storage.remove(String(cString: path))
                if isSynced != 0 { try owner.storage.syncFolder() }
            }
        }
        table.pointee.xAccess = { vfs, path, _, result in
            guard let owner = SimulatedVFS.of(vfs), let path, let result else { return Refusal.access }
            result.pointee = (owner.byteCount(String(cString: path)) ?? 0) > 0 ? 1 : 0
            return SQLITE_OK
        }
        table.pointee.xFullPathname = { _, path, count, result in
            guard let path, let result else { return SQLITE_CANTOPEN }
            guard strlen(path) < Int(count) else { return SQLITE_CANTOPEN }
            strcpy(result, path)
            return SQLITE_OK
        }
        table.pointee.xRandomness = { vfs, count, bytes in
            guard let owner = SimulatedVFS.of(vfs), let bytes else { return 0 }
            for index in 0..<Int(count) {
                owner.random = owner.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = CChar(truncatingIfNeeded: owner.random >> 33)
            }
            return count
        }
        table.pointee.xSleep = { _, microseconds in microseconds }
        table.pointee.xCurrentTime = { _, time in
            time?.pointee = 2_460_000
            return SQLITE_OK
        }
        table.pointee.xGetLastError = { _, _, _ in 0 }
        sqlite3_vfs_register(table, 0)
    }

    deinit {
        sqlite3_vfs_unregister(table)
        table.deallocate()
        cName.deallocate()
    }

    private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedVFS? {
        vfs?.pointee.pAppData.map { Unmanaged<SimulatedVFS>.fromOpaque($0).takeUnretainedValue() }
    }

    private func open(_ path: String, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32) -> Int32 {
        file.pointee.pMethods = nil
        let isThere = byteCount(path) != nil
        let result = status(SQLITE_CANTOPEN) {
            if !isThere {
                guard flags & SQLITE_OPEN_CREATE != 0 else { throw StorageFailure(.failed, path) }
                try storage.write([], to: path, at: 0)
            }
        }
        guard result == SQLITE_OK else { return result }
        let isLog = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
        let handle = Handle(owner: self, path: path, isFolderSynced: isThere || !isLog)
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).initialize(
            to: OpenFile(
                methods: UnsafePointer(SimulatedFileMethods.shared.table), handle: Unmanaged.passRetained(handle).toOpaque()
            ))
        return SQLITE_OK
    }

    func status(_ failure: Int32, _ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SQLITE_OK
        } catch let error as StorageFailure where error.code == .full {
            return SQLITE_FULL
        } catch let error as StorageFailure where error.code == .readOnly {
            return SQLITE_READONLY
        } catch {
            return failure
        }
    }

    func touch(_ path: String, _ range: Range<Int>) {
        for block in stride(from: range.lowerBound / 4_096, through: (range.upperBound - 1) / 4_096, by: 1) {
            touched[path, default: []].insert(block)
        }
    }

    func sync(_ path: String) throws {
        syncs += 1
        blocks += touched.removeValue(forKey: path)?.count ?? 0
        try storage.sync(path)
    }

    // The ledger's own view of the same folder.

    /// Returns the number of bytes of a file; `nil` if there is no such file, or it cannot be read.
    public func byteCount(_ path: String) -> Int? { (try? storage.read(path, limit: .max))?.count }
    /// Creates an empty file; an existing one stays as it is. Throws `LedgerFailure` with the code `failed` when the
    /// storage is read-only, cannot grow or has its power cut.
    public func make(_ path: String) throws(LedgerFailure) { try translated { try storage.write([], to: path, at: 0) } }
    /// Returns whether the storage is not read-only, for any path; a cut makes no difference.
    public func isWritable(_ path: String) -> Bool { !storage.isReadOnly }
    /// Renames a file as ``SimulatedStorage/rename(_:to:)`` does. Throws `LedgerFailure` with the code `failed` when there
    /// is no such file, the storage is read-only or its power is cut.
    public func rename(_ path: String, to newPath: String) throws(LedgerFailure) {
        try translated { try storage.rename(path, to: newPath) }
    }
    /// Removes a file as ``SimulatedStorage/remove(_:)`` does. Throws `LedgerFailure` with the code `failed` when the
    /// storage is read-only or its power is cut.
    public func remove(_ path: String) throws(LedgerFailure) { try translated { try storage.remove(path) } }
    /// Syncs the folder as ``SimulatedStorage/syncFolder()`` does, for any path. Throws `LedgerFailure` with the code
    /// `failed` when the power is cut.
    public func sync(folderOf path: String) throws(LedgerFailure) { try translated { try storage.syncFolder() } }

    private func translated(_ body: () throws -> Void) throws(LedgerFailure) {
        do {
            try body()
        } catch {
            throw LedgerFailure(.failed, "\(error)")
        }
    }
}

/// What SQLite holds of an open file: its own part first, then ours.
struct OpenFile {
    var methods: UnsafePointer<sqlite3_io_methods>?
    var handle: UnsafeMutableRawPointer?
}

/// One open file.
final class Handle {
    let owner: SimulatedVFS
    let path: String
    var isFolderSynced: Bool

    init(owner: SimulatedVFS, path: String, isFolderSynced: Bool) {
        self.owner = owner
        self.path = path
        self.isFolderSynced = isFolderSynced
    }
}
