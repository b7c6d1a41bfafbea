// SPDX-License-Identifier: Apache-2.0

/// The times on both clocks at one instant, in whole seconds.
public struct SyncMoment: Sendable, Hashable {
    /// The time that the system clock shows, right or wrong, in Unix seconds. A schedule uses it only for the point
    /// of the interval at which a run begins, and for the meaning of a stored time after a restart of the board;
    /// the engine also uses it for the packages that exist by now, and for the next try of a refused one.
    public var wall: Int64
    /// The number of seconds since the board was switched on, including sleep (`CLOCK_BOOTTIME`). It never jumps; a
    /// schedule measures its waits with it.
    public var steady: Int64
    /// The number of the board's run that ``steady`` belongs to: any number that differs between two runs.
    public var boot: UInt64

    /// Creates a moment of these values: `wall` in Unix seconds, `steady` in seconds of a monotonic clock. Both clocks have
    /// to be read at the same instant.
    public init(wall: Int64, steady: Int64, boot: UInt64) {
        self.wall = wall
        self.steady = steady
        self.boot = boot
    }
}
