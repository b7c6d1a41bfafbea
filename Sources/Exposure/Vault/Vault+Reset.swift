// SPDX-License-Identifier: Apache-2.0

extension Vault {
    /// Says that a reset has begun. While it is there, opening means finishing the reset.
    static let resetFile = "reset.pending"

    /// Resets the vault: destroys the sealing key, then removes every file of the data folder, including the ledger's
    /// and those that were set aside. Close the ledger before. Subfolders are left alone.
    ///
    /// After the call this vault stores nothing more, whether it returned, threw or was cut: open another vault,
    /// which finishes what is left and begins as new, with ``Finding/wasReset``. Only when a power cut or a refusal
    /// of the disk comes before the reset was noted on the disk does everything stay as it was.
    ///
    /// - Throws: ``StorageFailure`` when the disk refuses, and what the provider of the sealing key throws.
    public func destroy() throws {
        isSpent = true
        try medium.write(Array("VRS1".utf8), to: Self.resetFile, at: 0)
        try medium.sync(Self.resetFile)
        try medium.syncFolder()
        try Self.destroyContents(medium, provider)
    }

    /// The key first: from then on whatever else is there, or is found in old cells of the flash, is noise.
    private static func destroyContents(_ medium: any StorageMedium, _ provider: any SealingKeyProvider) throws {
        try provider.destroyAll()
        for name in try medium.names().sorted() where name != resetFile { try medium.remove(name) }
        try medium.syncFolder()
    }

    /// Finishes a reset that was begun; gives whether there was one. The note of it goes last, and for good before anything new is
    /// made: a note that came back would destroy that.
    static func finishReset(_ medium: any StorageMedium, _ provider: any SealingKeyProvider) throws -> Bool {
        guard try medium.names().contains(resetFile) else { return false }
        // A killed process may have left it in the page cache only.
        try medium.sync(resetFile)
        try medium.syncFolder()
        try destroyContents(medium, provider)
        try medium.remove(resetFile)
        try medium.syncFolder()
        return true
    }
}
