// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import KeyIntake
import Varlink
public import VarlinkSocket

/// The sockets at which the core is called: the console's, and one for each caller in the operator's file.
///
/// The console can do everything that the wearer and the technician can: its socket is for the user that the core runs as
/// and for root, by the file's mode and by the user that connects (docs/decisions/0013-who-may-use-the-console.md). If no
/// plugin is there to release keys, the console may do that, too.
public struct CoreSockets {
    /// The reason why the sockets could not be opened, a mistake in how the core was started.
    public struct Failure: Error, CustomStringConvertible {
        /// An English sentence with the reason and what to do.
        public let description: String
    }

    /// The server that listens on the sockets; calls are not answered before ``CoreInterfaces/serve(on:)``.
    public let server: VarlinkServer
    /// All permitted callers, by the names of their sockets: the console first, then those of the file in its order.
    public let callers: [Caller]

    /// Everything, but for what only one caller may be granted and another one has.
    private static func grantsOfConsole(_ interfaces: [InterfaceDescription], beside file: CallersFile) -> Set<String> {
        let taken = Set(file.exclusiveHolders.filter { !$0.callers.isEmpty }.map(\.method.path))
        return Set(
            interfaces.flatMap { interface -> [String] in
                let all = interface.methods.map { "\(interface.name).\($0.name)" }
                let left = all.filter { !taken.contains($0) }
                return left.count == all.count ? ["\(interface.name).*"] : left
            })
    }

    /// Opens the sockets in `runFolder`, which must exist, and makes the console's folder for files beside them.
    /// `callersFile` is the path of the operator's file; `nil` for the console alone.
    ///
    /// - Throws: ``Failure`` if the callers file is refused, or a folder or socket cannot be made.
    public init(runFolder: String, callersFile: String?) throws(Failure) {
        do {
            let interfaces = try Self.interfaces()
            let service = try Self.service()
            let methods = Set(interfaces.flatMap { interface in interface.methods.map { "\(interface.name).\($0.name)" } })
            let file = try callersFile.map { try CallersFile.load($0, known: methods) } ?? CallersFile()
            let spool = "\(runFolder)/\(CallersFile.console)"
            guard mkdir(spool, 0o700) == 0 || errno == EEXIST else {
                throw Failure(description: "the folder \(spool) cannot be made: \(String(cString: strerror(errno)))")
            }
            let console = CallersFile.Entry(
                name: CallersFile.console, grants: Self.grantsOfConsole(interfaces, beside: file), spool: spool)
            server = VarlinkServer()
            var callers: [Caller] = []
            for entry in [console] + file.entries {
                let grants = try Grants(entry.grants)
                let listener = try VarlinkListener(
                    path: "\(runFolder)/\(entry.name).sock", mode: entry.users.isEmpty ? 0o600 : 0o666,
                    allowedUsers: entry.users.union([geteuid(), 0]))
                server.add(Edge(name: entry.name, listener: listener, grants: grants, description: service))
                callers.append(
                    Caller(
                        name: entry.name, spool: try entry.spool.map { try Spool(path: $0) },
                        presence: entry.name == CallersFile.console ? Caller.console : "caller",
                        isGranted: grants.allows))
            }
            self.callers = callers
        } catch let failure as Failure {
            throw failure
        } catch let refusal as CallersFile.Refusal {
            throw Failure(description: "\(callersFile ?? ""): \(refusal)")
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// What the core says about itself on every socket.
    static func service() throws -> ServiceDescription { try parsedService.get() }

    /// The interfaces of the core, parsed.
    static func interfaces() throws -> [InterfaceDescription] { try parsedInterfaces.get() }

    // The texts are the program's own: they are read once, not for each socket.
    private static let parsedInterfaces = Result {
        try InterfaceTexts.core.sorted { $0.key < $1.key }.map { try InterfaceDescription(parsing: $0.value) }
    }

    private static let parsedService = Result {
        try ServiceDescription(
            vendor: "Vigil", product: "Vigil core", version: Release.version, url: "https://varlink.org",
            interfaces: try interfaces())
    }
}

extension Grants {
    /// Whether `interface.Method` may be called.
    func allows(_ method: String) -> Bool {
        let parts = method.split(separator: ".")
        return allows(String(parts.last ?? ""), of: parts.dropLast().joined(separator: "."))
    }
}
