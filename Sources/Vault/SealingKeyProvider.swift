// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// Where the key comes from that seals everything the vault keeps.
///
/// A provider can hold two keys for a moment: forgetting a day means that what could open it is destroyed, so the vault seals
/// what stays under a new key and then has the old one destroyed. A secure element destroys for good; a file on flash is
/// overwritten, which is as good as the flash makes it, and stops no thief who takes the card.
public protocol SealingKeyProvider: AnyObject {
    /// The keys that may have sealed something, the one to seal with first. Makes the first key when there is none.
    func keys(using generator: inout any RandomNumberGenerator) throws -> [SecretBytes]
    /// Adds a fresh key, which is durable and first when this returns; the one before stays.
    func stage(using generator: inout any RandomNumberGenerator) throws -> SecretBytes
    /// Destroys every key but the first.
    func retireOthers() throws
}

/// The sealing key in a file, to be kept on another partition than the data.
///
/// Two slots of 128 bytes: magic (4), sequence (8), key (32), SHA-256 over them (32).
public final class FileKeyProvider: SealingKeyProvider {
    static let name = "sealing.key"
    private static let slotByteCount = 128
    private static let magic = Array("VKY1".utf8)

    private let medium: any StorageMedium

    public init(_ medium: any StorageMedium) { self.medium = medium }

    private struct Slot {
        let sequence: UInt64
        let index: Int
        let key: SecretBytes
    }

    public func keys(using generator: inout any RandomNumberGenerator) throws -> [SecretBytes] {
        let slots = try read()
        if slots.isEmpty { return [try write(sequence: 1, slot: 0, using: &generator)] }
        // A process that was killed may have left a key that only the page cache has. Nothing may be sealed under it before
        // the disk has it too.
        try medium.sync(Self.name)
        try medium.syncFolder()
        return slots.map(\.key)
    }

    public func stage(using generator: inout any RandomNumberGenerator) throws -> SecretBytes {
        guard let newest = try read().first else { return try write(sequence: 1, slot: 0, using: &generator) }
        return try write(sequence: newest.sequence + 1, slot: 1 - newest.index, using: &generator)
    }

    public func retireOthers() throws {
        guard let newest = try read().first else { return }
        let other = (1 - newest.index) * Self.slotByteCount
        try medium.write([UInt8](repeating: 0, count: Self.slotByteCount), to: Self.name, at: other)
        try medium.sync(Self.name)
    }

    private func read() throws(StorageFailure) -> [Slot] {
        let bytes = try medium.read(Self.name, limit: 2 * Self.slotByteCount) ?? []
        return (0..<2).compactMap { index -> Slot? in
            let start = index * Self.slotByteCount
            guard bytes.count >= start + 76 else { return nil }
            let slot = Array(bytes[start..<(start + 76)])
            guard slot.starts(with: Self.magic), SHA256.digest(of: slot[..<44]) == Array(slot[44...]) else { return nil }
            return Slot(
                sequence: Little.read(UInt64.self, slot[4..<12]), index: index, key: SecretBytes(copying: slot[12..<44]))
        }.sorted { $0.sequence > $1.sequence }
    }

    private func write(
        sequence: UInt64, slot: Int, using generator: inout any RandomNumberGenerator
    ) throws(StorageFailure) -> SecretBytes {
        let key = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        var bytes = Self.magic + Little.bytes(sequence) + key.withBytes { Array($0) }
        bytes += SHA256.digest(of: bytes)
        bytes += [UInt8](repeating: 0, count: Self.slotByteCount - bytes.count)
        try medium.write(bytes, to: Self.name, at: slot * Self.slotByteCount)
        try medium.sync(Self.name)
        try medium.syncFolder()
        return key
    }
}
