// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why the air could not be set up, or a request was refused. Equal by code and detail.
public struct VirtualAirError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. Raw values are stable.
    public enum Code: String, Sendable {
        /// Another process listens at the path.
        case pathInUse
        /// A file at the path is not a socket, or the path is empty, has a NUL or is longer than 107 bytes.
        case pathNotUsable
        /// The system refused a call; the detail has the reason.
        case system
        /// The scenario file cannot be read or breaks a rule.
        case invalidScenario
        /// A line on the control socket breaks a rule, or the speed of a server is out of range.
        case invalidRequest
    }

    /// The kind of failure.
    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// With the reason in `errno`.
    static func system(_ doing: String) -> Self { Self(.system, "\(doing): \(String(cString: strerror(errno)))") }

    /// An English sentence for the person who runs the air; may quote paths and names from files.
    public var description: String {
        switch code {
        case .pathInUse: "\(detail) is in use by another process; stop it or choose another path"
        case .pathNotUsable: "\(detail); choose another path"
        case .system: detail
        case .invalidScenario: "the scenario cannot be used: \(detail)"
        case .invalidRequest: detail
        }
    }
}
