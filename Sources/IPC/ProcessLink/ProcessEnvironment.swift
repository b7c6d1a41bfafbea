// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The supervisor's message to a process before it starts: the `VIGIL_…` variables (docs/plugins.md).
public struct ProcessEnvironment: Sendable, Hashable {
    /// Names of the environment variables that the supervisor sets.
    public enum Name {
        /// Variable with the process's own name.
        public static let plugin = "VIGIL_PLUGIN"
        /// Variable with the number of its end of the control socket.
        public static let control = "VIGIL_CONTROL"
        /// Variable with the path of its run folder.
        public static let run = "VIGIL_RUN"
        /// Variable with the path of its state folder.
        public static let state = "VIGIL_STATE"
        /// Variable with the path of its spool folder.
        public static let spool = "VIGIL_SPOOL"
        /// Variable with the SOCKS proxy that is the way out to the network; holds a password.
        public static let socks = "VIGIL_SOCKS"
        /// Variable with the path of the folder that it was installed in.
        public static let folder = "VIGIL_FOLDER"
        /// Variable with the seconds between two signs of life, at most: 1 to 3,600; 30 when it is missing.
        public static let heartbeat = "VIGIL_HEARTBEAT"
    }

    /// The number of the descriptor under which the supervisor hands a process its end of the control socket: the first
    /// after the three of UNIX.
    public static let controlDescriptor: Int32 = 3

    /// The process's own name, as the supervisor knows it.
    public let plugin: String
    /// Number of the descriptor that is its end of the control socket; 3 or more.
    public let control: Int32
    /// Folder with the sockets of its providers and its settings; `nil` when it has none.
    public let run: String?
    /// Folder for what lasts; `nil` when it has none.
    public let state: String?
    /// Folder for files that are handed on; `nil` when it has none.
    public let spool: String?
    /// SOCKS proxy that is the way out, `[user:password@]host:port`; `nil` when it may not reach the network. Holds a password: not for logs.
    public let socks: String?
    /// Folder that it was installed in, with its manifest; `nil` when it was not told.
    public let folder: String?
    /// Seconds between two signs of life, at most; 1 to 3,600, and 30 when the supervisor says nothing.
    public let heartbeat: Int

    /// Reads the variables from this process's environment, and checks the control socket (``ControlSocket/check(_:)``): nothing that this process
    /// starts gets it. Throws `notStartedBySupervisor` when name or control socket is missing, `malformed` for a number that cannot be, and as the check.
    public init() throws(ControlFailure) {
        try self.init { name in getenv(name).map { String(cString: $0) } }
        try ControlSocket.check(control)
    }

    /// Reads the variables by `value`, which gives `nil` for one that is not set. Throws as ``init()``, but leaves the control socket unchecked.
    public init(_ value: (String) -> String?) throws(ControlFailure) {
        guard let plugin = value(Name.plugin) else { throw ControlFailure(.notStartedBySupervisor(variable: Name.plugin)) }
        guard let control = value(Name.control) else {
            throw ControlFailure(.notStartedBySupervisor(variable: Name.control))
        }
        guard let descriptor = Int32(control), descriptor > STDERR_FILENO else {
            throw ControlFailure(.malformed(variable: Name.control))
        }
        guard let heartbeat = Int(value(Name.heartbeat) ?? "30"), (1...3600).contains(heartbeat) else {
            throw ControlFailure(.malformed(variable: Name.heartbeat))
        }
        self.plugin = plugin
        self.control = descriptor
        run = value(Name.run)
        state = value(Name.state)
        spool = value(Name.spool)
        socks = value(Name.socks)
        folder = value(Name.folder)
        self.heartbeat = heartbeat
    }
}
