// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The source of the keys that seal the rows of a ledger. The vault keeps them.
public protocol LedgerKeys: AnyObject {
    /// One key, or two while one is being replaced: the newest first. 32 bytes each.
    var keys: [SecretBytes] { get }
    /// Adds a fresh key, durable and first when this returns it; the one before stays second. Throws an error of the store,
    /// such as ``StorageFailure``, when it refuses; then the keys are as before.
    func stage() throws -> SecretBytes
    /// Destroys every key but the first. Throws an error of the store, such as ``StorageFailure``, when it refuses; call it
    /// again.
    func retireOthers() throws
}

/// Keys that live as long as the process, for a ledger in memory. One thread at a time.
public final class MemoryLedgerKeys: LedgerKeys {
    /// One key or two, the newest first; 32 secret bytes each.
    public private(set) var keys: [SecretBytes]
    private var generator: any RandomNumberGenerator

    /// Keys that live in memory only: one of 32 bytes, drawn from `generator`, which must be cryptographically secure
    /// outside of tests. Cannot fail.
    public init(generator: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.generator = generator
        keys = [SecretBytes(count: SealedBox.keyByteCount, from: &self.generator)]
    }

    /// Adds a fresh key of 32 bytes in front and gives it; the one before stays second, older ones go. Cannot fail.
    public func stage() -> SecretBytes {
        let fresh = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        keys = [fresh] + keys.prefix(1)
        return fresh
    }

    /// Forgets every key but the first, which stays the present one. Cannot fail.
    public func retireOthers() { keys = Array(keys.prefix(1)) }
}
