// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The source of the keys that seal the rows of a ledger. The vault implements it.
public protocol LedgerKeys: AnyObject {
    /// The key, or the two keys while one is being replaced, newest first; 32 secret bytes each. Without a key no
    /// ledger can be opened.
    var keys: [SecretBytes] { get }
    /// Adds a fresh key, durable and first when this returns it; the one before stays second. Throws an error of the store,
    /// such as ``StorageFailure``, when it refuses; then the keys are as before.
    func stage() throws -> SecretBytes
    /// Destroys every key but the first. Throws an error of the store, such as ``StorageFailure``, when it refuses; call it
    /// again.
    func retireOthers() throws
}

/// A source of keys that are kept as long as the process runs, for a ledger in memory. Used by one thread at a
/// time.
public final class MemoryLedgerKeys: LedgerKeys {
    /// One or two keys of 32 secret bytes each, newest first.
    public private(set) var keys: [SecretBytes]
    private var generator: any RandomNumberGenerator

    /// Creates one key of 32 bytes, drawn from `generator`, which must be cryptographically secure outside of tests.
    /// Cannot fail.
    public init(generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.generator = generator
        keys = [SecretBytes(count: SealedBox.keyByteCount, from: &self.generator)]
    }

    /// Adds a fresh key of 32 bytes and returns it; it is then first, the newest one before stays second, and older
    /// ones are dropped. Cannot fail.
    public func stage() -> SecretBytes {
        let fresh = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        keys = [fresh] + keys.prefix(1)
        return fresh
    }

    /// Removes every key but the first, which remains in use. Cannot fail.
    public func retireOthers() { keys = Array(keys.prefix(1)) }
}
