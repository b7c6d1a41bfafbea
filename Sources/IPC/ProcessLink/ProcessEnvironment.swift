// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the supervisor tells a process before it starts: the `VIGIL_…` variables (docs/plugins.md).
public struct ProcessEnvironment: Sendable, Hashable {
    /// The names of the variables.
    public enum Name {
        public static let plugin = "VIGIL_PLUGIN"
        public static let control = "VIGIL_CONTROL"
        public static let run = "VIGIL_RUN"
        public static let state = "VIGIL_STATE"
        public static let spool = "VIGIL_SPOOL"
        public static let socks = "VIGIL_SOCKS"
        public static let folder = "VIGIL_FOLDER"
        public static let heartbeat = "VIGIL_HEARTBEAT"
    }

    /// The number under which a process finds its end of the control socket.
    public static let controlDescriptor: Int32 = 3

    /// The process's own name.
    public let plugin: String
    /// Number of its end of the control socket.
    public let control: Int32
    /// Folder with the sockets of its providers and its settings.
    public let run: String?
    /// Folder for what lasts.
    public let state: String?
    /// Folder for files that are handed on.
    public let spool: String?
    /// `[user:password@]host:port` of the way out.
    public let socks: String?
    /// Folder that it was installed in, with its manifest.
    public let folder: String?
    /// Seconds between two signs of life, at most.
    public let heartbeat: Int

    /// Reads them from this process's environment.
    public init() throws(ControlFailure) {
        try self.init { name in getenv(name).map { String(cString: $0) } }
    }

    /// Reads them by `value`.
    public init(_ value: (String) -> String?) throws(ControlFailure) {
        guard let plugin = value(Name.plugin) else { throw ControlFailure(.notStartedBySupervisor(variable: Name.plugin)) }
        guard let control = value(Name.control) else {
            throw ControlFailure(.notStartedBySupervisor(variable: Name.control))
        }
        guard let descriptor = Int32(control), descriptor >= 0 else {
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
