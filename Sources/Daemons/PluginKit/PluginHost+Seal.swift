// SPDX-License-Identifier: Apache-2.0

public import Cryptography

extension PluginHost {
    /// Returns the plugin's own key of 32 bytes, for what it keeps outside ``storage(limit:slotBytes:hasPatches:)``; `nil` under a supervisor that gives
    /// none. After a reset of the device the key is another one. Blocks.
    /// - Throws: ``StorageError``: `system` if the key in the run folder cannot be read or does not have 32 bytes.
    public func seal() throws(StorageError) -> SecretBytes? {
        guard let run else { return nil }
        return try SealFile.read(run)
    }
}
