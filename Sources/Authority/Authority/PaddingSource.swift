// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport

/// Random keys that nobody can tell from real ones, made from a secret so that equal bundles of two regions are padded equally:
/// whoever compares the regions' packages must not find the difference to be the padding.
struct PaddingSource {
    let secret: SecretBytes
    let hour: Int64

    private func code(_ label: String, _ content: [UInt8]) throws(AuthorityError) -> [UInt8] {
        do {
            return try HMACSHA256.code(for: Array("vigil padding \(label) \(hour) ".utf8) + content, key: secret)
        } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
    }

    /// The data of the padding key with that number beside `key`.
    func block(for key: ExportedKey, number: Int) throws(AuthorityError) -> Block {
        Block(try code("key \(number)", key.data.bytes).prefix(16)) ?? Block()
    }

    /// A number from 0 up to below `bound`, from the whole bundle.
    func number(below bound: Int64, for bundle: [ExportedKey]) throws(AuthorityError) -> Int64 {
        guard bound > 1 else { return 0 }
        let digest = try code("count", SHA256.digest(of: bundle.flatMap(\.data.bytes)))
        let value = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The remainder is off by less than one part in 10^15 for bounds of this size.
        return Int64(value % UInt64(bound))
    }
}
