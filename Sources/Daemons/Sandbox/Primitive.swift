// SPDX-License-Identifier: Apache-2.0

/// One way in which vigil-jail confines a program, named as in its report.
public enum Primitive: String, Sendable, Hashable, Codable, CaseIterable {
    /// A process namespace: it sees and signals nobody else, and everything it starts ends with it.
    case processes
    /// Only where the supervisor is not root: what makes the other namespaces possible.
    case userNamespace = "user-namespace"
    /// A root of its own with what the plan names and nothing else.
    case mounts
    /// A `/proc` of its own process namespace, which shows no other processes.
    case proc
    /// A network namespace with loopback only: the program reaches no network by itself.
    case network
    /// The proxy's listening socket, made in that namespace.
    case socks
    /// System V and POSIX queues of its own: it shares none with others.
    case ipc
    /// A host name of its own: the plugin's name.
    case hostname
    /// A user and a group of its own, and no way back to others.
    case user
    /// No capability of Linux is left, and none can be gained.
    case capabilities
    /// No program that it starts gains rights by set-user-ID or file capabilities (`PR_SET_NO_NEW_PRIVS`).
    case noNewPrivileges = "no-new-privileges"
    /// Killed when the supervisor's thread that started it ends.
    case endsWithSupervisor = "ends-with-supervisor"
    /// The kernel's limits of its own resources (setrlimit(2)), without that on processes.
    case limits
    /// The limit on processes, missing where the user is shared.
    case limitsProcesses = "limits-processes"
    /// Landlock: files outside those of the plan cannot be opened.
    case landlockFiles = "landlock-files"
    /// Landlock: TCP ports other than that of the proxy cannot be reached.
    case landlockNetwork = "landlock-network"
    /// Landlock: no signal and no abstract socket leads out of the confinement.
    case landlockScope = "landlock-scope"
    /// Memory that was written is never executed.
    case memoryProtection = "memory-protection"
    /// The filter for calls of the system (seccomp), which refuses those that the profile does not permit.
    case systemCalls = "system-calls"
    /// Memory of everything it starts together, limited by a control group.
    case controlGroupMemory = "cgroup-memory"
    /// Processes and threads together, limited by a control group.
    case controlGroupProcesses = "cgroup-pids"
    /// Its share of the processors, whatever sessions it makes.
    case controlGroupProcessor = "cgroup-cpu"
    /// The limit on what its user may have on the disk, kept by the kernel. Set by the supervisor, before the start.
    case diskQuota = "disk-quota"
    /// Its state folder is encrypted, and the key goes at a reset. Set by the supervisor, before the start.
    case stateEncryption = "state-encryption"
    /// Its place in the order in which memory shortage ends processes.
    case oomScore = "oom-score"
    /// The degree to which it stands back for others, the core above all.
    case niceness
    /// No open descriptor but those that the plan means it to have.
    case descriptors
}

extension Primitive {
    /// The parts without which no plugin starts on a board, where the supervisor is root and the kernel is one of the supported ones; a choice of
    /// ours.
    public static let requiredOnBoards: Set<Primitive> = [
        .processes, .mounts, .network, .user, .capabilities, .noNewPrivileges, .endsWithSupervisor, .limits, .systemCalls,
        .memoryProtection, .descriptors,
    ]

    /// The parts that every kernel Vigil runs on gives to anybody, root or not, and without which no plugin starts anywhere; a choice of ours.
    public static let requiredAnywhere: Set<Primitive> = [
        .capabilities, .noNewPrivileges, .endsWithSupervisor, .limits, .systemCalls, .memoryProtection, .descriptors,
    ]
}
