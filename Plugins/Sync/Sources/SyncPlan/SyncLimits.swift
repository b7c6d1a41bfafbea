// SPDX-License-Identifier: Apache-2.0

/// The limits of what one run may cost.
public struct SyncLimits: Sendable, Hashable {
    /// The number of bytes of packages that may wait in the spool, which lies in memory, until the core takes them; 24 MiB
    /// by default, a choice of ours. While the core takes none, nothing more is fetched once so much waits, so the last
    /// package may go beyond. Not checked.
    public var waitingBytes: Int
    /// The number of packages that may wait in the spool; 512 by default, half of the 1,024 files that the kernel lets a spool have. While the core
    /// takes none, nothing more is fetched once so many wait, so a last batch may go beyond.
    public var waitingFiles: Int
    /// The number of times that one package is tried in a run when its transfer breaks; 3 by default, a choice of ours.
    public var transferTries: Int
    /// The number of packages in a row that may fail or be refused before the run ends, because it is not the packages
    /// then; 6 by default, a choice of ours. Not checked.
    public var failuresInARow: Int
    /// The number of formerly refused packages that are tried again in one run, or as many as the first one's batch has; 4
    /// by default, a choice of ours. The core permits 200 refused calls per day. Not checked.
    public var secondTries: Int
    /// The number of packages that are remembered although a list does not have them, when that list is older than one that came before: the newest.
    /// 1,000 by default, a choice of ours.
    public var rememberedPackages: Int
    /// The number of attempts with an unknown end that a package may have before it is left alone for a while; 3 by
    /// default, a choice of ours. Not checked.
    public var unexplainedAttempts: Int
    /// The most files of one call to the core, above 0; 128 by default, which is what its interface takes.
    public var filesPerCall: Int

    /// The defaults are the plugin's; only tests use others. 24 MiB wait at most in the spool, because it lies in memory.
    /// Cannot fail.
    public init(
        waitingBytes: Int = 24 << 20, waitingFiles: Int = 512, transferTries: Int = 3, failuresInARow: Int = 6,
        secondTries: Int = 4,
        rememberedPackages: Int = 1_000, unexplainedAttempts: Int = 3, filesPerCall: Int = 128
    ) {
        self.waitingBytes = waitingBytes
        self.waitingFiles = waitingFiles
        self.transferTries = transferTries
        self.failuresInARow = failuresInARow
        self.secondTries = secondTries
        self.rememberedPackages = rememberedPackages
        self.unexplainedAttempts = unexplainedAttempts
        self.filesPerCall = filesPerCall
    }
}
