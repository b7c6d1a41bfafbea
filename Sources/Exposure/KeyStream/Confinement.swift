// SPDX-License-Identifier: Apache-2.0

/// The confinement of a process that handles foreign bytes, as the process determined it itself; the raw values are
/// those of the stream.
public enum Confinement: UInt8, Sendable, CaseIterable {
    /// Not confined by a filter, because the kernel or an emulator of one filters no system calls. Only the limits
    /// set by the process that started it apply.
    case none = 0
    /// A filter of system calls is in force, which allows only the use of memory, of its two descriptors, and to
    /// exit.
    case systemCallFilter = 1
}
