// SPDX-License-Identifier: Apache-2.0

/// The plan of a confined process: everything that it is and has; it has nothing else.
public struct SandboxPlan: Sendable, Hashable {
    /// The filter for calls of the system ([docs/sandbox.md]).
    public enum Profile: String, Sendable, Hashable, Codable {
        /// The filter for a plugin, for the core, or for egress: each permits what that program needs.
        case plugin, core, egress
        /// No filter, to find out whether the filter is what breaks a program. Never on a board.
        case none
    }

    /// The network that the program has.
    public enum Network: Sendable, Hashable {
        /// No internet socket at all; only what it is handed.
        case none
        /// A namespace with loopback only, in which the proxy listens at `127.0.0.1:socksPort`.
        ///
        /// `outside` (`user:password@127.0.0.1:port`) is used where the kernel gives no namespace: the program then finds that address in
        /// `VIGIL_SOCKS`.
        case proxied(socksPort: UInt16, outside: String?)
        /// The board's own network; for egress alone.
        case host
    }

    /// The outcome of a call of the system that the filter refuses.
    public enum Denials: String, Sendable, Hashable, Codable {
        /// The call fails with EPERM, and nobody is told.
        case silent
        /// The same, and the kernel writes number and program to its log.
        case log
        /// The kernel ends the process with SIGSYS, a signal that cannot be passed over.
        case kill
        /// It fails with EPERM as soon as ``DenialListener/take()`` has seen it; until then the program waits. For development.
        case notify
    }

    /// One folder or file that the program sees where it has a root of its own, and what it may do there.
    public struct Bind: Sendable, Hashable {
        /// The kinds of access to a bind. Raw values are those of the plan that vigil-jail reads.
        public enum Access: String, Sendable, Hashable {
            /// Read and execute, never write.
            case programs
            /// Read, never write or execute.
            case readable
            /// Read and write, never execute, no device, no link followed.
            case writable
            /// Read and write as in `writable`; and file systems that the supervisor mounts in that folder later
            /// (``SpoolFolder``) are there too.
            case spools
        }
        /// The kind of access that the program has there.
        public var access: Access
        /// The path as the supervisor sees it: absolute, no link on the way if others than root may change it.
        public var source: String
        /// The absolute path as the program sees it, where there is a root of its own.
        public var target: String
        /// Whether it is left out when it is not there; otherwise nothing starts then. `true` for `writable` and `spools` is `planInvalid`.
        public var isOptional: Bool

        /// One folder or file and what may be done there; nothing is checked before the start.
        ///
        /// - Parameters:
        ///   - access: The kind of access that the program has there.
        ///   - source: Absolute, as the supervisor sees it.
        ///   - target: Absolute, as the program sees it; `nil` for the same as `source`.
        ///   - isOptional: Whether it is left out when it is not there; not for `writable` and `spools`.
        public init(_ access: Access, _ source: String, at target: String? = nil, isOptional: Bool = false) {
            self.access = access
            self.source = source
            self.target = target ?? source
            self.isOptional = isOptional
        }
    }

    /// The user and groups that a program runs as: numbers of the system, never 0.
    public struct User: Sendable, Hashable {
        /// The user's number, never 0.
        public var user: UInt32
        /// The group's number, never 0.
        public var group: UInt32
        /// Further groups that the program is in, never 0; at most 8, as many as vigil-jail reads. Empty for none.
        public var furtherGroups: [UInt32]

        /// A user and its groups, as they are. No number may be 0; vigil-jail refuses a plan that has one.
        public init(user: UInt32, group: UInt32, furtherGroups: [UInt32] = []) {
            self.user = user
            self.group = group
            self.furtherGroups = furtherGroups
        }
    }

    /// Hard limits; nil is as the supervisor has it. No core is ever dumped.
    public struct Limits: Sendable, Hashable {
        /// The most descriptors that it may have open at a time; 256 if not set, a choice of ours. `nil` is as the supervisor
        /// has it.
        public var openFiles: UInt64? = 256
        /// The most processes of its user, threads counted; `nil` is as the supervisor has it.
        public var processes: UInt64?
        /// The most bytes of any one file; `nil` is as the supervisor has it.
        public var fileBytes: UInt64?
        /// The most bytes of private memory, for kernels without the memory controller; `nil` is as the supervisor has it.
        public var dataBytes: UInt64?
        /// The most bytes of address space; `nil` is as the supervisor has it.
        public var addressBytes: UInt64?

        /// The limits if nothing is set: 256 open files, and all else as the supervisor has it.
        public init() {}
    }

    /// A character device, by its path and by what it is: the start fails when something else stands at the path by then, a link included.
    public struct Device: Sendable, Hashable {
        /// The absolute path, below `/dev/`.
        public let path: String
        /// The kernel's number of the driver, 0 to 4095.
        public let major: UInt32
        /// The driver's number of the device, 0 to 1,048,575.
        public let minor: UInt32

        /// A device of these values. Nothing is checked before the start: vigil-jail refuses what is out of range.
        public init(path: String, major: UInt32, minor: UInt32) {
            self.path = path
            self.major = major
            self.minor = minor
        }
    }

    /// The name of the process, for reports and `VIGIL_PLUGIN`: `[a-z][a-z0-9-]{0,31}`.
    public var name: String
    /// The executable file: absolute, as the supervisor sees it, and within a bind of access `programs`. Empty only with ``isProbe``.
    public var program: String
    /// The program's arguments; the first is its name for itself. 1 to 64 (none only with ``isProbe``), without control characters.
    public var arguments: [String]
    /// Names (`A`-`Z`, `0`-`9`, `_`) and values without control characters, 64 at most; empty if not set. Nothing else of the environment is handed
    /// on. vigil-jail adds VIGIL_PLUGIN, VIGIL_CONTROL, VIGIL_RUN, VIGIL_STATE, VIGIL_SPOOL, VIGIL_SOCKS, TMPDIR, HOME, as far as they are there.
    public var environment: [String: String] = [:]
    /// The filter for calls of the system; that of plugins if not set.
    public var profile = Profile.plugin
    /// The network that it has; none if not set.
    public var network = Network.none
    /// The outcome of refused calls; they fail silently if not set.
    public var denials = Denials.silent
    /// The program's own folder for lasting files, at `/state`; absolute, as the supervisor sees it; `nil` for none.
    public var stateFolder: String?
    /// The program's own folder in memory, at `/spool`; absolute, as the supervisor sees it; `nil` for none.
    public var spoolFolder: String?
    /// Sockets and settings, at `/run/vigil`, read-only; absolute, as the supervisor sees it; `nil` for none.
    public var runFolder: String?
    /// The files and folders that it sees besides its own folders; ``systemFolders`` if not set. With ``devices`` 40 at most.
    public var binds = SandboxPlan.systemFolders
    /// Device files, besides null, zero, full, random and urandom; empty without any.
    public var devices: [Device] = []
    /// The user that it runs as; `nil` leaves it the supervisor's, and the report says that a user of its own is missing.
    public var user: User?
    /// The kernel's limits for its processes; see ``Limits/init()`` for those that are not set.
    public var limits = Limits()
    /// 0 to 1000: the higher, the earlier it is ended when memory is short (proc_pid_oom_score_adj(5)); vigil-jail refuses others. `nil` is as the
    /// supervisor has it.
    public var oomScore: Int?
    /// The niceness of the process, 0 to 19; the higher, the more it stands back where processors are short. vigil-jail
    /// refuses others. `nil` is 5 with the profile `plugin`, because the beacon is not to wait for them, and as the
    /// supervisor has it with all others.
    public var niceness: Int?
    /// The groups that vigil-jail joins before it confines itself, as ``ControlGroups`` has made them; 4 at most.
    public var controlGroups: [ControlGroup.Membership] = []
    /// The parts of the confinement without which the program does not start.
    public var required: Set<Primitive> = []
    /// Whether it gets namespaces; `true` if not set. `false` leaves out what needs one, as on kernels that give none to those who are not root. For
    /// development.
    public var usesNamespaces = true
    /// Whether vigil-jail confines itself, reports and ends, without the program: to learn what this machine gives.
    public var isProbe = false

    /// A plan with no network, no folders of its own and the system's folders. Nothing is checked before the start; see ``name``, ``program`` and
    /// ``arguments`` for what they must be.
    public init(name: String, program: String, arguments: [String]) {
        self.name = name
        self.program = program
        self.arguments = arguments
    }

    /// The folders that every program needs to start: programs, libraries, certificates and the time zone; those that are not there are left out. A
    /// choice of ours.
    public static let systemFolders: [Bind] =
        ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"].map { Bind(.programs, $0, isOptional: true) }
        + ["/etc/ld.so.cache", "/etc/ssl", "/etc/localtime"].map { Bind(.readable, $0, isOptional: true) }
}
