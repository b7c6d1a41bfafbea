// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// One end of the connection between the supervisor and a process that it started. Never waits. Not thread-safe.
///
/// Neither side trusts a packet before it is parsed: one that is not a message is reported as ``Received/malformed`` and
/// discarded, together with any descriptor that came with it.
public final class ControlSocket {
    /// The result of ``receive()``, which takes at most one packet.
    public enum Received {
        /// A message. The descriptor belongs to the receiver and is closed on exec; `nil` if none came.
        case message(ControlMessage, descriptor: Int32?)
        /// A packet that is not a message.
        case malformed
        /// No packet is waiting; poll for reading.
        case nothing
        /// The other process has closed its end or has ended. Also reported for an empty packet, for any other
        /// failure of the system, and for a descriptor that came although this end takes none
        /// (``ControlSocket/pair()``).
        case closed
    }

    /// The result of sending, which never waits.
    public enum Sent: Equatable {
        /// The kernel has accepted the complete message.
        case sent
        /// The other side does not read, and nothing was sent. The sender decides what to do.
        case full
        /// The other end is closed, so nothing will ever be received.
        case closed
        /// The message breaks its own rules (`EINVAL`), or the system refuses it (`errno`).
        case refused(Int32)
    }

    /// The descriptor of this end, for `poll`; owned by this object.
    public let descriptor: Int32
    /// Whether descriptors are wanted at this end.
    private let takesDescriptors: Bool
    private var buffer = [UInt8](repeating: 0, count: ControlMessage.maximumByteCount)

    /// Checks that the descriptor is a connected UNIX socket for packets, as the supervisor passes one, and not a standard
    /// descriptor 0 to 2. Makes it non-blocking and closed on exec. Throws `notASocket` if the check fails, and `system` if
    /// the flags cannot be set; the descriptor stays open.
    public static func check(_ descriptor: Int32) throws(ControlFailure) {
        guard descriptor > STDERR_FILENO, SystemCall.isConnected(descriptor, .packets) else {
            throw ControlFailure(.notASocket(descriptor))
        }
        let error = SystemCall.prepare(descriptor)
        guard error == 0 else { throw ControlFailure(.system(error)) }
    }

    /// Takes over a descriptor, from ``pair()`` or after ``check(_:)``, and closes it when the object is released. Nothing
    /// is checked here.
    public convenience init(adopting descriptor: Int32) { self.init(descriptor, takesDescriptors: true) }

    private init(_ descriptor: Int32, takesDescriptors: Bool) {
        self.descriptor = descriptor
        self.takesDescriptors = takesDescriptors
    }

    /// Creates both ends of a connection. The second one is a descriptor for a process; whoever passes it on must close it.
    /// Nobody can pass descriptors to the first end: before Linux 6.16, where the kernel does not prevent that, a process
    /// that tries is no longer listened to. Throws `system` if the kernel cannot create the pair.
    public static func pair() throws(ControlFailure) -> (ControlSocket, other: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) {
            vigil_control_pair($0.baseAddress!.assumingMemoryBound(to: Int32.self))
        }
        guard result == 0 else { throw ControlFailure(.system(-result)) }
        SystemCall.refuseDescriptors(ends.0)
        return (ControlSocket(ends.0, takesDescriptors: false), ends.1)
    }

    deinit { if takesDescriptors { close(descriptor) } else { SystemCall.closeReceiver(descriptor) } }

    /// Sends a message and, if given, a copy of a descriptor, which stays the sender's. Never waits and never throws: see
    /// ``Sent``.
    @discardableResult
    public func send(_ message: ControlMessage, descriptor passed: Int32? = nil) -> Sent {
        guard let bytes = message.bytes else { return .refused(EINVAL) }
        switch vigil_control_send(descriptor, bytes, bytes.count, passed ?? -1) {
        case 0...: return .sent
        case Int(-EAGAIN), Int(-ENOBUFS): return .full
        case Int(-EPIPE), Int(-ECONNRESET): return .closed
        case let result: return .refused(Int32(-result))
        }
    }

    /// Sends a message with this verb and no values. Never waits and never throws: see ``Sent``.
    @discardableResult
    public func send(_ verb: String) -> Sent { send(ControlMessage(verb)) }

    /// Receives the next packet if there is one. Never waits and never throws: see ``Received``. The caller must close a
    /// descriptor in the result.
    public func receive() -> Received {
        var passed: Int32 = -1
        let count = buffer.withUnsafeMutableBytes {
            guard !takesDescriptors else { return vigil_control_receive(descriptor, $0.baseAddress, $0.count, &passed) }
            let refuses: Int32 = SystemCall.refusesDescriptors(descriptor) ? 1 : 0
            return vigil_receive_plain(descriptor, $0.baseAddress, $0.count, refuses)
        }
        switch count {
        case 0: return .closed
        case 1...:
            guard let message = ControlMessage(parsing: buffer[..<count]) else {
                if passed >= 0 { close(passed) }
                return .malformed
            }
            return .message(message, descriptor: passed >= 0 ? passed : nil)
        case Int(-EAGAIN): return .nothing
        case Int(-EMSGSIZE): return .malformed
        default: return .closed
        }
    }
}

/// The reason why there is no connection to the supervisor.
public struct ControlFailure: Error, CustomStringConvertible, Equatable {
    /// The kinds of failure, with the variable or the `errno` concerned.
    public enum Code: Sendable, Equatable {
        /// The variable is not set: the program was not started by a supervisor.
        case notStartedBySupervisor(variable: String)
        /// The value of the variable is not valid.
        case malformed(variable: String)
        /// The descriptor is not an end of a control socket.
        case notASocket(Int32)
        /// The system refuses (`errno`).
        case system(Int32)
    }

    /// The kind of failure, with the variable, the descriptor or the `errno`.
    public let code: Code

    /// Creates a failure of this kind, for callers and tests.
    public init(_ code: Code) { self.code = code }

    /// A sentence in English with advice, for the person who started the program.
    public var description: String {
        switch code {
        case .notStartedBySupervisor(let variable):
            "\(variable) is not set: this program is started by `vigil run`, which sets it. To try it by hand, see docs/plugins.md."
        case .malformed(let variable):
            "\(variable) does not hold what `vigil run` would put there. Start it by `vigil run`, or see docs/plugins.md."
        case .notASocket(let descriptor):
            """
            \(ProcessEnvironment.Name.control) names descriptor \(descriptor), which is no socket of a supervisor. docs/plugins.md says how to start a \
            plugin by hand.
            """
        case .system(let error):
            "The connection to the supervisor cannot be had: \(String(cString: strerror(error))). See its log."
        }
    }
}
