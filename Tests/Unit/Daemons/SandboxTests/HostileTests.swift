// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandbox
import TestKit
import Testing

/// The hostile program as a plugin: every attack refused, and the same attacks without a sandbox to show that they are attacks.
@Suite(.serialized)
struct HostileTests {
    static let isRoot = getuid() == 0

    /// What this machine or this kernel gives nobody, so that nothing shows what the sandbox adds.
    static let dependsOnMachine: Set<String> = [
        "open-bluetooth", "open-vsock", "open-kernel-crypto", "open-sctp", "open-multipath", "open-express", "connect-tcp6",
        "load-module", "open-disk",
        "push-characters", "read-kernel-log-device", "press-system-request", "userfaultfd", "io-uring", "perf", "keyctl",
        "add-key", "join-group-outside",
        "see-interfaces", "read-kernel-symbols", "raise-limit", "open-netlink",
    ]
    static let openWithoutNamespaces: Set<String> = [
        // Landlock has no rule for these (before version 9), and this user owns the files. Everybody it signals is its own
        // parent; to hold another is not yet to signal it.
        "open-other-socket", "change-mode-outside", "hold-other", "signal-everybody",
        // No mount to refuse it.
        "map-own-file-as-code",
        // No file system of its own, no user of its own.
        "fill-spool", "make-many-processes",
    ]

    private func names(_ lines: [String], ending: String) -> Set<String> {
        Set(lines.filter { $0.hasSuffix(ending) }.compactMap { $0.split(separator: ":").first.map(String.init) })
    }

    @Test(.enabled(if: isRoot))
    func everyAttackIsRefusedOnABoard() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let gained = names(try scene.withoutSandbox(["all"]), ending: ": GAINED")

        let confined = try Confined(scene.plan(["all"]), jail: scene.jail)
        let lines = try confined.lines()
        #expect(confined.news.last == .running, "\(confined.news)")
        #expect(lines.last == "done", "\(lines.suffix(3))")
        let refused = names(lines, ending: ")"), got = names(lines, ending: "GAINED")
        #expect(got == [])
        #expect(refused.count >= 90, "\(refused.count) attacks")
        #expect(!lines.contains { $0.contains("untried") })
        // Each is an attack: it succeeds where nothing stops it.
        #expect(refused.subtracting(gained).subtracting(Self.dependsOnMachine).subtracting(["run-set-user-program"]) == [])
        print(
            "as root without a sandbox: \(gained.count) of \(refused.count) gained; not to be had here: \(refused.subtracting(gained).sorted())"
        )
        print(confined.report?.table ?? "no report")
        print(lines.filter { $0.contains("refused") }.joined(separator: "\n"))
    }

    @Test
    func everyAttackIsRefusedWhereTheSupervisorIsNobody() throws {
        let scene = try Scene(isRoot: false)
        try withoutPrivilege {
            try scene.prepare()
            var gained = names(try scene.withoutSandbox(["all"]), ending: ": GAINED")
            // Root's file, which only root can make.
            if !Self.isRoot { gained.insert("run-set-user-program") }
            // An unprivileged user can do all this to its own processes and files.
            #expect(
                gained.isSuperset(of: [
                    "read-vault", "read-vault-key", "read-other-state", "open-other-socket", "read-environment",
                    "read-memory-file", "ptrace",
                    "read-memory-by-call", "steal-descriptor", "connect-tcp", "send-udp", "connect-abstract",
                    "run-set-user-program",
                    "take-memory", "make-many-processes", "fill-state", "map-written-and-executed", "execute-own-file",
                    "signal-everybody",
                ]))
            var plan = scene.plan(["all"])
            plan.limits.dataBytes = 64 << 20
            let confined = try Confined(plan, jail: scene.jail)
            let lines = try confined.lines()
            print(confined.report?.table ?? "no report")
            #expect(lines.last == "done", "\(lines.suffix(3))")
            // The spool is an ordinary folder there, bounded by measuring only. Some systems give no user namespaces.
            let isOpen = confined.report?[.userNamespace] == nil ? Self.openWithoutNamespaces : ["fill-spool"]
            #expect(names(lines, ending: "GAINED").subtracting(isOpen) == [])
            #expect(confined.report?[.user]?.state == .missing)
        }
    }

    /// No user namespace, so no namespace at all: what Landlock, the filter and the limits do on their own, and what they cannot.
    @Test
    func whatIsLeftWithoutNamespaces() throws {
        let scene = try Scene(isRoot: false)
        try withoutPrivilege {
            try scene.prepare()
            var plan = scene.plan(["all"])
            plan.usesNamespaces = false
            plan.limits.dataBytes = 64 << 20
            let confined = try Confined(plan, jail: scene.jail)
            let lines = try confined.lines()
            print(confined.report?.table ?? "no report")
            #expect(lines.last == "done", "\(lines.suffix(3))")
            #expect(names(lines, ending: "GAINED").subtracting(Self.openWithoutNamespaces) == [])
            #expect(confined.report?[.user]?.state == .missing)
        }
    }

    @Test(.enabled(if: isRoot))
    func innocentWorkIsLeftAlone() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let confined = try Confined(scene.plan(["innocent"]), jail: scene.jail)
        let lines = try confined.lines()
        #expect(lines.last == "done")
        #expect(lines.filter { $0.contains("BROKEN") } == [])
        #expect(lines.count == 15, "\(lines)")
        #expect(confined.waitForEnd() == .status(0))
        #expect(confined.saidReady())
    }

    @Test(arguments: [true, false])
    func innocentWorkIsLeftAloneWithoutRoot(usesNamespaces: Bool) throws {
        let scene = try Scene(isRoot: false)
        try withoutPrivilege {
            try scene.prepare()
            var plan = scene.plan(["innocent"])
            plan.usesNamespaces = usesNamespaces
            let confined = try Confined(plan, jail: scene.jail)
            let lines = try confined.lines()
            // Where /proc would show everybody there is none.
            let hasView = confined.report?[.mounts]?.state == .verified
            #expect(lines.filter { $0.contains("BROKEN") } == (hasView ? [] : ["arguments: BROKEN"]), "\(lines)")
        }
    }

    /// The floods that the core and the supervisor are tried with: here only that they arrive.
    @Test(.enabled(if: isRoot), arguments: ["flood-calls", "giant-frames", "malformed-frames", "never-answer"])
    func floodsReachTheProvider(kind: String) throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let confined = try Confined(scene.plan([kind]), jail: scene.jail)
        var connections: [Int32] = []
        var count = 0, byteCount = 0
        defer { for connection in connections { close(connection) } }
        let deadline = ContinuousClock().now + .seconds(120)
        // The one that never answers stays until it is ended.
        while count < 40, ContinuousClock().now < deadline {
            // What it has sent before its end may still lie in the sockets.
            let hasEnded = confined.hasEnded()
            var wanted = ([scene.provider] + connections).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&wanted, nfds_t(wanted.count), hasEnded ? 0 : 20) == 0, hasEnded { break }
            if wanted[0].revents != 0 {
                connections.append(accept(scene.provider, nil, nil))
                count += 1
            }
            for ready in wanted.dropFirst() where ready.revents != 0 {
                var block = [UInt8](repeating: 0, count: 65536)
                let received = read(ready.fd, &block, block.count)
                byteCount += max(0, received)
                // A provider that closes after each of the malformed messages; they are too short to come in pieces.
                if received <= 0 || kind == "malformed-frames" {
                    close(ready.fd)
                    connections.removeAll { $0 == ready.fd }
                }
            }
        }
        switch kind {
        case "flood-calls": #expect(byteCount == 20000 * 41)
        case "giant-frames": #expect(byteCount == 4 << 20)
        case "malformed-frames": #expect(count == 14)
        default: #expect(count == 40)
        }
    }

    /// Killing a plugin kills what it left behind in sessions of its own.
    @Test(.enabled(if: isRoot), arguments: [true, false])
    func nobodyStaysBehind(isConfined: Bool) throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let heartbeat = (isConfined ? scene.state : scene.folder + "/scratch") + "/heartbeat"
        if isConfined {
            let confined = try Confined(scene.plan(["stay-behind"]), jail: scene.jail)
            #expect(try confined.lines() == ["done"])
            eventually { size(heartbeat) > 0 }
            confined.process.kill()
            #expect(confined.waitForEnd() == .signal(SIGKILL))
        } else {
            #expect(try scene.withoutSandbox(["stay-behind"]) == ["done"])
            eventually { size(heartbeat) > 0 }
        }
        let before = size(heartbeat)
        // Whoever was killed beats no more, however long one waits; whoever lives beats again at some time.
        usleep(300_000)
        if !isConfined { eventually { size(heartbeat) > before } }
        #expect(before > 0)
        #expect((size(heartbeat) > before) == !isConfined)
    }

    private func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
