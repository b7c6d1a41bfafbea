// SPDX-License-Identifier: Apache-2.0

/// The limits on the resources of one run.
public struct SyncLimits: Sendable, Hashable {
    /// The most bytes of packages that wait in the spool, which is in memory, for the core, of all sources
    /// together; 24 MiB by default, our choice. While the core accepts no files, a run fetches no further package
    /// once so many bytes wait, and fails; the last package may exceed the number. Not checked.
    public var waitingBytes: Int
    /// The most packages that wait in the spool for the core, of all sources together; 512 by default, half of the
    /// 1,024 files that the kernel lets a spool have (docs/sandbox.md). Like ``waitingBytes``, it counts only while
    /// the core accepts no files. Not checked.
    public var waitingFiles: Int
    /// The number of times that one package, index or document is requested in a run if its transfer breaks; 3 by
    /// default, our choice. There are fewer if the time of the run is over. Not checked.
    public var transferTries: Int
    /// The number of failures in a row after which the run ends, because the cause is then not in the packages; 6
    /// by default, our choice. A package that cannot be fetched counts once, and so does a call to the core of
    /// which a file is refused or signed for another period; an accepted call begins the count anew. Not checked.
    public var failuresInARow: Int
    /// The number of packages, or batches, refused before that are refused again in one run; then none of them is tried any
    /// more. Those that come are not limited. 4 by default, our choice, because the core permits 200 refused calls a day. Not
    /// checked.
    public var secondTries: Int
    /// The number of packages that are remembered although the source's list does not name them, if the list is
    /// older than an earlier one: those with the latest ends. 1,000 by default, our choice. After a current list
    /// none are remembered, except those in the spool and refused ones that wait for their next try. Not checked.
    public var rememberedPackages: Int
    /// The number of attempts or refusals in a row (``PackageRecord/count``) from which a package, if the process
    /// ends during an attempt, counts as refused and waits for ``PackageRecord/retryDelay(count:)``; 3 by default,
    /// our choice. Not checked.
    public var unexplainedAttempts: Int
    /// The most files of one call to the core, at least 1, which is not checked; 128 by default, the limit of the
    /// core's interface. A larger batch is given in several calls.
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
