// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Seals and opens the rows of a ledger under one key, and names them.
///
/// A row is sealed with its table, tag and place in the order of writing, so that no row can stand for another. Tags are the first 16
/// bytes of HMAC-SHA-256 under a key derived for the purpose: without the key nobody can ask whether a name is there.
struct RowSealer {
    static let tagByteCount = 16

    let key: SecretBytes
    private let tagKey: SecretBytes

    init(key: SecretBytes) throws {
        self.key = key
        tagKey = try Self.checked { try HKDFSHA256.derive(from: key, info: Array("vigil ledger tags".utf8), count: 32) }
    }

    private static func checked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CryptographyError {
            throw LedgerFailure(.failed, "\(error)")
        }
    }

    func tag(_ table: LedgerTable, _ name: [UInt8]) throws -> [UInt8] {
        let code = try Self.checked { try HMACSHA256.code(for: Array(table.rawValue.utf8) + [0] + name, key: tagKey) }
        return Array(code.prefix(Self.tagByteCount))
    }

    func seal(
        _ content: [UInt8], _ table: LedgerTable, tag: [UInt8], written: Int64,
        using generator: inout any RandomNumberGenerator
    ) throws -> [UInt8] {
        try Self.checked {
            try SealedBox.seal(
                SecretBytes(copying: content), key: key, context: Self.context(table, tag, written), using: &generator)
        }
    }

    /// `nil` for anything ``seal(_:_:tag:written:using:)`` did not make for this place.
    func open(_ sealed: [UInt8], _ table: LedgerTable, tag: [UInt8], written: Int64) -> [UInt8]? {
        SealedBox.open(sealed, key: key, context: Self.context(table, tag, written)).map { $0.withBytes { Array($0) } }
    }

    private static func context(_ table: LedgerTable, _ tag: [UInt8], _ written: Int64) -> [UInt8] {
        Array("vigil ledger \(table.rawValue) ".utf8) + withUnsafeBytes(of: written.littleEndian) { Array($0) } + tag
    }
}
