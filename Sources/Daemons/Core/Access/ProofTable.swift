// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Proofs that somebody who has signed in is behind one call of somebody else: like a ticket of a consent good for one thing, once, and not for long; but in memory
/// only, as sessions are. Of what is handed out only the hash is here.
struct ProofTable {
    /// What a proof says.
    enum Ground {
        /// A session is behind the call; the proof ends with it.
        case session(Caller.Session)
        /// The wearer has agreed to a release of keys, and the keys were handed out with this proof.
        case release
    }

    private struct Proof {
        let digest: [UInt8]
        let caller: String
        let ground: Ground
        let method: String
        let made: Duration
    }

    /// Of one caller, all its sessions together. Where there are too many its oldest goes, and nobody else's.
    static let most = 64
    static let life = Duration.seconds(60)
    static let valueByteCount = 16
    /// How long what goes on by a proof may go on.
    static let watchSeconds = 600
    static let longestMethod = 256

    private var proofs: [Proof] = []

    /// 32 hexadecimal digits.
    mutating func make(
        on ground: Ground, of caller: String, _ method: String, at now: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        proofs.removeAll { now - $0.made >= Self.life }
        if proofs.count(where: { $0.caller == caller }) >= Self.most,
            let oldest = proofs.firstIndex(where: { $0.caller == caller })
        {
            proofs.remove(at: oldest)
        }
        let bytes = (0..<Self.valueByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        proofs.append(
            Proof(digest: SHA256.digest(of: bytes), caller: caller, ground: ground, method: method, made: now))
        return Hex.string(bytes)
    }

    /// Of a caller that is no more.
    mutating func forget(_ caller: String) { proofs.removeAll { $0.caller == caller } }

    /// What it says, and to which caller it was given, if it is good for `method`; it is spent whatever it was good for.
    mutating func redeem(_ value: String, _ method: String, at now: Duration) -> (ground: Ground, caller: String)? {
        guard value.utf8.count == 2 * Self.valueByteCount, let bytes = Hex.bytes(value) else { return nil }
        let digest = SHA256.digest(of: bytes)
        guard let index = proofs.firstIndex(where: { $0.digest == digest }) else { return nil }
        let proof = proofs.remove(at: index)
        guard proof.method == method, now - proof.made < Self.life else { return nil }
        return (proof.ground, proof.caller)
    }
}
