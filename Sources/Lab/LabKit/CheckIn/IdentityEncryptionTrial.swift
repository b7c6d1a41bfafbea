// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography

/// One round of encryption to an identity: a random authority, identity and message; stored, read again, opened by the right key and by no other,
/// and damaged at a random bit.
public struct IdentityEncryptionTrial: Sendable {
    /// What became of the damaged message.
    public enum Damage: String, Sendable, CaseIterable {
        /// It was refused when it was read: the point is none.
        case refused
        /// It was read, and the right key did not open it.
        case unopened
    }

    /// What was found wrong, in words; `nil` if all was right.
    public let problem: String?
    /// What became of the damaged message; `nil` if the round ended before.
    public let damage: Damage?

    /// Runs a round; everything follows from `generator`. Takes six or seven pairings. Never throws: a fault is a ``problem``.
    public init(using generator: inout some RandomNumberGenerator) {
        do {
            damage = try Self.run(&generator)
            problem = nil
        } catch {
            problem = "\(error)"
            damage = nil
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private static func claim(_ holds: Bool, _ fault: String) throws(Fault) {
        guard holds else { throw Fault(description: fault) }
    }

    private static func run(_ generator: inout some RandomNumberGenerator) throws -> Damage {
        let (secret, stranger) = (Scalar.random(using: &generator), Scalar.random(using: &generator))
        let master = try MasterPublicKey(MasterPublicKey(secret: secret).bytes)
        let identity = random(32, &generator)
        let message = random(.random(in: 0...300, using: &generator), &generator)
        let key = try IdentityKey(IdentityKey(identity: identity, secret: secret).bytes)
        let text = try IdentityCiphertext(encrypting: message, to: identity, under: master, using: &generator)

        var fields = [text.pointBytes, text.masked, text.box, text.nonce]
        let stored = try read(fields)
        try claim(stored == text, "what was stored is read as another one")
        try claim(try stored.opened(identity: identity, key: key) == message, "the right key does not open it")
        try claim(key.belongs(to: identity, under: master), "the right key does not belong to its identity")
        let other = random(32, &generator)
        try claim(
            try stored.opened(identity: other, key: IdentityKey(identity: other, secret: secret)) == nil,
            "another identity's key opens it")
        try claim(
            try stored.opened(identity: identity, key: IdentityKey(identity: identity, secret: stranger)) == nil,
            "another authority's key opens it")

        let field = Int.random(in: fields.indices, using: &generator)
        let index = Int.random(in: fields[field].indices, using: &generator)
        fields[field][index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let damaged: IdentityCiphertext
        do {
            damaged = try read(fields)
        } catch let error as BLS12381Error {
            try claim(field == 0, "refused for \(error.code), although the point is whole")
            return .refused
        }
        try claim(try damaged.opened(identity: identity, key: key) == nil, "it opens with a changed bit")
        return .unopened
    }

    private static func read(_ fields: [[UInt8]]) throws -> IdentityCiphertext {
        try IdentityCiphertext(point: fields[0], masked: fields[1], box: fields[2], nonce: fields[3])
    }

    private static func random(_ count: Int, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
