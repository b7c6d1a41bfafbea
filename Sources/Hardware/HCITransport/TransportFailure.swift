// SPDX-License-Identifier: Apache-2.0

public import CodedError
import Glibc
import SystemCalls

/// The reason why there is no way to the controller, or none any more. Equal by code. The text says what happened, why, and
/// what to do.
public struct TransportFailure: CodedError {
    /// Kinds of failure. Raw values are stable: they appear in logs and on the status page (docs/transports.md).
    public enum Code: String, Sendable, CaseIterable {
        /// The text has no known form, or a part of it is empty, too long or out of range.
        case malformedAddress
        /// No such socket, device, adapter or descriptor.
        case notThere
        /// The device at the address is neither a serial line nor a socket that carries HCI.
        case notATransport
        /// The socket is there, and nobody takes the connection.
        case refusedConnection
        /// This process may not connect to the socket, or open the device or adapter.
        case noPermission
        /// Somebody else has the controller.
        case busy
        /// Radio is switched off, by software or by a switch.
        case blockedByRfkill
        /// The kernel offers no Bluetooth sockets to this process.
        case noKernelBluetooth
        /// The serial line cannot run at this speed.
        case unsupportedBaud
        /// The controller vanished: end of stream, hang-up, device gone; or this program closed the transport.
        case lost
        /// The stream from the controller is no longer one of packets.
        case outOfStep
        /// The controller takes no more bytes, and the queue is full.
        case overflow
        /// Any other refusal of the kernel: see ``TransportFailure/systemError``.
        case system
    }

    /// The kind of failure; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The system's `errno`, above 0, where a call of the system failed; `nil` otherwise.
    public let systemError: Int32?
    private let what: String
    private let advice: String
    /// An inherited descriptor cannot be opened again, whatever happened to it.
    private let isInherited: Bool

    init(
        _ code: Code, _ address: TransportAddress, systemError: Int32? = nil, _ why: String, advice: String,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            code, subject: address.description, address: address, systemError: systemError, why, advice: advice, file: file,
            line: line)
    }

    init(malformed text: String, _ why: String, file: StaticString = #fileID, line: UInt = #line) {
        // Quoted so that what a person typed cannot break a line; cut, because nobody reads more.
        let shown = text.unicodeScalars.prefix(120).map { $0.isASCII ? $0.escaped(asASCII: true) : String($0) }.joined()
        self.init(
            .malformedAddress, subject: "\"\(shown)\" is no address of a controller", address: nil, systemError: nil, why,
            advice: "Write h4:unix:PATH, h4:serial:DEVICE[@BAUD], hci:N or fd:N", file: file, line: line)
    }

    /// An open descriptor where the way to the controller may have to be opened again: `malformedAddress`.
    public init(notKept address: TransportAddress, file: StaticString = #fileID, line: UInt = #line) {
        self.init(
            .malformedAddress, subject: "\(address) cannot be used here", address: address, systemError: nil,
            "the controller may have to be opened again, and by then the number may be another file",
            advice: "Write h4:unix:PATH, h4:serial:DEVICE[@BAUD] or hci:N; fd:N is for `vigil core` alone", file: file,
            line: line)
    }

    private init(
        _ code: Code, subject: String, address: TransportAddress?, systemError: Int32?, _ why: String, advice: String,
        file: StaticString, line: UInt
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.systemError = systemError
        what = "\(subject): \(why)"
        if case .inherited = address { isInherited = true } else { isInherited = false }
        self.advice = advice
    }

    /// Whether opening the same address again later, with nothing changed by a person in between, may succeed.
    ///
    /// Always false for an inherited descriptor: one that is lost is lost for good, and the process must be started again with a new one.
    public var isWorthRetrying: Bool {
        if isInherited { return false }
        switch code {
        case .notThere, .refusedConnection, .busy, .blockedByRfkill, .lost, .outOfStep, .overflow, .system: return true
        case .malformedAddress, .notATransport, .noPermission, .noKernelBluetooth, .unsupportedBaud: return false
        }
    }

    /// A text for logs and the status page: what happened, why, what to do, and the stable code in brackets. Text that a
    /// person typed is quoted and cut.
    public var description: String {
        let system = systemError.map { " (\(SystemCall.text($0)))" } ?? ""
        return "\(what)\(system). \(advice). [\(code.rawValue)]"
    }
}
