// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DeviceEvidence

/// An issuer's nonces. None is stored when it is given out, so nobody can fill a memory by asking: each is the HMAC of a slot of time
/// and one of a few numbers, under a secret that ends with the process. What a device has used is remembered until it is too old.
struct IssuanceNonces {
    /// The seconds for which a nonce is good.
    static let seconds: Int64 = 600
    /// A slot in seconds, and the nonces of a slot: those of one nonce for one request differ, so a device that repeats itself at once
    /// can be given another.
    static let slotSeconds: Int64 = 10, variants: UInt8 = 16
    /// The most used nonces that are remembered. With more, all nonces end, and devices ask again.
    static let maximumUsed = 100_000

    private var secret: SecretBytes
    private var slots: [Int64: [[UInt8]]] = [:]
    private var used: [[UInt8]: Int64] = [:]
    private var lastPruned: Int64 = 0
    private var generator: any RandomNumberGenerator

    init(using generator: any RandomNumberGenerator) {
        self.generator = generator
        secret = SecretBytes(count: 0) { _ in }
        renew()
    }

    private mutating func renew() {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in bytes.indices { bytes[index] = .random(in: 0 ... .max, using: &generator) }
        secret = SecretBytes(copying: bytes)
        slots = [:]
        used = [:]
    }

    private mutating func nonces(ofSlot slot: Int64) throws(DonationServiceError) -> [[UInt8]] {
        if let known = slots[slot] { return known }
        var made: [[UInt8]] = []
        for variant in 0..<Self.variants {
            let message = withUnsafeBytes(of: slot.bigEndian) { Array($0) } + [variant]
            do { made.append(try HMACSHA256.code(for: message, key: secret)) } catch {
                throw DonationServiceError(.cryptography)
            }
        }
        slots[slot] = made
        return made
    }

    /// All nonces that are good at `now`, newest first.
    mutating func good(now: Int64) throws(DonationServiceError) -> [[UInt8]] {
        let newest = now / Self.slotSeconds
        let oldest = max(0, now - Self.seconds) / Self.slotSeconds
        slots = slots.filter { (oldest...max(oldest, newest)).contains($0.key) }
        var all: [[UInt8]] = []
        for slot in stride(from: newest, through: oldest, by: -1) { all += try nonces(ofSlot: slot) }
        return all
    }

    /// A nonce for the next request; one that the device has not used for the request `repeated`, unless it has used all of this slot.
    mutating func next(
        now: Int64, repeated: (keyID: [UInt8], requestDigest: [UInt8])?
    ) throws(DonationServiceError) -> [UInt8] {
        let all = try nonces(ofSlot: now / Self.slotSeconds)
        let start = Int.random(in: 0..<all.count, using: &generator)
        let order = all[start...] + all[..<start]
        guard let repeated else { return all[start] }
        return order.first { nonce in
            let bound = DeviceEvidence.nonce(issuerNonce: nonce, requestDigest: repeated.requestDigest)
            return used[repeated.keyID + bound] == nil
        } ?? all[start]
    }

    /// Notes that a device has used a nonce for a request; `false` if it had already. `mark` is the name of its key and the nonce of
    /// its evidence, which binds the request.
    mutating func use(_ mark: [UInt8], now: Int64) -> Bool {
        if now - lastPruned >= Self.slotSeconds || now < lastPruned {
            lastPruned = now
            used = used.filter { now - $0.value <= Self.seconds + Self.slotSeconds && $0.value <= now + Self.seconds }
        }
        guard used[mark] == nil else { return false }
        if used.count >= Self.maximumUsed { renew() }
        used[mark] = now
        return true
    }
}
