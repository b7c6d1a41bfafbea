// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import Glibc
public import JSON
import SystemCalls

/// A handful of values that outlast restarts and power cuts: a plugin's state. One thread at a time.
///
/// All values are one file, written anew with each change: beside the old one, onto the disk, then in its place. Whenever the power goes,
/// the old values or the new ones are there. A file that is damaged nevertheless is set aside, counted, and begun anew. Each change costs two
/// writes to flash: what changes often belongs into memory, and here only now and then (``update(_:)`` writes several at once).
///
/// A store of constant size (`slotBytes`) is a file of two slots that are written in turn, in their place: from its first write on neither the blocks
/// nor the names of its folder change, whatever is kept. It grows when the values do, and never shrinks. With `hasPatches` it also takes brief
/// changes: each writes one block of 4 KiB that says what is different (``set(_:for:briefly:)``), until there are eight of them.
///
/// With a key the file is sealed (ChaCha20-Poly1305). One that is not, from before there was a key, is read and sealed with the next change.
public final class KeyValueStore {
    /// The most bytes of all values together, unless another limit is given: 64 KiB, a choice of ours for small boards,
    /// because they are read, held and written as a whole.
    public static let standardLimit = 65_536

    /// The values by name, as they are on the disk.
    public private(set) var values: JSON.Object
    /// The number of the last damaged file that was set aside in this folder, which counts them, up to 1,000,000; 0 if none is there.
    public private(set) var damageCount: Int
    /// The most bytes that all values together may have, as JSON; a store without slots may take up to 64 more.
    public let limit: Int
    /// The number of writes since the store was opened, one that the opening itself needed included, 0 or more; those that
    /// failed are not counted.
    public private(set) var writeCount = 0
    /// Whether what is written is sealed. A file from before there was a key stays in the clear until the next change.
    public var isSealed: Bool { seal != nil }
    private let folder: String
    private let seal: SecretBytes?
    /// Bytes that were written since the store was opened, one write that the opening itself needed included, without what
    /// the file system adds, 0 or more.
    public private(set) var writtenByteCount = 0
    private let slotBytes: Int?
    private let hasPatches: Bool
    private var slots: StoreSlots?

    /// Opens the store in a folder; an empty one if there is none. Blocks while it reads, and writes if it has to.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of a folder that is there.
    ///   - limit: The most bytes of all values together, as JSON.
    ///   - seal: 32 bytes to seal it with; `nil` for a store in the clear. A store that is sealed otherwise counts as damaged.
    ///   - slotBytes: For a store of constant size: bytes of each of its two slots at least, rounded up to blocks of 4 KiB. One that was of another
    ///     kind is read, and becomes one of this kind at once. `nil` for a file that is as long as its values.
    ///   - hasPatches: Whether a store with `slotBytes` takes brief changes; without them it does nothing.
    /// - Throws: ``StorageError``: `full` or `system` when the kernel refuses, `full` or `notEncodable` when the store has to be written anew and
    ///   cannot be. A damaged file is no reason: it is set aside.
    public init(
        folder: String, limit: Int = KeyValueStore.standardLimit, seal: SecretBytes? = nil, slotBytes: Int? = nil,
        hasPatches: Bool = false
    ) throws(StorageError) {
        self.folder = folder
        self.limit = limit
        self.seal = seal
        self.hasPatches = hasPatches
        self.slotBytes = slotBytes.map { max(1, ($0 + StoreSlots.block - 1) / StoreSlots.block) * StoreSlots.block }
        values = JSON.Object()
        damageCount = 0
        unlink("\(folder)/\(Self.newName)")
        damageCount = Self.damaged(folder).last ?? 0
        if let bytes = try Self.read("\(folder)/\(Self.name)") {
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

    /// The value of that name; `nil` if there is none, or it cannot be read as that type.
    public func value<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        values[name].flatMap { try? $0.decode(type) }
    }

    /// Keeps a value: when it returns, the value is on the disk. Blocks for that long.
    /// - Throws: `StorageError`: `notEncodable` if JSON cannot hold the value or it cannot be sealed, `full` if the limit or the disk does not take
    ///   it, and `system` for all else. ``values`` are unchanged then; if only writing out failed, the change may be found at the next opening.
    ///
    /// - Parameter briefly: Whether one block is enough where the store takes brief changes, and the change fits: who watches the disk sees which was
    ///   asked for.
    public func set(_ value: some Encodable, for name: String, briefly: Bool = false) throws(StorageError) {
        let json: JSON
        do throws(JSONError) { json = try JSON(encoding: value) } catch {
            throw StorageError(.notEncodable, "the value of \(name) cannot be written as JSON: \(error)")
        }
        var changed = values
        changed[name] = json
        try write(changed, briefly: briefly)
    }

    /// Forgets a value; does nothing, and writes nothing, if there is none. Blocks, and throws ``StorageError`` as
    /// ``set(_:for:briefly:)`` does.
    public func remove(_ name: String) throws(StorageError) {
        guard values[name] != nil else { return }
        var changed = values
        changed[name] = nil
        try write(changed)
    }

    /// Changes several values with one write; all of them or none. Writes nothing if `change` leaves all as it was. Blocks,
    /// and throws ``StorageError`` as ``set(_:for:briefly:)`` does.
    public func update(_ change: (inout JSON.Object) -> Void) throws(StorageError) {
        var changed = values
        change(&changed)
        if changed != values { try write(changed) }
    }

    /// Writes the same values once more: whoever watches the disk cannot tell it from a change. Blocks, and throws
    /// ``StorageError`` as ``set(_:for:briefly:)`` does.
    ///
    /// - Parameter briefly: As for ``set(_:for:briefly:)``.
    public func rewrite(briefly: Bool = false) throws(StorageError) { try write(values, briefly: briefly) }

    private static let name = "store"
    private static let newName = "store.new"

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
        let path = "\(folder)/\(Self.name)"
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
        let path = "\(folder)/\(Self.name)"
        do throws(SystemError) {
            try WholeFile.replace(path, with: bytes, mode: 0o600, draft: "\(folder)/\(Self.newName)")
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
        guard rename("\(folder)/\(Self.name)", "\(folder)/\(Self.name).damaged.\(damageCount)") == 0 else {
            throw .system("the damaged store in \(folder) cannot be set aside")
        }
        // The last two, for whoever wants to know; more would eat the quota.
        for old in Self.damaged(folder).dropLast(2) { unlink("\(folder)/\(Self.name).damaged.\(old)") }
        try syncFolder()
    }

    /// Numbers of the files that were set aside, in order.
    private static func damaged(_ folder: String) -> [Int] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let start = "\(Self.name).damaged."
            if name.hasPrefix(start), let number = Int(name.dropFirst(start.count)), (1...1_000_000).contains(number) {
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
