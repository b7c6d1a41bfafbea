// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JSON
import PluginKit
public import ProcessLink
import Varlink
import VarlinkSocket

/// The supervisor's side of one plugin: its folders, its control socket, its callers and providers. One thread at a time.
public final class SupervisorStandIn {
    /// The plugin's name, as it is told to the plugin.
    public let name: String
    /// The folder with the plugin's `run`, `state`, `spool` and `callers`; removed with the object.
    public let folder: TemporaryFolder
    /// The supervisor's end of the control socket, closed with the object.
    public let control: ControlSocket
    /// The verbs of everything that the plugin has said, up to the last ``listenToPlugin()``, in their order: READY, ALIVE, IDLE, and what it
    /// should not have. A message that cannot be read is `(malformed)`.
    public private(set) var heard: [String] = []
    /// The plugin's end, until somebody takes it.
    private var other: Int32
    private var listeners: [String: VarlinkListener] = [:]

    /// The path of the folder in which the plugin is installed, for one that reads files of its own; `nil` tells it none.
    public var installed: String?

    /// Makes the folders, writes `settings` to `run/settings.json`, and opens the control socket. Throws ``TestKitError`` when a folder
    /// or file cannot be made, and what the socket throws.
    public init(plugin name: String, settings: JSON = .empty) throws {
        self.name = name
        folder = try TemporaryFolder()
        (control, other) = try ControlSocket.pair()
        for part in ["run", "state", "spool", "callers"] { mkdir("\(folder.path)/\(part)", 0o755) }
        try folder.write("run/settings.json", settings.description)
    }

    deinit { if other >= 0 { close(other) } }

    /// The plugin's end of the control socket; whoever takes it closes it. -1 once it was taken.
    public func takeOther() -> Int32 {
        defer { other = -1 }
        return other
    }

    /// The variables that the plugin finds in its environment.
    ///
    /// - Parameters:
    ///   - control: The number of its end of the control socket.
    ///   - heartbeat: After how many seconds at the latest the plugin gives a sign of life.
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

    /// Stands in for a provider of the interface whose text is given. Throws for a text that cannot be parsed, and when the
    /// socket cannot be made.
    ///
    /// - Parameter methods: The names of the methods that the plugin is granted; all if `nil`.
    public func provide(_ text: String, granted methods: [String]? = nil) throws -> ProviderStandIn {
        let interface = try InterfaceDescription(parsing: text)
        return try ProviderStandIn(text, path: "\(folder.path)/run/\(interface.name)", granted: methods)
    }

    /// Lets somebody call the plugin, or changes what they may; gives the path of their socket. Throws when the socket cannot be made, or the
    /// plugin is gone or reads nothing.
    ///
    /// - Parameters:
    ///   - caller: The caller's name, which is the socket's in the folder `callers`.
    ///   - grants: `interface.Method` each; none takes everything away.
    public func allow(_ caller: String, _ grants: [String]) throws -> String {
        let path = "\(folder.path)/callers/\(caller)"
        let listener = try listeners[caller] ?? VarlinkListener(path: path)
        listeners[caller] = listener
        try send(
            ControlMessage("EDGE", ["caller": caller, "grants": grants.joined(separator: ",")]),
            descriptor: listener.descriptor)
        return path
    }

    /// Takes away what ``allow(_:_:)`` gave to the caller `caller`. Throws ``TestKitError`` when the plugin is gone or reads nothing.
    public func forbid(_ caller: String) throws { try send(ControlMessage("UNEDGE", ["caller": caller])) }

    /// Hands a listening TCP socket on 127.0.0.1 over, under `name`; gives its port, a free one. Throws ``TestKitError`` when there is no such
    /// socket, or the plugin is gone or reads nothing.
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

    /// Hands a GPIO chip's lines over, under `name`, by a descriptor that stays the caller's, too. `colours` is the message's text for
    /// them. Throws ``TestKitError`` when the plugin is gone.
    public func hand(_ name: String, colours: String, descriptor: Int32) throws {
        try send(ControlMessage("LINES", ["name": name, "colours": colours]), descriptor: descriptor)
    }

    /// Writes other settings and tells the plugin. Throws ``TestKitError`` when the file cannot be written or the plugin is gone.
    public func change(settings: JSON) throws {
        try folder.write("run/settings.json", settings.description)
        try send(ControlMessage("SETTINGS"))
    }

    /// Shuts the control socket in both directions, for good: the plugin finds its supervisor gone.
    public func disappear() { shutdown(control.descriptor, Int32(SHUT_RDWR)) }

    /// Says a verb without fields to the plugin. Throws ``TestKitError`` when the plugin is gone or reads nothing.
    public func send(_ verb: String) throws { try send(ControlMessage(verb)) }

    private func send(_ message: ControlMessage, descriptor: Int32? = nil) throws {
        guard control.send(message, descriptor: descriptor) == .sent else {
            throw TestKitError("the plugin does not take \(message.verb): it is gone, or reads nothing")
        }
    }

    /// Takes what the plugin has said since, without waiting, and adds it to ``heard``. `false` when the plugin is gone.
    @discardableResult
    public func listenToPlugin() -> Bool {
        while true {
            switch control.receive() {
            case .message(let message, let descriptor):
                if let descriptor { close(descriptor) }
                heard.append(message.verb)
            case .malformed: heard.append("(malformed)")
            case .nothing: return true
            case .closed: return false
            }
        }
    }
}
