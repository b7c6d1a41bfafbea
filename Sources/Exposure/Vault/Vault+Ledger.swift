// SPDX-License-Identifier: Apache-2.0

public import Cryptography

extension Vault {
    /// The data keys of the ledger, 32 secret bytes each, newest first: one, or two while one is being replaced.
    /// While there are two, the code that opens the ledger must seal everything under the first and then call
    /// ``retireOtherLedgerKeys()``.
    public var ledgerKeys: [SecretBytes] { ledgerKeySlot }

    /// Whether ``ledgerKeys`` are on the disk and will be there at the next start. If not, because the disk refused,
    /// keep the ledger in memory: on the disk it could never be opened again.
    public var areLedgerKeysStored: Bool { ledgerContent != nil }

    /// Adds a fresh ledger key of 32 bytes and returns it; it is then durable and first. The newest key before stays
    /// second, and an older one is dropped. Throws ``StorageFailure``: `failed` after ``destroy()``, and what the
    /// disk refuses; the keys are then unchanged.
    public func stageLedgerKey() throws -> SecretBytes {
        let fresh = SecretBytes(count: SealedBox.keyByteCount, from: &generator)
        try storeLedgerKeys([fresh] + ledgerKeySlot.prefix(LedgerKeySlot.maximumCount - 1))
        return fresh
    }

    /// Destroys every ledger key but the first. The remaining contents are sealed under a fresh sealing key and the
    /// old sealing key is retired, so that old contents of flash cells cannot be opened. Does nothing when there is
    /// one ledger key. A power cut on the way is finished at the next opening. Throws ``StorageFailure`` when the
    /// disk refuses, or after ``destroy()``, and what the key provider throws; the call can be repeated.
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
