// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The bytes of a ``KeyValueStore`` of constant size: two slots of the same length, written in turn, of which the one with the higher number holds.
/// Each is `vigil-store 3` and a line break, then `NUMBER LENGTH CRC`, a line break, the values as JSON, and zeros to its end; or `vigil-store 4`,
/// a line break, and all that follows sealed.
struct StoreSlots {
    /// Bytes of one slot.
    let byteCount: Int
    /// Of the write that holds.
    var sequence: UInt64
    /// Where it stands: 0 or 1.
    var index: Int

    /// A slot's length is a multiple of it: blocks of a file system.
    static let block = 4_096
    private static let openMark = Array("vigil-store 3\n".utf8)
    private static let sealedMark = Array("vigil-store 4\n".utf8)

    static func isOne(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: openMark) || bytes.starts(with: sealedMark) || isTorn(bytes)
    }

    /// The first slot was being written when the power went: the second tells.
    private static func isTorn(_ bytes: [UInt8]) -> Bool {
        let second = bytes.dropFirst(bytes.count / 2)
        return bytes.count.isMultiple(of: 2 * block) && (second.starts(with: openMark) || second.starts(with: sealedMark))
    }

    /// `nil` when the values do not fit.
    static func slot(
        of values: JSON.Object, sequence: UInt64, byteCount: Int, seal: SecretBytes?
    ) throws(CryptographyError) -> [UInt8]? {
        let body = JSON.object(values).bytes
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
        let byteCount = bytes.count / 2
        guard bytes.count.isMultiple(of: 2 * block), byteCount > 0 else { return nil }
        let found = (0..<2).compactMap { index -> (slots: StoreSlots, values: JSON.Object)? in
            guard let (sequence, values) = read(bytes[(index * byteCount)..<((index + 1) * byteCount)], seal: seal) else {
                return nil
            }
            return (StoreSlots(byteCount: byteCount, sequence: sequence, index: index), values)
        }
        return found.max { $0.slots.sequence < $1.slots.sequence }
    }

    private static func read(_ slot: ArraySlice<UInt8>, seal: SecretBytes?) -> (UInt64, JSON.Object)? {
        if slot.starts(with: sealedMark) {
            guard let seal,
                let message = SealedBox.open(slot.dropFirst(sealedMark.count), key: seal, context: sealedMark)
            else { return nil }
            return message.withBytes { read(message: $0[...]) }
        }
        guard slot.starts(with: openMark) else { return nil }
        return read(message: Array(slot.dropFirst(openMark.count))[...])
    }

    private static func read(message: some Collection<UInt8>) -> (UInt64, JSON.Object)? {
        let bytes = Array(message)
        guard let end = bytes.prefix(StoreFile.headLimit).firstIndex(of: 10) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let sequence = UInt64(words[0]), let count = Int(words[1]), count >= 0,
            count <= bytes.count - end - 1
        else { return nil }
        let body = Array(bytes[(end + 1)..<(end + 1 + count)])
        let facts = Array("\(sequence) \(count)".utf8)
        guard String(StoreFile.checksum(facts + body), radix: 16) == words[2] else { return nil }
        return (try? JSON(parsing: body))?.object.map { (sequence, $0) }
    }
}
