// SPDX-License-Identifier: Apache-2.0

/// What anybody encrypts with to any identity (`mpk` of CrowdNotifier): the generator of ``G2`` times a secret. A point of the group, and not zero.
public struct MasterPublicKey: Sendable, Equatable {
    /// The length in bytes.
    public static let byteCount = G2.byteCount

    let point: G2

    /// Reads a key of 96 bytes, from anybody. Throws a ``BLS12381Error`` if it is no point of the group, or is zero: with such a key everybody
    /// could decrypt. Takes the time of a multiplication, so keep what was read.
    public init(_ bytes: some RandomAccessCollection<UInt8>) throws(BLS12381Error) {
        point = try G2(bytes)
        guard !point.isZero else { throw BLS12381Error(.isZero) }
    }

    /// Makes the public key of a secret, as a health authority does. Throws `isZero` if the secret is 0.
    public init(secret: Scalar) throws(BLS12381Error) {
        guard !secret.isZero else { throw BLS12381Error(.isZero) }
        point = G2.generator.multiplied(by: secret)
    }

    /// Joins the keys of two holders, neither of whom can decrypt alone; the sum of their ``IdentityKey``s belongs to it. Throws `isZero` if
    /// one key is the other's negative.
    public init(joining first: MasterPublicKey, _ second: MasterPublicKey) throws(BLS12381Error) {
        point = first.point + second.point
        guard !point.isZero else { throw BLS12381Error(.isZero) }
    }

    /// The key's 96 bytes, as mcl writes them.
    public var bytes: [UInt8] { point.bytes }
}

/// What decrypts everything that was encrypted to one identity: its hash in ``G1`` times the master's secret. A point of the group, and not zero.
///
/// CrowdNotifier publishes it when visitors are to be warned, and from then on it is no secret.
public struct IdentityKey: Sendable, Equatable {
    /// The length in bytes.
    public static let byteCount = G1.byteCount

    let point: G1

    /// Reads a key of 48 bytes, from anybody. Throws a ``BLS12381Error`` if it is no point of the group, or is zero. Takes the time of a
    /// multiplication, so read it once for all messages that are tried.
    public init(_ bytes: some RandomAccessCollection<UInt8>) throws(BLS12381Error) {
        point = try G1(bytes)
        guard !point.isZero else { throw BLS12381Error(.isZero) }
    }

    /// Makes the key of `identity` (any length), as a health authority does. Throws `isZero` if the secret is 0.
    public init(identity: [UInt8], secret: Scalar) throws(BLS12381Error) {
        guard !secret.isZero else { throw BLS12381Error(.isZero) }
        point = G1(hashing: identity).multiplied(by: secret)
    }

    /// Joins the keys that two holders made for one identity. Throws `isZero` if one is the other's negative.
    public init(joining first: IdentityKey, _ second: IdentityKey) throws(BLS12381Error) {
        point = first.point + second.point
        guard !point.isZero else { throw BLS12381Error(.isZero) }
    }

    /// The key's 48 bytes, as mcl writes them.
    public var bytes: [UInt8] { point.bytes }

    /// Returns whether the holder of `master`'s secret made this key for `identity` (any length). Takes the time of two pairings.
    public func belongs(to identity: [UInt8], under master: MasterPublicKey) -> Bool {
        GT(pairing: point, .generator) == GT(pairing: G1(hashing: identity), master.point)
    }
}
