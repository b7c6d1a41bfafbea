// SPDX-License-Identifier: Apache-2.0

/// The plan of a confined process: the process gets what is in the plan, and nothing else.
public struct SandboxPlan: Sendable, Hashable {
    /// The filter for system calls ([docs/sandbox.md]).
    public enum Profile: String, Sendable, Hashable, Codable {
        /// The filter for a plugin, for the core or for egress; each permits what that program needs.
        case plugin, core, egress
        /// No filter, to find out whether the filter causes a fault. Never used on a board.
        case none
    }

    /// The network that the program can use.
    public enum Network: Sendable, Hashable {
        /// No internet socket, only the sockets that the program is given.
        case none
        /// A namespace with loopback only, in which the proxy listens at `127.0.0.1:socksPort`.
        ///
        /// If the kernel provides no namespace, `outside` (`user:password@127.0.0.1:port`) is used: the program then finds
        /// that address in `VIGIL_SOCKS`.
        case proxied(socksPort: UInt16, outside: String?)
        /// The board's own network; only for egress.
        case host
    }

    /// What happens to a system call that the filter refuses.
    public enum Denials: String, Sendable, Hashable, Codable {
        /// The call fails with EPERM, without a report.
        case silent
        /// The call fails with EPERM, and the kernel writes its number and the program to the kernel log.
        case log
        /// The kernel ends the process with SIGSYS, a signal that the process cannot ignore.
        case kill
        /// The call waits until ``DenialListener/take()`` has read it, and then fails with EPERM. For development.
        case notify
    }

    /// One folder or file that the program sees inside a root of its own, with the kind of access.
    public struct Bind: Sendable, Hashable {
        /// The kinds of access to a bind. Raw values are those of the plan that vigil-jail reads.
        public enum Access: String, Sendable, Hashable {
            /// Reading and executing, no writing.
            case programs
            /// Reading, no writing or executing.
            case readable
            /// Reading and writing, no executing; devices and links are not followed.
            case writable
            /// Reading and writing as with `writable`; file systems that the supervisor mounts in that folder later
            /// (``SpoolFolder``) are visible, too.
            case spools
        }
        /// The kind of access that the program has.
        public var access: Access
        /// The absolute path as the supervisor sees it. No part of it may be a link if users other than root can change it.
        public var source: String
        /// The absolute path as the program sees it, inside a root of its own.
        public var target: String
        /// Whether the bind is left out if its source does not exist; otherwise the program is not started then. `true` for
        /// `writable` and `spools` makes the plan invalid (`planInvalid`).
        public var isOptional: Bool

        /// Creates a bind of these values; nothing is checked before the start.
        ///
        /// - Parameters:
        ///   - access: The kind of access that the program has.
        ///   - source: The absolute path as the supervisor sees it.
        ///   - target: The absolute path as the program sees it; `nil` for the same as `source`.
        ///   - isOptional: Whether the bind is left out if its source does not exist; must be `false` for `writable` and
        ///     `spools`.
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
        /// The further groups that the program is in, none of them 0; at most 8, the limit of vigil-jail. Empty if there
        /// are none.
        public var furtherGroups: [UInt32]

        /// Creates a user with its groups, unchecked; vigil-jail refuses a plan in which a number is 0.
        public init(user: UInt32, group: UInt32, furtherGroups: [UInt32] = []) {
            self.user = user
            self.group = group
            self.furtherGroups = furtherGroups
        }
    }

    /// The hard limits on the program's resources; `nil` keeps the supervisor's limit. Core dumps are never written.
    public struct Limits: Sendable, Hashable {
        /// The most descriptors that may be open at a time; 256 by default, our choice. `nil` keeps the supervisor's limit.
        public var openFiles: UInt64? = 256
        /// The most processes of the program's user, including threads; `nil` keeps the supervisor's limit.
        public var processes: UInt64?
        /// The most bytes of a single file; `nil` keeps the supervisor's limit.
        public var fileBytes: UInt64?
        /// The most bytes of private memory, for kernels without the memory controller; `nil` keeps the supervisor's limit.
        public var dataBytes: UInt64?
        /// The most bytes of address space; `nil` keeps the supervisor's limit.
        public var addressBytes: UInt64?

        /// Creates the default limits: 256 open files, and the supervisor's limits for everything else.
        public init() {}
    }

    /// A character device, identified by its path and its numbers: the start fails if the path then leads to anything else,
    /// a link included.
    public struct Device: Sendable, Hashable {
        /// The absolute path, below `/dev/`.
        public let path: String
        /// The kernel's number for the driver, 0 to 4095.
        public let major: UInt32
        /// The driver's number for the device, 0 to 1,048,575.
        public let minor: UInt32

        /// Creates a device of these values, unchecked: vigil-jail refuses numbers out of range.
        public init(path: String, major: UInt32, minor: UInt32) {
            self.path = path
            self.major = major
            self.minor = minor
        }
    }

    /// The name of the process, for reports and `VIGIL_PLUGIN`: `[a-z][a-z0-9-]{0,31}`.
    public var name: String
    /// The absolute path of the executable file, as the supervisor sees it; it must lie in a bind with access `programs`.
    /// Empty only with ``isProbe``.
    public var program: String
    /// The program's arguments, of which the first is its own name: 1 to 64 (none only with ``isProbe``), without control
    /// characters.
    public var arguments: [String]
    /// The environment, at most 64 names (`A`-`Z`, `0`-`9`, `_`) with values without control characters; empty by default.
    /// No other variables are passed on, except those that vigil-jail adds where they apply: VIGIL_PLUGIN, VIGIL_CONTROL,
    /// VIGIL_RUN, VIGIL_STATE, VIGIL_SPOOL, VIGIL_SOCKS, TMPDIR and HOME.
    public var environment: [String: String] = [:]
    /// The filter for system calls; by default that of plugins.
    public var profile = Profile.plugin
    /// The network that the program can use; none by default.
    public var network = Network.none
    /// What happens to refused system calls; by default they fail silently.
    public var denials = Denials.silent
    /// The program's own folder for lasting files, which it sees as `/state`: an absolute path as the supervisor sees it;
    /// `nil` for none.
    public var stateFolder: String?
    /// The program's own folder in memory, which it sees as `/spool`: an absolute path as the supervisor sees it; `nil` for
    /// none.
    public var spoolFolder: String?
    /// The folder with sockets and settings, which the program sees as `/run/vigil`, read-only: an absolute path as the
    /// supervisor sees it; `nil` for none.
    public var runFolder: String?
    /// The files and folders that the program sees besides its own folders; ``systemFolders`` by default. At most 40
    /// together with ``devices``.
    public var binds = SandboxPlan.systemFolders
    /// The device files that the program sees besides null, zero, full, random and urandom; empty by default.
    public var devices: [Device] = []
    /// The user that the program runs as; `nil` keeps the supervisor's, and the report then says that a user of its own is
    /// missing.
    public var user: User?
    /// The hard limits on the program's resources; see ``Limits/init()`` for the defaults.
    public var limits = Limits()
    /// The score by which the kernel ends processes when memory is short, 0 to 1000, the highest first
    /// (proc_pid_oom_score_adj(5)); vigil-jail refuses other numbers. `nil` keeps the supervisor's.
    public var oomScore: Int?
    /// The niceness of the process, 0 to 19; a process with a higher one gets less processor time when there is not enough.
    /// vigil-jail refuses other numbers. `nil` means 5 with the profile `plugin`, so that the beacon does not wait for
    /// plugins, and the supervisor's niceness with other profiles.
    public var niceness: Int?
    /// The control groups that vigil-jail joins before it confines itself, as ``ControlGroups`` made them; at most 4.
    public var controlGroups: [ControlGroup.Membership] = []
    /// The primitives without which the program is not started.
    public var required: Set<Primitive> = []
    /// Whether the program gets namespaces; `true` by default. `false` leaves out every primitive that needs one, as on
    /// kernels that provide none without root. For development.
    public var usesNamespaces = true
    /// Whether vigil-jail only confines itself, reports and ends, without starting a program, to find out what this machine
    /// provides.
    public var isProbe = false

    /// Creates a plan with no network, no folders of its own, and the system's folders. Nothing is checked before
    /// the start; the properties ``name``, ``program`` and ``arguments`` say what is valid. The plan as a whole may
    /// have at most 32 KiB as vigil-jail's text.
    public init(name: String, program: String, arguments: [String]) {
        self.name = name
        self.program = program
        self.arguments = arguments
    }

    /// The folders that every program needs to start: programs, libraries, certificates and the time zone; those that do
    /// not exist are left out. Our choice.
    public static let systemFolders: [Bind] =
        ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"].map { Bind(.programs, $0, isOptional: true) }
        + ["/etc/ld.so.cache", "/etc/ssl", "/etc/localtime"].map { Bind(.readable, $0, isOptional: true) }
}
