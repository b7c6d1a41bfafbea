// SPDX-License-Identifier: Apache-2.0

/// What one run may cost.
public struct SyncLimits: Sendable, Hashable {
    /// Bytes of packages that may wait in the spool until the core takes them. The spool lies in memory; what does not fit is fetched later.
    public var waitingBytes: Int
    /// Tries per package and run when the transfer breaks.
    public var transferTries: Int
    /// Packages in a row that could not be had or were refused before the run ends: then it is not the packages.
    public var failuresInARow: Int
    /// Packages refused earlier that are tried again in one run. The core permits 200 refused calls per day.
    public var secondTries: Int
    /// After so many attempts of which nobody knows what became, a package is left alone for a while.
    public var unexplainedAttempts: Int
    /// Files of one call.
    public var filesPerCall: Int

    public init(
        waitingBytes: Int = 24 << 20, transferTries: Int = 3, failuresInARow: Int = 6, secondTries: Int = 4,
        unexplainedAttempts: Int = 3, filesPerCall: Int = 128
    ) {
        self.waitingBytes = waitingBytes
        self.transferTries = transferTries
        self.failuresInARow = failuresInARow
        self.secondTries = secondTries
        self.unexplainedAttempts = unexplainedAttempts
        self.filesPerCall = filesPerCall
    }
}
