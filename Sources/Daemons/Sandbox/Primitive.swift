// SPDX-License-Identifier: Apache-2.0

/// One of the means by which vigil-jail confines a program, named as in its report.
public enum Primitive: String, Sendable, Hashable, Codable, CaseIterable {
    /// A process namespace: the program sees and signals no process outside, and all processes that it starts end with it.
    case processes
    /// A user namespace, which makes the other namespaces possible where the supervisor is not root, and is used only
    /// there.
    case userNamespace = "user-namespace"
    /// A root of its own, which contains only what the plan names.
    case mounts
    /// A `/proc` of its own process namespace, which shows no other processes.
    case proc
    /// A network namespace with loopback only: the program reaches no network by itself.
    case network
    /// The proxy's listening socket, made in that namespace.
    case socks
    /// System V and POSIX queues of its own, shared with no other program.
    case ipc
    /// A host name of its own: the plugin's name.
    case hostname
    /// A user and a group of its own, which it cannot change.
    case user
    /// No capability of Linux is left, and none can be gained.
    case capabilities
    /// No program that it starts gains rights by set-user-ID or file capabilities (`PR_SET_NO_NEW_PRIVS`).
    case noNewPrivileges = "no-new-privileges"
    /// The program is killed when the supervisor's thread that started it ends.
    case endsWithSupervisor = "ends-with-supervisor"
    /// The kernel's limits on the program's own resources (setrlimit(2)), except that on processes.
    case limits
    /// The limit on processes, which is missing if the program shares its user with others.
    case limitsProcesses = "limits-processes"
    /// Landlock: the program can open only the files of the plan.
    case landlockFiles = "landlock-files"
    /// Landlock: the program can reach no TCP port except the proxy's.
    case landlockNetwork = "landlock-network"
    /// Landlock: signals and abstract sockets do not reach outside the confinement.
    case landlockScope = "landlock-scope"
    /// Memory that was written is never executed.
    case memoryProtection = "memory-protection"
    /// The filter for system calls (seccomp), which refuses those that the profile does not permit.
    case systemCalls = "system-calls"
    /// A control group's limit on the memory of the program and all processes that it starts.
    case controlGroupMemory = "cgroup-memory"
    /// A control group's limit on the number of processes and threads.
    case controlGroupProcesses = "cgroup-pids"
    /// A control group's share of the processors, however many sessions the program makes.
    case controlGroupProcessor = "cgroup-cpu"
    /// The kernel's limit on the disk space of the program's user. The supervisor sets it before the start.
    case diskQuota = "disk-quota"
    /// The encryption of the program's state folder, whose key is erased at a reset. The supervisor sets it up before the
    /// start.
    case stateEncryption = "state-encryption"
    /// The program's rank in the order in which a memory shortage ends processes.
    case oomScore = "oom-score"
    /// The niceness, by which the program leaves the processors to others, above all to the core.
    case niceness
    /// The program has no open descriptors except those that the plan gives it.
    case descriptors
}

extension Primitive {
    /// The primitives without which no plugin starts on a board, where the supervisor is root and the kernel is a supported
    /// one; our choice.
    public static let requiredOnBoards: Set<Primitive> = [
        .processes, .mounts, .network, .user, .capabilities, .noNewPrivileges, .endsWithSupervisor, .limits, .systemCalls,
        .memoryProtection, .descriptors,
    ]

    /// The primitives that every kernel on which Vigil runs provides, with or without root, and without which no plugin
    /// starts anywhere; our choice.
    public static let requiredAnywhere: Set<Primitive> = [
        .capabilities, .noNewPrivileges, .endsWithSupervisor, .limits, .systemCalls, .memoryProtection, .descriptors,
    ]
}
