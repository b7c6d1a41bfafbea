// SPDX-License-Identifier: Apache-2.0

public import CodedError
import Glibc
import SystemCalls

/// The reason why a controller cannot be reached, or can no longer be reached. Two failures are equal if their codes are.
/// The text says what happened, why, and what to do.
public struct TransportFailure: CodedError {
    /// The kinds of failure. Raw values are stable, because they appear in logs and on the status page
    /// (docs/transports.md).
    public enum Code: String, Sendable, CaseIterable {
        /// The text has none of the four forms, or a part of it is empty, too long or out of range.
        case malformedAddress
        /// There is no such socket, device, adapter or descriptor.
        case notThere
        /// The device, socket or descriptor is neither a serial line nor a connected socket for HCI packets, or it
        /// is descriptor 0, 1 or 2.
        case notATransport
        /// The socket exists, but no program accepts the connection.
        case refusedConnection
        /// This process may not connect to the socket, or may not open the device or adapter.
        case noPermission
        /// Another program or a driver uses the controller.
        case busy
        /// The radio is switched off, by software or by a hardware switch.
        case blockedByRfkill
        /// The kernel offers no Bluetooth sockets to this process.
        case noKernelBluetooth
        /// The serial line cannot run at this speed.
        case unsupportedBaud
        /// The controller is gone (end of stream, hang-up, device removed), or this program has closed the transport.
        case lost
        /// The stream from the controller has lost its framing.
        case outOfStep
        /// The controller accepts no more bytes, and the queue is full.
        case overflow
        /// Any other refusal by the kernel: see ``TransportFailure/systemError``.
        case system
    }

    /// The kind of failure; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The `errno` of the system call that failed, above 0; `nil` if none failed.
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

    /// Creates the failure `malformedAddress` for an inherited descriptor that is given where the transport may have to be
    /// opened again.
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

    /// Whether opening the same address later may succeed without a person changing anything.
    ///
    /// Always false for an inherited descriptor: when it is lost, the process must be restarted with a new one.
    public var isWorthRetrying: Bool {
        if isInherited { return false }
        switch code {
        case .notThere, .refusedConnection, .busy, .blockedByRfkill, .lost, .outOfStep, .overflow, .system: return true
        case .malformedAddress, .notATransport, .noPermission, .noKernelBluetooth, .unsupportedBaud: return false
        }
    }

    /// A text for logs and the status page: what happened, why, what to do, and the stable code in brackets. A text
    /// that is no address is quoted and cut at 120 characters.
    public var description: String {
        let system = systemError.map { " (\(SystemCall.text($0)))" } ?? ""
        return "\(what)\(system). \(advice). [\(code.rawValue)]"
    }
}
