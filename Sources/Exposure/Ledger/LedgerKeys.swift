// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// Where the keys come from that seal the rows of a ledger. The vault keeps them.
public protocol LedgerKeys: AnyObject {
    /// One key, or two while one is being replaced: the newest first. 32 bytes each.
    var keys: [SecretBytes] { get }
    /// Adds a fresh key, durable and first when this returns; the one before stays second.
    func stage() throws -> SecretBytes
    /// Destroys every key but the first.
    func retireOthers() throws
}

/// Keys that live as long as the process, for a ledger in memory.
public final class MemoryLedgerKeys: LedgerKeys {
    public private(set) var keys: [SecretBytes]
    private var generator: any RandomNumberGenerator

    /// `generator` must be cryptographically secure outside of tests.
    public init(generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.generator = generator
        keys = [SecretBytes(count: SealedBox.keyByteCount, from: &self.generator)]
    }

    public func stage() -> SecretBytes {
        let fresh = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        keys = [fresh] + keys.prefix(1)
        return fresh
    }

    public func retireOthers() { keys = Array(keys.prefix(1)) }
}
