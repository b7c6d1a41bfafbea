// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import Ledger
public import Vault

/// Gives a ledger the keys that a vault stores for it, as the core does, for trials without a core. Use it on one thread at
/// a time.
public final class VaultLedgerKeys: LedgerKeys {
    private let vault: Vault

    /// Creates the source of the ledger keys in `vault`. Nothing is read before a key is asked for.
    public init(_ vault: Vault) { self.vault = vault }

    /// The ledger's keys in the vault, the newest first: one, or two while one is being replaced.
    public var keys: [SecretBytes] { vault.ledgerKeys }
    /// Adds a new key, which is durable and the first one when this returns, and returns it. Throws what the vault throws
    /// when it cannot store the key.
    public func stage() throws -> SecretBytes { try vault.stageLedgerKey() }
    /// Destroys every key but the first. Throws what the vault throws when it cannot store that.
    public func retireOthers() throws { try vault.retireOtherLedgerKeys() }
}
