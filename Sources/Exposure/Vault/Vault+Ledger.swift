// SPDX-License-Identifier: Apache-2.0

public import Cryptography

extension Vault {
    /// The data keys of the ledger, 32 secret bytes each, newest first: one, or two while one is being replaced. Whoever
    /// opens a ledger with two seals everything under the first and calls ``retireOtherLedgerKeys()``.
    public var ledgerKeys: [SecretBytes] { ledgerKeySlot }

    /// Whether ``ledgerKeys`` will be there at the next start. When not, because the disk refused, a ledger sealed under them on
    /// the disk could never be opened again; keep it in memory.
    public var areLedgerKeysStored: Bool { ledgerContent != nil }

    /// Adds a fresh ledger key of 32 bytes, which is durable and first when this returns it; the one before stays second,
    /// one before that goes. Throws ``StorageFailure`` when the disk refuses, `failed` after ``destroy()``; then the keys
    /// are as before.
    public func stageLedgerKey() throws -> SecretBytes {
        let fresh = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        try storeLedgerKeys([fresh] + ledgerKeySlot.prefix(LedgerKeySlot.maximumCount - 1))
        return fresh
    }

    /// Destroys every ledger key but the first: what stays is sealed under a fresh sealing key and the old sealing key is
    /// retired, so that old contents of flash cells do not open. Does nothing with one ledger key. A cut on the way is
    /// finished at the next opening. Throws ``StorageFailure`` when the disk refuses, and what the key provider throws;
    /// call it again.
    public func retireOtherLedgerKeys() throws {
        guard ledgerKeySlot.count > 1 else { return }
        key = try provider.stage(using: &generator)
        try storeLedgerKeys(Array(ledgerKeySlot.prefix(1)))
        try sealEverythingAnew()
    }

    func storeLedgerKeys(_ next: [SecretBytes]) throws {
        try counting(\.ledgerKeys) {
            ledgerContent = try write(LedgerKeySlot.encode(next), to: Self.ledgerFile, after: ledgerContent)
        }
        ledgerKeySlot = next
    }
}
