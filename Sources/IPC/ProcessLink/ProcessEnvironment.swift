// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The values that the supervisor passes to a process when it starts it: the `VIGIL_…` variables (docs/plugins.md).
public struct ProcessEnvironment: Sendable, Hashable {
    /// The names of the environment variables that the supervisor sets.
    public enum Name {
        /// The variable with the name of the process.
        public static let plugin = "VIGIL_PLUGIN"
        /// The variable with the descriptor of the process's end of the control socket.
        public static let control = "VIGIL_CONTROL"
        /// The variable with the path of the process's run folder.
        public static let run = "VIGIL_RUN"
        /// The variable with the path of the process's state folder.
        public static let state = "VIGIL_STATE"
        /// The variable with the path of the process's spool folder.
        public static let spool = "VIGIL_SPOOL"
        /// The variable with the address of the SOCKS proxy through which the process reaches the network; contains a
        /// password.
        public static let socks = "VIGIL_SOCKS"
        /// The variable with the path of the folder in which the plugin is installed.
        public static let folder = "VIGIL_FOLDER"
        /// The variable with the longest time between two signs of life, in seconds: 1 to 3,600; 30 if it is not set.
        public static let heartbeat = "VIGIL_HEARTBEAT"
    }

    /// The descriptor that the supervisor uses for a process's end of the control socket: the first after the three
    /// standard ones.
    public static let controlDescriptor: Int32 = 3

    /// The name of the process, as the supervisor knows it; not checked here.
    public let plugin: String
    /// The descriptor of the process's end of the control socket; 3 or more.
    public let control: Int32
    /// The folder with the sockets of the process's providers and with its settings; `nil` if it has none.
    public let run: String?
    /// The folder for files that the process keeps; `nil` if it has none.
    public let state: String?
    /// The folder for files that the process passes on; `nil` if it has none.
    public let spool: String?
    /// The SOCKS proxy through which the process reaches the network, `[user:password@]host:port`; `nil` if it may not.
    /// Contains a password and must not be logged.
    public let socks: String?
    /// The folder in which the plugin is installed, with its manifest; `nil` if the variable is not set.
    public let folder: String?
    /// The longest time between two signs of life, in seconds: 1 to 3,600; 30 by default.
    public let heartbeat: Int

    /// Reads the variables of this process, and checks the control socket with ``ControlSocket/check(_:)``, so that
    /// processes that this one starts do not inherit it. Throws `notStartedBySupervisor` if the name or the control
    /// socket is not set, `malformed` if the descriptor is not a number of 3 or more or the heartbeat is out of
    /// range, and the errors of ``ControlSocket/check(_:)``. Call it before other threads change the environment.
    public init() throws(ControlFailure) {
        try self.init { name in getenv(name).map { String(cString: $0) } }
        try ControlSocket.check(control)
    }

    /// Reads the variables with `value`, which returns `nil` for one that is not set. Throws `notStartedBySupervisor` and
    /// `malformed` as ``init()`` does, but does not check the control socket.
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
