// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// Result codes of SQLite that are sums in its header, which cannot be imported.
enum Refusal {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let size = SQLITE_IOERR | 7 << 8
    static let delete = SQLITE_IOERR | 10 << 8
    static let access = SQLITE_IOERR | 13 << 8
}

/// What SQLite does to a file of a ``SimulatedVFS``.
///
/// Version 1: no shared memory, which a ledger that holds its lock throughout does without.
struct SimulatedFileMethods: @unchecked Sendable {
    // Written once, before anybody sees it.
    static let shared = SimulatedFileMethods()

    let table: UnsafeMutablePointer<sqlite3_io_methods>

    private static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Handle? {
        guard let file else { return nil }
        let opened = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
        return opened.pointee.handle.map { Unmanaged<Handle>.fromOpaque($0).takeUnretainedValue() }
    }

    private init() {
        table = .allocate(capacity: 1)
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { file in
            guard let file else { return SQLITE_OK }
            let opened = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
            if let handle = opened.pointee.handle { Unmanaged<Handle>.fromOpaque(handle).release() }
            opened.pointee.handle = nil
            return SQLITE_OK
        }
        methods.xRead = { file, target, count, offset in
            guard let handle = SimulatedFileMethods.handle(file), let target else { return Refusal.read }
            guard let bytes = try? handle.owner.storage.read(handle.path, limit: .max) else { return Refusal.read }
            let (start, count) = (Int(offset), Int(count))
            let available = max(0, min(count, bytes.count - start))
            let output = UnsafeMutableRawBufferPointer(start: target, count: count)
            if available > 0 { output.copyBytes(from: bytes[start..<(start + available)]) }
            for index in available..<count { output[index] = 0 }
            return available == count ? SQLITE_OK : Refusal.shortRead
        }
        methods.xWrite = { file, source, count, offset in
            guard let handle = SimulatedFileMethods.handle(file), let source else { return Refusal.write }
            let bytes = Array(UnsafeRawBufferPointer(start: source, count: Int(count)))
            handle.owner.touch(handle.path, Int(offset)..<(Int(offset) + bytes.count))
            return handle.owner.status(Refusal.write) {
                try handle.owner.storage.write(bytes, to: handle.path, at: Int(offset))
            }
        }
        methods.xTruncate = { file, count in
            guard let handle = SimulatedFileMethods.handle(file) else { return Refusal.truncate }
            return handle.owner.status(Refusal.truncate) {
                try handle.owner.storage.truncate(handle.path, to: Int(count))
            }
        }
        methods.xSync = { file, _ in
            guard let handle = SimulatedFileMethods.handle(file) else { return Refusal.sync }
            return handle.owner.status(Refusal.sync) {
                try handle.owner.sync(handle.path)
                if !handle.isFolderSynced { try handle.owner.storage.syncFolder() }
                handle.isFolderSynced = true
            }
        }
        methods.xFileSize = { file, result in
            guard let handle = SimulatedFileMethods.handle(file), let count = handle.owner.byteCount(handle.path) else {
                return Refusal.size
            }
            result?.pointee = sqlite3_int64(count)
            return SQLITE_OK
        }
        methods.xLock = { _, _ in SQLITE_OK }
        methods.xUnlock = { _, _ in SQLITE_OK }
        methods.xCheckReservedLock = { _, result in
            result?.pointee = 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 512 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        table.initialize(to: methods)
    }
}
