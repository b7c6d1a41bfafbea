// SPDX-License-Identifier: Apache-2.0

/// Both clocks at one instant, in whole seconds.
public struct SyncMoment: Sendable, Hashable {
    /// Unix seconds as the system clock shows them, right or wrong. Decides only where in the hour we are, and what a stored
    /// time means after a restart of the board.
    public var wall: Int64
    /// Seconds since the board was switched on, sleep included. Never jumps; every waiting time is measured with it.
    public var steady: Int64
    /// The run of the board that ``steady`` belongs to: any number that differs between two runs.
    public var boot: UInt64

    /// A moment with these values: `wall` in Unix seconds, `steady` in seconds of a clock that never goes back. Both clocks
    /// have to be read at the same instant.
    public init(wall: Int64, steady: Int64, boot: UInt64) {
        self.wall = wall
        self.steady = steady
        self.boot = boot
    }
}
