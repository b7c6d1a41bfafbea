// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The bytes of a ``KeyValueStore``: `vigil-store 1 LENGTH CRC`, a line break, and the values as JSON; or `vigil-store 2`, a line break, and
/// the same sealed.
enum StoreFile {
    /// More than the first line ever has.
    static let headLimit = 64
    private static let mark = "vigil-store 1"
    private static let sealedMark = Array("vigil-store 2\n".utf8)

    static func bytes(of values: JSON.Object, seal: SecretBytes? = nil) throws(CryptographyError) -> [UInt8] {
        guard let seal else { return open(values) }
        var random = SystemRandomNumberGenerator()
        let message = SecretBytes(copying: open(values))
        return sealedMark + (try SealedBox.seal(message, key: seal, context: sealedMark, using: &random))
    }

    private static func open(_ values: JSON.Object) -> [UInt8] {
        let body = JSON.object(values).bytes
        return Array("\(mark) \(body.count) \(String(checksum(body), radix: 16))\n".utf8) + body
    }

    /// `nil` when it is not what was written.
    static func values(in bytes: [UInt8], seal: SecretBytes? = nil) -> JSON.Object? {
        if bytes.starts(with: sealedMark) {
            guard let seal,
                let message = SealedBox.open(bytes.dropFirst(sealedMark.count), key: seal, context: sealedMark)
            else { return nil }
            return message.withBytes { values(in: Array($0)) }
        }
        guard let end = bytes.prefix(headLimit).firstIndex(of: 10) else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        let body = Array(bytes[(end + 1)...])
        guard head == "\(mark) \(body.count) \(String(checksum(body), radix: 16))" else { return nil }
        return (try? JSON(parsing: body))?.object
    }

    /// CRC-32 (ISO 3309), bit by bit: a store is small. It finds damage, not forgers.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var checksum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return ~checksum
    }
}
