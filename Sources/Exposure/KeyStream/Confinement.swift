// SPDX-License-Identifier: Apache-2.0

/// The confinement of a process that handles foreign bytes, as it found out itself; raw values are those of the stream.
public enum Confinement: UInt8, Sendable, CaseIterable {
    /// Nothing beyond what its starter took away: the kernel, or an emulator of one, filters no system calls.
    case none = 0
    /// A filter of system calls is in force: memory, its two descriptors, its end.
    case systemCallFilter = 1
}
