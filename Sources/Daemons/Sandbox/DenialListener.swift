// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The queue of system calls that the filter refused, with ``SandboxPlan/Denials/notify``. For development: a program that
/// makes such calls all the time keeps the process that reads this queue busy. May be used by one thread at a time.
public final class DenialListener {
    /// One refused system call.
    public struct Denial: Sendable, Hashable {
        /// The number of the process that made the call, in the supervisor's process namespace.
        public let processNumber: Int32
        /// The system call's number on this architecture; `vigil-jail --explain NUMBER` prints its name and the rule.
        public let callNumber: Int32
        /// The system call's first three arguments as raw 64-bit words, always three elements; addresses in them belong to
        /// the refused program.
        public let firstArguments: [UInt64]
    }

    /// The descriptor to poll: it is readable while a call waits. Closed with this object.
    public let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Refuses the next waiting call with EPERM and returns it, without waiting; `nil` if there is none, if the process
    /// that made it has ended, or if the kernel reports no more.
    public func take() -> Denial? {
        var denial = vigil_denial()
        guard vigil_denial_take(descriptor, &denial) == 1 else { return nil }
        return Denial(
            processNumber: denial.process, callNumber: denial.number,
            firstArguments: [denial.arguments.0, denial.arguments.1, denial.arguments.2])
    }
}
