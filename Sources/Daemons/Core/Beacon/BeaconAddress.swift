// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import HCI

/// The address that stands beside an identifier: a function of a stored secret and the interval, so that a pair that comes again after a
/// restart comes with the address it had, and never with another.
///
/// The secret is not the TEK: whoever reads a published key learns identifiers, and must not learn addresses. Each TEK has one of its
/// own, which goes when the key is retired (docs/decisions/0029).
enum BeaconAddress {
    private static let purpose = Array("vigil beacon address".utf8)

    /// HMAC-SHA-256 under the turn's secret over a fixed name and the interval, as four little-endian words, of which the first usable one
    /// counts (Core Specification, Vol 6 Part B 1.3.2.2: 46 random bits that are neither all 0 nor all 1).
    ///
    /// Throws what the cryptography says, and ``HCIError/Code/generatorStuck`` when no word is usable (chance below 2^-170).
    static func address(for turn: TEKSchedule.Turn) throws -> BluetoothAddress {
        let message = purpose + withUnsafeBytes(of: turn.interval.number.littleEndian) { Array($0) }
        var words = Words(bytes: try HMACSHA256.code(for: message, key: turn.addressSecret)[...])
        return try .nonResolvable(from: &words)
    }

    /// A code's words, one after the other, and zeros after them: no zero is a usable address.
    private struct Words: RandomNumberGenerator {
        var bytes: ArraySlice<UInt8>

        mutating func next() -> UInt64 {
            let word = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            bytes = bytes.dropFirst(8)
            return word
        }
    }
}
