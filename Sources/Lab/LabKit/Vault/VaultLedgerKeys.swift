// SPDX-License-Identifier: Apache-2.0

public import Cryptography
public import Ledger
public import Vault

/// The vault's ledger keys, as the ledger asks for them.
public final class VaultLedgerKeys: LedgerKeys {
    private let vault: Vault

    public init(_ vault: Vault) { self.vault = vault }

    public var keys: [SecretBytes] { vault.ledgerKeys }
    public func stage() throws -> SecretBytes { try vault.stageLedgerKey() }
    public func retireOthers() throws { try vault.retireOtherLedgerKeys() }
}
