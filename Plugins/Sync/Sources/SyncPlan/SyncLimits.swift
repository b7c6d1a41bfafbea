// SPDX-License-Identifier: Apache-2.0

/// The limits of what one run may use.
public struct SyncLimits: Sendable, Hashable {
    /// The most bytes of packages that wait in the spool, which is in memory, for the core; 24 MiB by default, our choice.
    /// When this number is reached, nothing more is fetched until the core accepts packages, so the last one may exceed it.
    /// Not checked.
    public var waitingBytes: Int
    /// The number of packages that may wait in the spool; 512 by default, half of the 1,024 files that the kernel lets a spool have. While the core
    /// takes none, nothing more is fetched once so many wait, so a last batch may go beyond.
    public var waitingFiles: Int
    /// The number of times that one package is tried in a run when its transfer breaks; 3 by default, a choice of ours.
    public var transferTries: Int
    /// The number of packages in a row that may fail or be refused before the run ends, because the cause is then not in
    /// the packages; 6 by default, our choice. Not checked.
    public var failuresInARow: Int
    /// The number of refused packages that one run tries again. If a batch comes first, it is tried whole even if it is
    /// larger; a later batch may be cut off at the limit. 4 by default, our choice, because the core permits 200
    /// refused calls a day. Not checked.
    public var secondTries: Int
    /// The number of packages that are remembered although a list does not have them, when that list is older than one that came before: the newest.
    /// 1,000 by default, a choice of ours.
    public var rememberedPackages: Int
    /// The number of attempts with an unknown end that a package may have before it is left alone for a while; 3 by
    /// default, a choice of ours. Not checked.
    public var unexplainedAttempts: Int
    /// The most files of one call to the core, above 0; 128 by default, the limit of the core's interface.
    public var filesPerCall: Int

    /// Creates limits of these values; the defaults are the plugin's, and only tests use others. Cannot fail.
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
