// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import Ledger
public import Vault

/// The vault's ledger keys, as the ledger asks for them: what the core has, for trials without a core. One thread at a
/// time.
public final class VaultLedgerKeys: LedgerKeys {
    private let vault: Vault

    /// Gives a ledger the keys that `vault` keeps for it. Nothing is read before it is asked for.
    public init(_ vault: Vault) { self.vault = vault }

    /// The ledger's keys as the vault has them, the newest first: one, or two while one is being replaced.
    public var keys: [SecretBytes] { vault.ledgerKeys }
    /// Adds a fresh key, durable and first when this returns. Throws what the vault throws when it cannot be stored.
    public func stage() throws -> SecretBytes { try vault.stageLedgerKey() }
    /// Destroys every key but the first. Throws what the vault throws when that cannot be stored.
    public func retireOthers() throws { try vault.retireOtherLedgerKeys() }
}
