// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A small file that is never longer and never shorter: two slots, written in turn, the newer valid one counts.
///
/// The file is made under another name, with both slots allocated and one filled, and renamed: so a file of zeros is damage and never
/// the trace of a cut, and a change needs no new space: midnight on a full disk rolls the TEK all the same. (On file systems that copy on write this does not hold; boards use ext4.) A cut while one slot is written leaves the
/// other. Each slot is sealed; its sequence number is part of what is sealed.
///
/// Layout of a slot of `slotByteCount` bytes: magic (4), sequence (8, little-endian), length of the sealed part (4), sealed part,
/// zeros.
struct SlotFile {
    static let slotByteCount = 4_096
    private static let magic = Array("VSL1".utf8)
    private static let headerByteCount = 16
    /// The most a slot can hold.
    static let capacity = slotByteCount - headerByteCount - SealedBox.overhead

    let name: String

    /// What the file holds.
    struct Content {
        var sequence: UInt64
        /// 0 or 1: where it was read from.
        var slot: Int
        var message: SecretBytes
    }

    /// What reading came to.
    enum Reading {
        case absent
        case content(Content)
        /// The file is there and neither slot can be opened with any of the keys.
        case damaged
    }

    /// Reads the newer slot that opens with any of `keys`.
    func read(_ medium: any StorageMedium, keys: [SecretBytes]) throws(StorageFailure) -> Reading {
        let bytes: [UInt8]?
        do {
            bytes = try medium.read(name, limit: 2 * Self.slotByteCount)
        } catch {
            // A bad sector here must not keep the beacon from starting.
            if error.code == .tooLarge || error.code == .failed { return .damaged }
            throw error
        }
        guard let bytes else { return .absent }
        let contents = (0..<2).compactMap { open(bytes, slot: $0, keys: keys) }
        guard let newest = contents.max(by: { $0.sequence < $1.sequence }) else { return .damaged }
        return .content(newest)
    }

    private func open(_ bytes: [UInt8], slot: Int, keys: [SecretBytes]) -> Content? {
        let start = slot * Self.slotByteCount
        guard bytes.count >= start + Self.headerByteCount else { return nil }
        let header = bytes[start..<(start + Self.headerByteCount)]
        guard header.starts(with: Self.magic) else { return nil }
        let sequence = Little.read(UInt64.self, header.dropFirst(4).prefix(8))
        let length = Int(Little.read(UInt32.self, header.dropFirst(12)))
        let body = start + Self.headerByteCount
        guard length <= Self.slotByteCount - Self.headerByteCount, bytes.count >= body + length else { return nil }
        for key in keys {
            if let message = SealedBox.open(bytes[body..<(body + length)], key: key, context: context(sequence)) {
                return Content(sequence: sequence, slot: slot, message: message)
            }
        }
        return nil
    }

    /// Makes the file, replacing what has its name, with `message` in it. Durable when it returns; when it throws, what was there is
    /// still there.
    func create(
        _ message: SecretBytes, key: SecretBytes, in medium: any StorageMedium,
        using generator: inout some RandomNumberGenerator
    ) throws -> Content {
        let content = Content(sequence: 1, slot: 0, message: message)
        let slot = try image(content, key: key, using: &generator)
        try medium.write(slot + [UInt8](repeating: 0, count: Self.slotByteCount), to: temporaryName, at: 0)
        try medium.sync(temporaryName)
        try medium.rename(temporaryName, to: name)
        try medium.syncFolder()
        return content
    }

    /// What a cut during ``create(_:key:in:using:)`` leaves behind.
    var temporaryName: String { name + ".new" }

    /// Writes `message` (at most ``capacity`` bytes) over the slot that does not hold `current`. Durable when it returns; when it
    /// throws, `current` is still there.
    func write(
        _ message: SecretBytes, after current: Content, key: SecretBytes, to medium: any StorageMedium,
        using generator: inout some RandomNumberGenerator
    ) throws -> Content {
        let content = Content(sequence: current.sequence + 1, slot: 1 - current.slot, message: message)
        let slot = try image(content, key: key, using: &generator)
        try medium.write(slot, to: name, at: content.slot * Self.slotByteCount)
        try medium.sync(name)
        return content
    }

    /// The whole slot, so that nothing of a longer message before stays readable.
    private func image(
        _ content: Content, key: SecretBytes, using generator: inout some RandomNumberGenerator
    ) throws -> [UInt8] {
        precondition(content.message.count <= Self.capacity, "a slot holds \(Self.capacity) bytes")
        let sealed = try SealedBox.seal(content.message, key: key, context: context(content.sequence), using: &generator)
        let bytes = Self.magic + Little.bytes(content.sequence) + Little.bytes(UInt32(sealed.count)) + sealed
        return bytes + [UInt8](repeating: 0, count: Self.slotByteCount - bytes.count)
    }

    private func context(_ sequence: UInt64) -> [UInt8] { Array("vigil slot \(name) ".utf8) + Little.bytes(sequence) }
}

/// Little-endian integers as bytes.
enum Little {
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    /// Reads as many bytes as the type has; `bytes` must have them.
    static func read<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type, _ bytes: some Collection<UInt8>
    ) -> Value {
        bytes.prefix(MemoryLayout<Value>.size).enumerated().reduce(0) { $0 | Value($1.element) << (8 * Value($1.offset)) }
    }
}
