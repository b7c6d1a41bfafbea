// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import PluginKit
public import ProcessLink
import Varlink
import VarlinkSocket

/// Stands in for the supervisor of one plugin: its folders, its control socket, its callers and providers. Use it on one
/// thread at a time.
public final class SupervisorStandIn {
    /// The plugin's name, which is also passed to the plugin.
    public let name: String
    /// The folder with the plugin's folders `run`, `state`, `spool` and `callers`; removed together with this object.
    public let folder: TemporaryFolder
    /// The supervisor's end of the control socket; closed together with this object.
    public let control: ControlSocket
    /// The verbs of all messages from the plugin, up to the last ``listenToPlugin()``, in their order: READY, ALIVE, IDLE,
    /// and any that it should not send. A message that cannot be read is `(malformed)`.
    public private(set) var heard: [String] = []
    /// The messages among them that can be read, with their values.
    public private(set) var messages: [ControlMessage] = []
    /// The plugin's end, until somebody takes it.
    private var other: Int32
    private var listeners: [String: VarlinkListener] = [:]

    /// The path of the folder in which the plugin is installed, for a plugin that reads files of its own; with `nil` the
    /// plugin is told none.
    public var installed: String?

    /// Creates the folders, writes `settings` to `run/settings.json`, and opens the control socket. Throws ``TestKitError``
    /// when a folder or file cannot be created, and what the socket throws.
    public init(plugin name: String, settings: JSON = .empty) throws {
        self.name = name
        folder = try TemporaryFolder()
        (control, other) = try ControlSocket.pair()
        for part in ["run", "state", "spool", "callers"] { mkdir("\(folder.path)/\(part)", 0o755) }
        try folder.write("run/settings.json", settings.description)
    }

    deinit { if other >= 0 { close(other) } }

    /// Returns the plugin's end of the control socket, which the caller must close; -1 if it was taken before.
    public func takeOther() -> Int32 {
        defer { other = -1 }
        return other
    }

    /// Returns the variables of the plugin's environment.
    ///
    /// - Parameters:
    ///   - control: The number of the descriptor that is the plugin's end of the control socket.
    ///   - heartbeat: The seconds within which the plugin must give a sign of life.
    public func variables(control: Int32, heartbeat: Int = 30) -> [String: String] {
        var variables = [
            ProcessEnvironment.Name.plugin: name, ProcessEnvironment.Name.control: "\(control)",
            ProcessEnvironment.Name.run: "\(folder.path)/run", ProcessEnvironment.Name.state: "\(folder.path)/state",
            ProcessEnvironment.Name.spool: "\(folder.path)/spool", ProcessEnvironment.Name.heartbeat: "\(heartbeat)",
            "TMPDIR": "\(folder.path)/state", "HOME": "\(folder.path)/state",
        ]
        variables[ProcessEnvironment.Name.folder] = installed
        return variables
    }

    /// Serves the interface with this text in place of a real provider, and returns the stand-in. Throws when the text
    /// cannot be parsed, and when the socket cannot be created.
    ///
    /// - Parameter methods: The names of the methods that the plugin is granted; all methods if `nil`.
    public func provide(_ text: String, granted methods: [String]? = nil) throws -> ProviderStandIn {
        let interface = try InterfaceDescription(parsing: text)
        return try ProviderStandIn(text, path: "\(folder.path)/run/\(interface.name)", granted: methods)
    }

    /// Lets a caller call the plugin, or changes what it may call, and returns the path of its socket. Throws when the
    /// socket cannot be created, and when the plugin has gone or does not read.
    ///
    /// - Parameters:
    ///   - caller: The name of the caller, which is also the name of its socket in the folder `callers`.
    ///   - grants: The granted methods, each as `interface.Method`; an empty list takes all grants away.
    public func allow(_ caller: String, _ grants: [String]) throws -> String {
        let path = "\(folder.path)/callers/\(caller)"
        let listener = try listeners[caller] ?? VarlinkListener(path: path)
        listeners[caller] = listener
        try send(
            ControlMessage("EDGE", ["caller": caller, "grants": grants.joined(separator: ",")]),
            descriptor: listener.descriptor)
        return path
    }

    /// Takes away what ``allow(_:_:)`` gave to `caller`. Throws ``TestKitError`` when the plugin has gone or does not read.
    public func forbid(_ caller: String) throws { try send(ControlMessage("UNEDGE", ["caller": caller])) }

    /// Hands the plugin a listening TCP socket on 127.0.0.1 under `name`, and returns its port, which is a free one. Throws
    /// ``TestKitError`` when the socket cannot be created, and when the plugin has gone or does not read.
    public func listen(_ name: String) throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestKitError.system("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard result else { throw TestKitError.system("no listening socket") }
        try send(ControlMessage("LISTEN", ["name": name]), descriptor: descriptor)
        return UInt16(bigEndian: address.sin_port)
    }

    /// Hands the plugin the lines of a GPIO chip under `name`. `descriptor` is duplicated and stays the caller's; `colours`
    /// is the message's text about the lines. Throws ``TestKitError`` when the plugin has gone or does not read.
    public func hand(_ name: String, colours: String, descriptor: Int32) throws {
        try send(ControlMessage("LINES", ["name": name, "colours": colours]), descriptor: descriptor)
    }

    /// Writes new settings and tells the plugin about them. Throws ``TestKitError`` when the file cannot be written, and
    /// when the plugin has gone or does not read.
    public func change(settings: JSON) throws {
        try folder.write("run/settings.json", settings.description)
        try send(ControlMessage("SETTINGS"))
    }

    /// Shuts down the control socket in both directions for good, so that the plugin finds its supervisor gone.
    public func disappear() { shutdown(control.descriptor, Int32(SHUT_RDWR)) }

    /// Sends the plugin a message that has only a verb. Throws ``TestKitError`` when the plugin has gone or does not read.
    public func send(_ verb: String) throws { try send(ControlMessage(verb)) }

    private func send(_ message: ControlMessage, descriptor: Int32? = nil) throws {
        guard control.send(message, descriptor: descriptor) == .sent else {
            throw TestKitError("the plugin does not take \(message.verb): it is gone, or reads nothing")
        }
    }

    /// Reads the messages that the plugin has sent since the last call, without waiting, and adds them to ``heard``.
    /// Returns `false` when the plugin has gone.
    @discardableResult
    public func listenToPlugin() -> Bool {
        while true {
            switch control.receive() {
            case .message(let message, let descriptor):
                if let descriptor { close(descriptor) }
                heard.append(message.verb)
                messages.append(message)
            case .malformed: heard.append("(malformed)")
            case .nothing: return true
            case .closed: return false
            }
        }
    }
}
