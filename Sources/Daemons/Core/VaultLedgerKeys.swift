// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import Ledger
public import Vault

/// The keys that seal the ledger, kept in the vault; they go with its reset. One thread at a time.
public final class VaultLedgerKeys: LedgerKeys {
    private let vault: Vault

    /// Creates the keys from those that `vault` holds; use it on the thread that owns the vault. Cannot fail.
    public init(_ vault: Vault) { self.vault = vault }

    /// The keys that may open the ledger, the newest first; 32 bytes each.
    public var keys: [SecretBytes] { vault.ledgerKeys }
    /// Adds a new key, which is on disk and first in ``keys`` when it returns.
    /// - Throws: ``StorageFailure`` if the disk refuses.
    public func stage() throws -> SecretBytes { try vault.stageLedgerKey() }
    /// Destroys every key but the first.
    /// - Throws: ``StorageFailure`` if the disk refuses, and the key provider's own error; call it again then.
    public func retireOthers() throws { try vault.retireOtherLedgerKeys() }
}
