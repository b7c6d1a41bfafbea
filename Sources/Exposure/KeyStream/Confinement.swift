// SPDX-License-Identifier: Apache-2.0

/// How far a process that handles foreign bytes is locked up, as it found out itself.
public enum Confinement: UInt8, Sendable, CaseIterable {
    /// Nothing beyond what its starter took away: the kernel, or an emulator of one, filters no system calls.
    case none = 0
    /// A filter of system calls is in force: memory, its two descriptors, its end.
    case systemCallFilter = 1
}
