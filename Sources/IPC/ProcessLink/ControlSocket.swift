// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// One end of the connection between the supervisor and a process it started. Never waits. Not for use from two threads at a time.
///
/// What comes over it is not trusted in either direction until it was parsed: a packet that is none of ours is ``Received/malformed``
/// and gone, with whatever descriptor came beside it.
public final class ControlSocket {
    /// The result of ``receive()``: one packet at most.
    public enum Received {
        /// The descriptor is the receiver's from now on, close-on-exec; `nil` if none came.
        case message(ControlMessage, descriptor: Int32?)
        /// A packet that is no message.
        case malformed
        /// No packet waits now; poll for reading.
        case nothing
        /// The other process has closed its end, or is gone.
        case closed
    }

    /// The result of a send, which never waits.
    public enum Sent: Equatable {
        /// The message is with the kernel, whole.
        case sent
        /// The other side does not read; nothing was sent. What follows from that is the sender's to decide: it never waits.
        case full
        /// The other end is gone: nothing will ever be received.
        case closed
        /// The message breaks its own rules or the system refuses it (errno).
        case refused(Int32)
    }

    /// This end's descriptor, for `poll`; owned by this object.
    public let descriptor: Int32
    /// Whether descriptors are wanted at this end.
    private let takesDescriptors: Bool
    private var buffer = [UInt8](repeating: 0, count: ControlMessage.maximumByteCount)

    /// Makes sure that the descriptor is a connected UNIX socket of packets, as a supervisor hands one over, and none of the standard descriptors 0 to 2.
    /// Makes it non-blocking and closed on exec. Throws `notASocket` or `system`; the descriptor then stays open.
    public static func check(_ descriptor: Int32) throws(ControlFailure) {
        guard descriptor > STDERR_FILENO, SystemCall.isConnected(descriptor, .packets) else {
            throw ControlFailure(.notASocket(descriptor))
        }
        let error = SystemCall.prepare(descriptor)
        guard error == 0 else { throw ControlFailure(.system(error)) }
    }

    /// Takes the descriptor over, as the other half of ``pair()`` or as ``check(_:)`` found it, and closes it in the end. Nothing is checked here.
    public convenience init(adopting descriptor: Int32) { self.init(descriptor, takesDescriptors: true) }

    private init(_ descriptor: Int32, takesDescriptors: Bool) {
        self.descriptor = descriptor
        self.takesDescriptors = takesDescriptors
    }

    /// Makes both ends; the second is the number of a descriptor to be handed to a process, to be closed by whoever does so. Nobody can hand a
    /// descriptor to the first: where the kernel does not see to that (before Linux 6.16), who does so is not listened to any more. Throws `system`
    /// when the kernel gives none.
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

    /// Sends one message, and a descriptor beside it that stays the sender's, too; `nil` for none. Never waits and never
    /// throws: see ``Sent``. Not thread-safe; one owner.
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

    /// Sends a message of that verb without values; as ``send(_:descriptor:)``. Cannot fail.
    @discardableResult
    public func send(_ verb: String) -> Sent { send(ControlMessage(verb)) }

    /// Takes the next packet, if one has come. Never waits and never throws: see ``Received``. A descriptor in the result
    /// is the caller's to close.
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

/// A connection to the supervisor that cannot be had, and why.
public struct ControlFailure: Error, CustomStringConvertible, Equatable {
    /// The kinds of failure, with the variable or the `errno` concerned.
    public enum Code: Sendable, Equatable {
        /// The variable is missing: the program was not started by a supervisor.
        case notStartedBySupervisor(variable: String)
        /// The variable is there and makes no sense.
        case malformed(variable: String)
        /// The descriptor is no end of a control socket.
        case notASocket(Int32)
        /// The system refuses (errno).
        case system(Int32)
    }

    /// The kind of failure, with the variable or the `errno`.
    public let code: Code

    /// A failure of that kind; callers and tests make them.
    public init(_ code: Code) { self.code = code }

    /// An English sentence with advice, for whoever started the program.
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
