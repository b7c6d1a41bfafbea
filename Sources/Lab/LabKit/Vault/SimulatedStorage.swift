// SPDX-License-Identifier: Apache-2.0

public import Vault

/// A file system in memory that can lose power between any two operations. Use it on one thread at a time.
///
/// A cut keeps any part of what was not synced: each 512-byte sector of unsynced writes is kept or lost, in any order; of
/// creations, renames and removals the first ones are kept, up to a random one. Real disks may do this; the simulation is
/// slightly worse than they are.
public final class SimulatedStorage: StorageMedium {
    private static let sector = 512

    private enum FolderChange {
        case create(String, FileNumber)
        case rename(String, String)
        case remove(String)
    }
    private typealias FileNumber = Int

    private struct File {
        var durable: [UInt8] = []
        var current: [UInt8] = []
        /// Sectors (and the length) written since the last sync, as whole contents after each operation.
        var pending: [(offset: Int, bytes: [UInt8])] = []
        var pendingLength: Int?
    }

    private var files: [FileNumber: File] = [:]
    private var durableNames: [String: FileNumber] = [:]
    private var currentNames: [String: FileNumber] = [:]
    private var folderChanges: [FolderChange] = []
    private var nextNumber = 0

    /// The power supply that this storage runs on.
    public let power: SimulatedPower
    /// The number of operations before the power fails, as ``SimulatedPower/operationsUntilCut`` of the supply, which other
    /// storages may share, 0 or more; `nil` for no cut.
    public var operationsUntilCut: Int? {
        get { power.operationsUntilCut }
        set { power.operationsUntilCut = newValue }
    }
    /// The number of operations so far, 0 or more. Reading does not count; a write that creates its file counts twice; an
    /// operation that is refused before it begins does not count.
    public private(set) var operations = 0
    /// The most bytes that all files may have together, 0 or more; a write that would exceed it fails with `full`. No limit
    /// unless set.
    public var capacity = Int.max
    /// Whether every change fails with `readOnly`, as on a worn-out card; syncing still works. `false` unless set.
    public var isReadOnly = false
    /// The names of files with a bad sector, whose reading fails with `failed`; empty unless set.
    public var unreadable: Set<String> = []
    /// The number of bytes written to all files so far, including those of a write that met the cut; 0 or more.
    public private(set) var bytesWritten: UInt64 = 0

    /// Creates an empty, writable folder. Several folders can share one power supply.
    public init(power: SimulatedPower = SimulatedPower()) { self.power = power }

    private func step(_ operation: @autoclosure () -> String) throws(StorageFailure) {
        operations += 1
        try power.step(operation())
    }

    /// Returns the storage as it is after the power returns: a new storage, in which each unsynced change is kept or lost
    /// as `generator` decides. It runs on `power`, or on a new supply if that is `nil`; its counts, ``capacity``,
    /// ``isReadOnly`` and ``unreadable`` are those of a new storage. This storage is not changed.
    public func afterCut(
        on power: SimulatedPower? = nil, using generator: inout some RandomNumberGenerator
    ) -> SimulatedStorage {
        let next = SimulatedStorage(power: power ?? SimulatedPower())
        next.nextNumber = nextNumber
        next.durableNames = durableNames
        // Folder changes are journalled: a prefix of them survives.
        let kept = folderChanges.prefix(.random(in: 0...folderChanges.count, using: &generator))
        for change in kept {
            switch change {
            case .create(let name, let number): next.durableNames[name] = number
            case .rename(let old, let new): next.durableNames[new] = next.durableNames.removeValue(forKey: old)
            case .remove(let name): next.durableNames[name] = nil
            }
        }
        next.currentNames = next.durableNames
        // In order: what survives must not depend on how a dictionary happens to be laid out.
        for (number, file) in files.sorted(by: { $0.key < $1.key }) {
            var bytes = file.durable
            if let length = file.pendingLength, Bool.random(using: &generator) {
                bytes = Array(bytes.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - bytes.count))
            }
            for write in file.pending.shuffled(using: &generator) {
                for start in stride(from: 0, to: write.bytes.count, by: Self.sector) where Bool.random(using: &generator) {
                    let piece = write.bytes[start..<min(start + Self.sector, write.bytes.count)]
                    let offset = write.offset + start
                    if bytes.count < offset + piece.count {
                        bytes += [UInt8](repeating: 0, count: offset + piece.count - bytes.count)
                    }
                    bytes.replaceSubrange(offset..<(offset + piece.count), with: piece)
                }
            }
            next.files[number] = File(durable: bytes, current: bytes)
        }
        return next
    }

    /// Returns a copy with the same contents and unsynced changes, on a power supply of its own. Its counts, ``capacity``,
    /// ``isReadOnly`` and ``unreadable`` are those of a new storage.
    public func copy() -> SimulatedStorage {
        let copy = SimulatedStorage()
        copy.files = files
        copy.durableNames = durableNames
        copy.currentNames = currentNames
        copy.folderChanges = folderChanges
        copy.nextNumber = nextNumber
        return copy
    }

    /// Changes a file's bytes without the vault's knowledge, as if they had been written and synced. Does nothing if there
    /// is no such file.
    public func corrupt(_ name: String, _ change: (inout [UInt8]) -> Void) {
        guard let number = currentNames[name], var file = files[number] else { return }
        change(&file.current)
        file.durable = file.current
        file.pending = []
        file.pendingLength = nil
        files[number] = file
    }

    /// The bytes of all files as written, synced or not, in no order; for finding what must not be there.
    public var allBytes: [[UInt8]] { currentNames.values.compactMap { files[$0]?.current } }

    /// Returns the names of all files, in no order. Throws `cut` after the cut.
    public func names() throws(StorageFailure) -> [String] {
        try power.check()
        return Array(currentNames.keys)
    }

    /// Returns a file's bytes; `nil` if there is no such file. Throws `failed` for an ``unreadable`` file, `tooLarge` for
    /// one of more than `limit` bytes, and `cut` after the cut.
    public func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        try power.check()
        guard let number = currentNames[name], let file = files[number] else { return nil }
        if unreadable.contains(name) { throw StorageFailure(.failed, name) }
        guard file.current.count <= limit else { throw StorageFailure(.tooLarge, name) }
        return file.current
    }

    /// Writes at `offset`; a missing file is created, and a gap is filled with zeros. The bytes are durable after
    /// ``sync(_:)``, the name of a new file after ``syncFolder()``. Throws `readOnly` if the storage is read-only, `full`
    /// if it would exceed ``capacity`` (a new file exists then, empty), and `cut` when the power is cut; the write that
    /// meets the cut may be done in part.
    public func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure) {
        try power.check()
        if isReadOnly { throw StorageFailure(.readOnly, name) }
        let number: FileNumber
        if let known = currentNames[name] {
            number = known
        } else {
            try step("create \(name)")
            number = nextNumber
            nextNumber += 1
            files[number] = File()
            currentNames[name] = number
            folderChanges.append(.create(name, number))
        }
        guard let length = files[number]?.current.count else { throw StorageFailure(.failed, name) }
        let growth = max(0, offset + bytes.count - length)
        guard growth == 0 || byteCount + growth <= capacity else { throw StorageFailure(.full, name) }
        // In place: a copy of the whole file per write would be most of a long proof.
        files[number]?.pending.append((offset, bytes))
        if growth > 0 { files[number]?.current += [UInt8](repeating: 0, count: growth) }
        files[number]?.current.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        bytesWritten += UInt64(bytes.count)
        // Counted after the change: the cut may fall into the middle of this very write.
        try step("write \(name)")
    }

    /// What all files have together.
    private var byteCount: Int { currentNames.values.reduce(0) { $0 + (files[$1]?.current.count ?? 0) } }

    /// Cuts a file to `length` bytes (0 or more), or fills it up with zeros; durable after ``sync(_:)``. Throws
    /// `failed` if there is no such file, `readOnly` if the storage is read-only, `full` if it would exceed
    /// ``capacity``, and `cut` when the power is cut; the truncation that meets the cut may be done.
    public func truncate(_ name: String, to length: Int) throws(StorageFailure) {
        try power.check()
        if isReadOnly { throw StorageFailure(.readOnly, name) }
        guard let number = currentNames[name] else { throw StorageFailure(.failed, name) }
        guard var file = files[number] else { throw StorageFailure(.failed, name) }
        let growth = max(0, length - file.current.count)
        guard growth == 0 || byteCount + growth <= capacity else { throw StorageFailure(.full, name) }
        file.current = Array(file.current.prefix(length)) + [UInt8](repeating: 0, count: growth)
        file.pendingLength = length
        files[number] = file
        try step("truncate \(name)")
    }

    /// Makes all writes to the file so far durable. Throws `failed` if there is no such file, and `cut` when the power is
    /// cut; then the writes are not durable.
    public func sync(_ name: String) throws(StorageFailure) {
        try power.check()
        guard let number = currentNames[name], let file = files[number] else { throw StorageFailure(.failed, name) }
        try step("sync \(name)")
        files[number] = File(durable: file.current, current: file.current)
    }

    /// Renames a file, replacing one that has the new name; durable after ``syncFolder()``. Throws `failed` if there is no
    /// such file, `readOnly` if the storage is read-only, and `cut` when the power is cut.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        try power.check()
        if isReadOnly { throw StorageFailure(.readOnly, name) }
        guard let number = currentNames.removeValue(forKey: name) else { throw StorageFailure(.failed, name) }
        if unreadable.remove(name) != nil { unreadable.insert(newName) }
        currentNames[newName] = number
        folderChanges.append(.rename(name, newName))
        try step("rename \(name)")
    }

    /// Removes the file, durable after ``syncFolder()``; does nothing if there is none. Throws `readOnly` if the storage is
    /// read-only, and `cut` when the power is cut.
    public func remove(_ name: String) throws(StorageFailure) {
        try power.check()
        if isReadOnly { throw StorageFailure(.readOnly, name) }
        guard currentNames.removeValue(forKey: name) != nil else { return }
        folderChanges.append(.remove(name))
        try step("remove \(name)")
    }

    /// Makes all creations, renames and removals so far durable. Throws `cut` when the power is cut; then they are not
    /// durable.
    public func syncFolder() throws(StorageFailure) {
        try power.check()
        try step("sync the folder")
        durableNames = currentNames
        folderChanges = []
    }
}
