// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The source of the key that seals everything the vault stores.
///
/// A provider can hold two keys for a short time. To forget a day, the vault seals what stays under a new key and
/// then has the old one destroyed. A secure element destroys a key for good; a file on flash is overwritten, which is
/// only as good as the flash makes it, and does not stop a thief who takes the card.
public protocol SealingKeyProvider: AnyObject {
    /// Returns the keys under which stored contents may be sealed, 32 bytes each, at least one; the first is the
    /// one to seal with. Makes the first key when there is none. Throws an error of the store, such as
    /// ``StorageFailure``, when the store refuses. `generator` must be cryptographically secure outside of tests.
    func keys(using generator: inout any RandomNumberGenerator) throws -> [SecretBytes]
    /// Adds a fresh key and returns it; it is then durable and first, and the key before stays. Throws an error of
    /// the store, such as ``StorageFailure``, when the store refuses; then nothing may be sealed under a fresh key.
    func stage(using generator: inout any RandomNumberGenerator) throws -> SecretBytes
    /// Destroys every key but the first. Throws an error of the store, such as ``StorageFailure``, when the store
    /// refuses; the call can be repeated.
    func retireOthers() throws
    /// Destroys every key, after which nothing sealed under them can be opened. Does nothing when there is none.
    /// Throws an error of the store, such as ``StorageFailure``, when the store refuses; the call can be repeated.
    func destroyAll() throws
}

/// A sealing key in a file, which should be on another partition than the data. Used by one thread at a time.
///
/// The file has two slots of 128 bytes: magic (4), sequence (8), key (32), SHA-256 over them (32), zeros. Both have
/// the same key, so that one damaged slot loses nothing; they differ only while a key is being replaced.
public final class FileKeyProvider: SealingKeyProvider {
    static let name = "sealing.key"
    private static let slotByteCount = 128
    private static let magic = Array("VKY1".utf8)

    private let medium: any StorageMedium

    /// Creates a provider for the file `sealing.key` of `medium`; nothing is read before a key is asked for.
    public init(_ medium: any StorageMedium) { self.medium = medium }

    private struct Slot {
        let sequence: UInt64
        let index: Int
        let key: SecretBytes
        /// The same for the other slot.
        var copy: Slot { Slot(sequence: sequence, index: 1 - index, key: key) }
    }

    /// Returns one or two keys of 32 bytes, the newer first, which are then durable; makes a first key when no slot
    /// of the file can be read, and cuts a file that is longer than two slots. Blocks on the disk. Throws
    /// ``StorageFailure`` when the disk refuses, but not when only the second copy of a key cannot be written.
    public func keys(using generator: inout any RandomNumberGenerator) throws -> [SecretBytes] {
        let slots = try read()
        guard let newest = slots.first else {
            let key = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
            for index in 0..<2 { try write(Slot(sequence: 1, index: index, key: key)) }
            return [key]
        }
        // A process that was killed may have left a key that only the page cache has. Nothing may be sealed under it before
        // the disk has it too.
        try medium.sync(Self.name)
        try medium.syncFolder()
        if slots.count == 1 { try copy(newest) }
        return slots.reduce(into: []) { keys, slot in if !keys.contains(slot.key) { keys.append(slot.key) } }
    }

    /// Writes a fresh key of 32 bytes into the older slot and returns it; it is then durable and first. Blocks on the
    /// disk. Throws ``StorageFailure`` when the disk refuses.
    public func stage(using generator: inout any RandomNumberGenerator) throws -> SecretBytes {
        let newest = try read().first
        let key = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        try write(Slot(sequence: (newest?.sequence ?? 0) + 1, index: 1 - (newest?.index ?? 1), key: key))
        return key
    }

    /// Overwrites the older slot with the newer key; does nothing when there is no key. Blocks on the disk. Throws
    /// ``StorageFailure`` when the disk refuses.
    public func retireOthers() throws {
        guard let newest = try read().first else { return }
        try write(newest.copy)
    }

    /// Overwrites both slots, then removes the file; does nothing when there is no file. Blocks on the disk. Throws
    /// ``StorageFailure`` when the disk refuses.
    public func destroyAll() throws {
        guard try medium.names().contains(Self.name) else { return }
        // Overwritten first: a name that is gone leaves the bytes where they were. Both slots are within one sector.
        try medium.write([UInt8](repeating: 0, count: 2 * Self.slotByteCount), to: Self.name, at: 0)
        try medium.sync(Self.name)
        try medium.remove(Self.name)
        try medium.syncFolder()
    }

    /// One copy is as good as two until it is damaged: a disk that cannot be written to is no reason to give up.
    private func copy(_ slot: Slot) throws(StorageFailure) {
        do {
            try write(slot.copy)
        } catch {
            if error.code == .cut { throw error }
        }
    }

    private func read() throws(StorageFailure) -> [Slot] {
        let bytes = try readFile() ?? []
        return (0..<2).compactMap { index -> Slot? in
            let start = index * Self.slotByteCount
            guard bytes.count >= start + 76 else { return nil }
            let slot = Array(bytes[start..<(start + 76)])
            guard slot.starts(with: Self.magic), SHA256.digest(of: slot[..<44]) == Array(slot[44...]) else { return nil }
            return Slot(
                sequence: Little.read(UInt64.self, slot[4..<12]), index: index, key: SecretBytes(copying: slot[12..<44]))
        }.sorted { $0.sequence > $1.sequence }
    }

    private func readFile() throws(StorageFailure) -> [UInt8]? {
        do {
            return try medium.read(Self.name, limit: 2 * Self.slotByteCount)
        } catch {
            guard error.code == .tooLarge else { throw error }
        }
        // The slots are at its beginning still.
        try medium.truncate(Self.name, to: 2 * Self.slotByteCount)
        return try medium.read(Self.name, limit: 2 * Self.slotByteCount)
    }

    private func write(_ slot: Slot) throws(StorageFailure) {
        var bytes = Self.magic + Little.bytes(slot.sequence) + slot.key.withBytes { Array($0) }
        bytes += SHA256.digest(of: bytes)
        bytes += [UInt8](repeating: 0, count: Self.slotByteCount - bytes.count)
        try medium.write(bytes, to: Self.name, at: slot.index * Self.slotByteCount)
        try medium.sync(Self.name)
        try medium.syncFolder()
    }
}
