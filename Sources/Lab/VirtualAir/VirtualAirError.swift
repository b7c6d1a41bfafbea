// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why the air could not be set up as asked. Equal by code and detail.
public struct VirtualAirError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kinds of failure. Raw values are stable, for programs.
    public enum Code: String, Sendable {
        /// Another process listens there.
        case pathInUse
        /// Something that is no socket is in the place of one, or its path is empty, has a NUL or is longer than 107 bytes.
        case pathNotUsable
        /// The system refused a call; the detail has its reason.
        case system
        /// The scenario file cannot be read or breaks a rule.
        case invalidScenario
        /// A line on the control socket breaks a rule, or a server is to run at an impossible speed.
        case invalidRequest
    }

    /// The kind of failure; decides what helps.
    public let code: Code
    private let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// With the reason in `errno`.
    static func system(_ doing: String) -> Self { Self(.system, "\(doing): \(String(cString: strerror(errno)))") }

    /// A sentence for whoever runs the air; may quote paths and names from its files.
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
