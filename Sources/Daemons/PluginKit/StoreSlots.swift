// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The bytes of a ``KeyValueStore`` of constant size: two slots of the same length, written in turn, of which the one with the higher number holds.
/// Each is `vigil-store 3` and a line break, then `NUMBER LENGTH CRC`, a line break, the values as JSON, and zeros to its end; or `vigil-store 4`,
/// a line break, and all that follows sealed.
///
/// Behind slots that begin with `vigil-store 5` or `6` (sealed) lies a ring of patches: blocks of the same form, `vigil-store 7` or `8`, each of which makes the values
/// of its number from those of the number before (``StorePatch``). Number N stands in block N modulo ``ring``.
struct StoreSlots {
    /// Bytes of one slot.
    let byteCount: Int
    /// Of the write that holds.
    var sequence: UInt64
    /// Where the slot stands that holds: 0 or 1.
    var index: Int
    /// Whether there is room for patches.
    var hasRing = false
    /// How many patches there are after that slot; ``sequence`` is that of the last.
    var patchCount = 0

    /// A slot's length is a multiple of it: blocks of a file system.
    static let block = 4_096
    /// Patches at most between two slots.
    static let ring = 8

    /// What a part of the file is, by how it begins.
    enum Kind: CaseIterable {
        case slot, slotWithRing, patch

        var open: [UInt8] { Array("vigil-store \(self == .slot ? 3 : self == .slotWithRing ? 5 : 7)\n".utf8) }
        var sealed: [UInt8] { Array("vigil-store \(self == .slot ? 4 : self == .slotWithRing ? 6 : 8)\n".utf8) }
        func begins(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: open) || bytes.starts(with: sealed) }
    }

    /// Bytes of a file with slots of that size.
    static func size(_ byteCount: Int, hasRing: Bool) -> Int { 2 * byteCount + (hasRing ? ring * block : 0) }

    /// Where the file's next patch goes.
    var patchOffset: Int { 2 * byteCount + Int((sequence + 1) % UInt64(Self.ring)) * Self.block }

    static func isOne(_ bytes: [UInt8]) -> Bool {
        Kind.slot.begins(bytes) || Kind.slotWithRing.begins(bytes) || layout(of: bytes) != nil
    }

    /// Bytes of a slot, and what its kind is; the first may have been being written when the power went: then the second tells.
    private static func layout(of bytes: [UInt8]) -> (byteCount: Int, kind: Kind)? {
        for kind in [Kind.slot, .slotWithRing] {
            let byteCount = (bytes.count - (kind == .slotWithRing ? ring * block : 0)) / 2
            guard byteCount > 0, byteCount.isMultiple(of: block),
                bytes.count == size(byteCount, hasRing: kind == .slotWithRing)
            else { continue }
            if kind.begins(bytes) || kind.begins(bytes.dropFirst(byteCount)) { return (byteCount, kind) }
        }
        return nil
    }

    /// A slot, or a patch; `nil` when `body` does not fit.
    static func slot(
        of body: [UInt8], _ kind: Kind, sequence: UInt64, byteCount: Int, seal: SecretBytes?
    ) throws(CryptographyError) -> [UInt8]? {
        let (openMark, sealedMark) = (kind.open, kind.sealed)
        let facts = Array("\(sequence) \(body.count)".utf8)
        let checksum = String(StoreFile.checksum(facts + body), radix: 16)
        var message = facts + Array(" \(checksum)\n".utf8) + body
        let room = byteCount - (seal == nil ? openMark.count : sealedMark.count + SealedBox.overhead)
        guard message.count <= room else { return nil }
        message += [UInt8](repeating: 0, count: room - message.count)
        guard let seal else { return openMark + message }
        var random = SystemRandomNumberGenerator()
        return sealedMark
            + (try SealedBox.seal(SecretBytes(copying: message), key: seal, context: sealedMark, using: &random))
    }

    /// What holds; `nil` when neither slot is what was written.
    static func newest(in bytes: [UInt8], seal: SecretBytes?) -> (slots: StoreSlots, values: JSON.Object)? {
        guard let (byteCount, kind) = layout(of: bytes) else { return nil }
        let found = (0..<2).compactMap { index -> (slots: StoreSlots, body: [UInt8])? in
            guard let (sequence, body) = read(bytes[(index * byteCount)..<((index + 1) * byteCount)], kind, seal: seal)
            else { return nil }
            return (
                StoreSlots(byteCount: byteCount, sequence: sequence, index: index, hasRing: kind == .slotWithRing), body
            )
        }
        guard var (slots, body) = found.max(by: { $0.slots.sequence < $1.slots.sequence }) else { return nil }
        // One that was being written when the power went, or is of an earlier round, ends it.
        while slots.hasRing, slots.patchCount < ring {
            let block = bytes[slots.patchOffset..<(slots.patchOffset + Self.block)]
            guard let (sequence, patch) = read(block, .patch, seal: seal), sequence == slots.sequence + 1,
                let next = StorePatch.apply(patch, to: body, limit: bytes.count)
            else { break }
            body = next
            slots.sequence += 1
            slots.patchCount += 1
        }
        return (try? JSON(parsing: body))?.object.map { (slots, $0) }
    }

    private static func read(_ slot: ArraySlice<UInt8>, _ kind: Kind, seal: SecretBytes?) -> (UInt64, [UInt8])? {
        if slot.starts(with: kind.sealed) {
            guard let seal,
                let message = SealedBox.open(slot.dropFirst(kind.sealed.count), key: seal, context: kind.sealed)
            else { return nil }
            return message.withBytes { read(message: $0[...]) }
        }
        guard slot.starts(with: kind.open) else { return nil }
        return read(message: Array(slot.dropFirst(kind.open.count))[...])
    }

    private static func read(message: some Collection<UInt8>) -> (UInt64, [UInt8])? {
        let bytes = Array(message)
        guard let end = bytes.prefix(StoreFile.headLimit).firstIndex(of: 10) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let sequence = UInt64(words[0]), let count = Int(words[1]), count >= 0,
            count <= bytes.count - end - 1
        else { return nil }
        let body = Array(bytes[(end + 1)..<(end + 1 + count)])
        let facts = Array("\(sequence) \(count)".utf8)
        guard String(StoreFile.checksum(facts + body), radix: 16) == words[2] else { return nil }
        return (sequence, body)
    }
}
