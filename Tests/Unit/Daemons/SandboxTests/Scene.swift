// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Sandbox
import TestKit

/// A board in small: a vault, another plugin with state and sockets, a victim, listeners, and the folders of the hostile plugin.
final class Scene {
    static let plugin = SandboxPlan.User(user: 61001, group: 61001)
    /// Who plays both sides when nobody is root.
    static let nobody = getuid() == 0 ? SandboxPlan.User(user: 65534, group: 65534) : .init(user: getuid(), group: getgid())

    let folder: String
    /// Whose the hostile plugin's folders are.
    let owner: SandboxPlan.User
    private(set) var variables: [String: String] = [:]
    private var descriptors: [Int32] = []
    private var victim: pid_t = 0
    /// Listens where the plugin calls; accepting is the test's.
    private(set) var provider: Int32 = -1
    private(set) var spool: SpoolFolder?
    private(set) var group: ControlGroup?

    var jail: String { folder + "/plugin/vigil-jail" }
    var hostile: String { folder + "/plugin/vigil-hostile" }
    var state: String { folder + "/state" }
    var spoolPath: String { folder + "/spool" }
    var run: String { folder + "/run" }

    /// As root the plugin gets a user of its own; otherwise everything is nobody's.
    init(isRoot: Bool) throws {
        owner = isRoot ? Self.plugin : Self.nobody
        folder = "/tmp/vigil-sandbox-\(Unique.name())"
        for name in ["", "/plugin", "/state", "/other", "/run", "/scratch", "/vault"] { try make(folder: name) }
        for name in ["vigil-jail", "vigil-hostile"] {
            try ProgramFile.copy("\(Programs.folder)/\(name)", to: "\(folder)/plugin/\(name)")
        }
        try ProgramFile.copy(hostile, to: folder + "/plugin/set-user")
        chmod(folder + "/plugin/set-user", 0o4755)
        for name in ["/vault/teks", "/vault/key", "/other/state", "/outside"] { try make(file: name, isRoots: isRoot) }
        // Root's vault is root's; everything else is nobody's, who then plays both sides.
        if !isRoot {
            for name in ["", "/state", "/other", "/run", "/scratch", "/vault", "/plugin"] {
                chown(folder + name, owner.user, owner.group)
            }
        } else {
            chown(state, owner.user, owner.group)
        }
        variables = [
            "VAULT": folder + "/vault/teks", "VAULT_KEY": folder + "/vault/key", "OTHER_STATE": folder + "/other/state",
            "OUTSIDE": folder + "/outside", "SCRATCH": folder + "/scratch", "SELF": hostile,
            "SET_USER_PROGRAM": folder + "/plugin/set-user",
            "OTHER_SOCKET": folder + "/other/socket", "ABSTRACT": "vigil-\(getpid())-\(Unique.name())",
            "SUPERVISOR": "\(getpid())", "DISK": Self.disk ?? "",
        ]
        try listen()
        group =
            isRoot
            ? ControlGroups.own().make(
                "vigil-test-\(Unique.name())", memoryByteCount: 48 << 20, processCount: 24) : nil
        variables["GROUP_FILE"] = group?.memberships.first.map {
            URL(filePath: $0.folder).deletingLastPathComponent().path + "/cgroup.procs"
        }
    }

    /// What runs as the user of the scene, so in the thread that is that user.
    func prepare() throws {
        spool = try SpoolFolder.make(
            at: spoolPath, byteCount: 4 << 20, owner: getuid() == 0 && owner.user != 65534 ? owner : nil)
        let log = try Pipe()
        victim = try spawn([hostile, "victim"], log: log.write)
        log.closeWrite()
        variables["VICTIM"] = "\(victim)"
        variables["VICTIM_ADDRESS"] = try log.readLine()
    }

    deinit {
        if victim > 0 {
            kill(victim, SIGKILL)
            waitpid(victim, nil, 0)
        }
        for descriptor in descriptors { close(descriptor) }
        spool?.remove()
        group?.killAll()
        for _ in 0..<50 where group?.remove() == false { usleep(10_000) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The plan of a plugin with everything a plugin can have.
    func plan(_ words: [String]) -> SandboxPlan {
        var plan = SandboxPlan(name: "hostile", program: hostile, arguments: ["vigil-hostile"] + words)
        plan.environment = Dictionary(uniqueKeysWithValues: variables.map { ("HOSTILE_" + $0, $1) })
        plan.binds = SandboxPlan.systemFolders + [.init(.programs, folder + "/plugin", at: "/plugin")]
        plan.stateFolder = state
        plan.spoolFolder = spoolPath
        plan.runFolder = run
        plan.network = .proxied(socksPort: 1080, outside: "hostile:secret@127.0.0.1:\(variables["PROXY_PORT"] ?? "1")")
        plan.limits.openFiles = 64
        plan.limits.fileBytes = 8 << 20
        plan.limits.processes = 24
        if owner == Self.plugin { plan.user = owner }
        plan.oomScore = 500
        plan.controlGroups = group?.memberships ?? []
        return plan
    }

    /// The same program without a sandbox, as whoever calls: what it says, line by line. It ends by itself.
    func withoutSandbox(_ words: [String]) throws -> [String] {
        let log = try Pipe()
        // Something left open on purpose, as in a supervisor that forgot.
        let leak = fcntl(open("/dev/null", O_RDONLY), F_DUPFD, 300)
        defer { close(leak) }
        let process = try spawn([hostile] + words, log: log.write)
        log.closeWrite()
        let lines = try log.readAll(within: 120)
        var status: Int32 = 0
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return lines
    }

    private func spawn(_ words: [String], log: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, log, 2)
        let given = variables.map { "HOSTILE_\($0)=\($1)" }
        let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil],
            environment = given.map { strdup($0) } + [nil]
        defer { for value in values + environment { free(value) } }
        var process: pid_t = 0
        try Programs.start { startProgram(&process, words[0], &actions, values, environment) }
        return process
    }

    private func make(folder name: String) throws {
        guard mkdir(folder + name, 0o755) == 0 else { throw SceneProblem(description: "\(name): \(errno)") }
    }

    private func make(file name: String, isRoots: Bool) throws {
        try Data("secret".utf8).write(to: URL(filePath: folder + name))
        chmod(folder + name, 0o600)
        if !isRoots { chown(folder + name, owner.user, owner.group) }
    }

    private func listen() throws {
        variables["TCP_PORT"] = "\(try listenOnLoopback(AF_INET))"
        variables["TCP6_PORT"] = "\(try listenOnLoopback(AF_INET6))"
        variables["PROXY_PORT"] = "\(try listenOnLoopback(AF_INET))"
        descriptors.append(try unixListener(folder + "/other/socket"))
        provider = try unixListener(run + "/org.vigil.trial1")
        descriptors.append(provider)
        descriptors.append(try unixListener("\0" + (variables["ABSTRACT"] ?? "")))
        chmod(folder + "/other/socket", 0o777)
        chmod(run + "/org.vigil.trial1", 0o777)
    }

    private func listenOnLoopback(_ family: Int32) throws -> UInt16 {
        let listener = socket(family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        descriptors.append(listener)
        var address = sockaddr_in6()
        var length = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        return try withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: sa_family_t(family), as: sa_family_t.self)
            // 127.0.0.1, or ::1 in its last byte.
            if family == AF_INET {
                bytes.storeBytes(of: UInt32(0x7F00_0001).bigEndian, toByteOffset: 4, as: UInt32.self)
            } else {
                bytes[23] = 1
            }
            let place = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard Glibc.bind(listener, place, length) == 0, Glibc.listen(listener, 64) == 0,
                getsockname(listener, place, &length) == 0
            else {
                throw SceneProblem(description: "no listener on loopback: \(errno)")
            }
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private func unixListener(_ path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (bytes.first == 0 ? 0 : 1))
        let result = withUnsafeBytes(of: &address) {
            Glibc.bind(listener, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
        }
        guard result == 0, Glibc.listen(listener, 64) == 0 else { throw SceneProblem(description: "\(path): \(errno)") }
        return listener
    }

    /// Any disk there is.
    private static let disk: String? = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.sorted().map { "/dev/" + $0 }.first { path in
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFBLK else { return false }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0
        }
    }()
}
