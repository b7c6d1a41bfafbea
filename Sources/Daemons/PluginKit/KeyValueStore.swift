// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
public import JSON
import SystemCalls

/// A small set of named values that outlast restarts and power cuts: a plugin's state. May be used by one thread at a time.
///
/// All values are in one file, which each change writes anew: the new file is written beside the old one, synced to disk,
/// and then renamed over it. Whenever the power fails, either the old values or the new ones are there. A file that is
/// damaged nevertheless is renamed and counted, and an empty store takes its place. Each change costs two writes to flash:
/// values that change often belong in memory, and here only now and then (``update(_:)`` writes several values at once).
///
/// A store of constant size (`slotBytes`) is a file of two slots, which are overwritten in turn: after its first write
/// neither its blocks nor the names in its folder change, whatever the values are. The file grows when the values do, and
/// never shrinks. With `hasPatches` it also takes brief changes: each writes one block of 4 KiB that holds only the
/// difference (``set(_:for:briefly:)``), up to eight of them between two whole writes.
///
/// With a key the file is sealed (ChaCha20-Poly1305). A file that was written before there was a key is read all the same,
/// and is sealed with the next change.
public final class KeyValueStore {
    /// The most bytes of all values together, unless another limit is given: 64 KiB, a choice of ours for small boards,
    /// because they are read, held and written as a whole.
    public static let standardLimit = 65_536

    /// The values by name, as they are on the disk.
    public private(set) var values: JSON.Object
    /// The highest number of a damaged file that was kept in this folder, 1 to 1,000,000; 0 if there is none. Damaged files
    /// are numbered in order, and the last two are kept.
    public private(set) var damageCount: Int
    /// The most bytes that all values together may have, as JSON; a store without slots may take some more, fewer
    /// than 100.
    public let limit: Int
    /// The number of successful writes since the store was opened, including one that the opening itself needed; 0 or more.
    public private(set) var writeCount = 0
    /// Whether the store writes sealed files. A file that was written before there was a key stays in the clear until the
    /// next change.
    public var isSealed: Bool { seal != nil }
    private let folder: String
    private let name: String
    private let seal: SecretBytes?
    /// The number of bytes written since the store was opened, including a write that the opening itself needed; 0 or more.
    /// What the file system writes in addition is not counted.
    public private(set) var writtenByteCount = 0
    private let slotBytes: Int?
    private let hasPatches: Bool
    private var slots: StoreSlots?

    /// Opens the store in a folder, or creates an empty store in memory if the folder has none. Blocks while it reads, and
    /// while it writes if it has to.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of an existing folder. A file of more than 16 MiB there counts as damaged.
    ///   - name: The name of the file in that folder, which no other store uses; files beside it begin with it and a dot.
    ///   - limit: The most bytes of all values together, as JSON.
    ///   - seal: The key of 32 bytes to seal the file with; `nil` for a store in the clear. A file that was sealed with
    ///     another key counts as damaged.
    ///   - slotBytes: The least number of bytes of each of the two slots of a store of constant size, rounded up to blocks
    ///     of 4 KiB. A store of another kind is read, and at once written anew as one of this kind. `nil` for a file that
    ///     is as long as its values.
    ///   - hasPatches: Whether a store with `slotBytes` takes brief changes; has no effect without `slotBytes`.
    /// - Throws: ``StorageError``: `system` if the kernel refuses to read or write, `full` if the disk or the quota has no
    ///   room or the values of a store that has to be written anew are above `limit`, `notEncodable` if they cannot be
    ///   sealed. A damaged file does not make it throw: the file is renamed, and the store begins empty.
    public init(
        folder: String, name: String = "store", limit: Int = KeyValueStore.standardLimit, seal: SecretBytes? = nil,
        slotBytes: Int? = nil, hasPatches: Bool = false
    ) throws(StorageError) {
        self.folder = folder
        self.name = name
        self.limit = limit
        self.seal = seal
        self.hasPatches = hasPatches
        self.slotBytes = slotBytes.map { max(1, ($0 + StoreSlots.block - 1) / StoreSlots.block) * StoreSlots.block }
        values = JSON.Object()
        damageCount = 0
        unlink("\(folder)/\(newName)")
        damageCount = damagedNumbers.last ?? 0
        if let bytes = try Self.read("\(folder)/\(name)") {
            if StoreSlots.isOne(bytes), let found = StoreSlots.newest(in: bytes, seal: seal) {
                values = found.values
                slots = found.slots
            } else if let found = StoreFile.values(in: bytes, seal: seal) {
                values = found
            } else {
                try setAside()
            }
        }
        if let least = self.slotBytes, (slots?.byteCount ?? 0) < least || slots?.hasRing != hasPatches { try write(values) }
    }

    /// Returns the value named `name`; `nil` if there is none, or if it cannot be decoded as `type`.
    public func value<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        values[name].flatMap { try? $0.decode(type) }
    }

    /// Stores a value under `name`. Blocks until the value is on the disk.
    /// - Parameter briefly: Whether a patch of one block may be written instead of a whole slot; it is if the store takes
    ///   brief changes and the change fits. Anyone who can watch the disk sees whether a patch or a slot was written.
    /// - Throws: ``StorageError``: `notEncodable` if JSON cannot hold the value or the values cannot be sealed, `full` if
    ///   ``limit`` or the disk has no room for it, `system` if the kernel refuses otherwise. ``values`` stay as they were;
    ///   if only the sync to disk failed, the next opening may find the change.
    public func set(_ value: some Encodable, for name: String, briefly: Bool = false) throws(StorageError) {
        let json: JSON
        do throws(JSONError) { json = try JSON(encoding: value) } catch {
            throw StorageError(.notEncodable, "the value of \(name) cannot be written as JSON: \(error)")
        }
        var changed = values
        changed[name] = json
        try write(changed, briefly: briefly)
    }

    /// Removes a value; does nothing, and writes nothing, if there is none of this name. Blocks, and throws the same errors
    /// as ``set(_:for:briefly:)``.
    public func remove(_ name: String) throws(StorageError) {
        guard values[name] != nil else { return }
        var changed = values
        changed[name] = nil
        try write(changed)
    }

    /// Changes several values with one write, all of them or none. Writes nothing if `change` leaves the values as they
    /// were. Blocks, and throws the same errors as ``set(_:for:briefly:)``.
    ///
    /// - Parameter briefly: Whether a patch of one block may be written, as for ``set(_:for:briefly:)``.
    public func update(briefly: Bool = false, _ change: (inout JSON.Object) -> Void) throws(StorageError) {
        var changed = values
        change(&changed)
        if changed != values { try write(changed, briefly: briefly) }
    }

    /// Writes the same values once more: anyone who watches the disk cannot tell this write from a change. Blocks, and
    /// throws the same errors as ``set(_:for:briefly:)``.
    ///
    /// - Parameter briefly: Whether a patch of one block may be written, as for ``set(_:for:briefly:)``.
    public func rewrite(briefly: Bool = false) throws(StorageError) { try write(values, briefly: briefly) }

    private var newName: String { "\(name).new" }

    private func write(_ changed: JSON.Object, briefly: Bool = false) throws(StorageError) {
        guard let slotBytes else { return try replace(with: changed) }
        let body = JSON.object(changed).bytes
        guard body.count <= limit else {
            throw StorageError(
                .full, "\(body.count) bytes of values are more than the \(limit) that there may be; remove some")
        }
        if let slots, slots.byteCount >= slotBytes, slots.hasRing == hasPatches {
            if briefly, slots.hasRing, slots.patchCount < StoreSlots.ring,
                let bytes = try part(
                    StorePatch.make(from: JSON.object(values).bytes, to: body), .patch, sequence: slots.sequence + 1,
                    byteCount: StoreSlots.block)
            {
                try overwrite(bytes, at: slots.patchOffset)
                self.slots?.sequence += 1
                self.slots?.patchCount += 1
                return take(changed)
            }
            if let bytes = try slot(of: body, sequence: slots.sequence + 1, byteCount: slots.byteCount) {
                // Into the slot that does not hold: a cut leaves the other, and its patches.
                let index = 1 - slots.index
                try overwrite(bytes, at: index * bytes.count)
                self.slots = StoreSlots(
                    byteCount: bytes.count, sequence: slots.sequence + 1, index: index, hasRing: hasPatches)
                return take(changed)
            }
        }
        // As many blocks as it takes, and never fewer than there are.
        var count = max(slotBytes, slots?.byteCount ?? 0)
        let sequence = (slots?.sequence ?? 0) + 1
        while true {
            if let bytes = try slot(of: body, sequence: sequence, byteCount: count) {
                // Both, and no patch: what was kept before is in none of them.
                let room = StoreSlots.size(count, hasRing: hasPatches) - 2 * count
                try put(bytes + bytes + [UInt8](repeating: 0, count: room))
                slots = StoreSlots(byteCount: count, sequence: sequence, index: 1, hasRing: hasPatches)
                return take(changed)
            }
            count += slotBytes
        }
    }

    private func slot(of body: [UInt8], sequence: UInt64, byteCount: Int) throws(StorageError) -> [UInt8]? {
        try part(body, hasPatches ? .slotWithRing : .slot, sequence: sequence, byteCount: byteCount)
    }

    private func part(
        _ body: [UInt8], _ kind: StoreSlots.Kind, sequence: UInt64, byteCount: Int
    ) throws(StorageError) -> [UInt8]? {
        do throws(CryptographyError) {
            return try StoreSlots.slot(of: body, kind, sequence: sequence, byteCount: byteCount, seal: seal)
        } catch {
            throw StorageError(.notEncodable, "the values cannot be sealed: \(error)")
        }
    }

    private func take(_ changed: JSON.Object) {
        values = changed
        writeCount += 1
    }

    private func overwrite(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
        let path = "\(folder)/\(name)"
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw .system("\(path) cannot be opened") }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress?.advanced(by: written), bytes.count - written, offset + written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system("\(path) cannot be written") }
            written += count
        }
        guard fsync(file) == 0 else { throw .system("\(path) cannot be written out") }
        writtenByteCount += bytes.count
    }

    private func replace(with changed: JSON.Object) throws(StorageError) {
        let bytes: [UInt8]
        do throws(CryptographyError) { bytes = try StoreFile.bytes(of: changed, seal: seal) } catch {
            throw StorageError(.notEncodable, "the values cannot be sealed: \(error)")
        }
        guard bytes.count <= limit + StoreFile.headLimit + SealedBox.overhead else {
            throw StorageError(
                .full, "\(bytes.count) bytes of values are more than the \(limit) that there may be; remove some")
        }
        slots = nil
        try put(bytes)
        take(changed)
    }

    /// A new file in the place of the one that is there.
    private func put(_ bytes: [UInt8]) throws(StorageError) {
        let path = "\(folder)/\(name)"
        do throws(SystemError) {
            try WholeFile.replace(path, with: bytes, mode: 0o600, draft: "\(folder)/\(newName)")
        } catch {
            throw .system("\(path) cannot be written", error.number)
        }
        writtenByteCount += bytes.count
    }

    private func syncFolder() throws(StorageError) {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .system("\(folder) cannot be opened") }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .system("\(folder) cannot be written out") }
    }

    private func setAside() throws(StorageError) {
        damageCount += 1
        guard rename("\(folder)/\(name)", "\(folder)/\(name).damaged.\(damageCount)") == 0 else {
            throw .system("the damaged store in \(folder) cannot be set aside")
        }
        // The last two, for whoever wants to know; more would eat the quota.
        for old in damagedNumbers.dropLast(2) { unlink("\(folder)/\(name).damaged.\(old)") }
        try syncFolder()
    }

    /// Numbers of the files that were set aside, in order.
    private var damagedNumbers: [Int] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let entryName = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let start = "\(name).damaged."
            if entryName.hasPrefix(start), let number = Int(entryName.dropFirst(start.count)),
                (1...1_000_000).contains(number)
            {
                numbers.append(number)
            }
        }
        return numbers.sorted()
    }

    private static func read(_ path: String) throws(StorageError) -> [UInt8]? {
        do throws(SystemError) { return try WholeFile.read(path, limit: 1 << 24, .noLink) } catch {
            switch error.number {
            case ENOENT: return nil
            // What is longer than any store of ours is damaged.
            case EFBIG: return []
            default: throw .system("\(path) cannot be read", error.number)
            }
        }
    }
}
