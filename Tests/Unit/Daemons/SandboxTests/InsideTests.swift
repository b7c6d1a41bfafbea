// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Sandbox

/// What the page says about life inside, said by a shell script there. A sentence that no attack of the hostile program shows has its test here.
@Suite(.serialized)
final class InsideTests {
    static let isRoot = getuid() == 0
    private let scene: Scene

    init() throws {
        scene = try Scene(isRoot: Self.isRoot)
        if Self.isRoot { try scene.prepare() }
    }

    /// What `script`, one line, says inside up to the line `done`.
    private func say(_ script: String) throws -> [String] { try shell(script).lines() }

    private func shell(_ script: String, change: (inout SandboxPlan) -> Void = { _ in }) throws -> Confined {
        var plan = scene.plan([])
        plan.program = "/usr/bin/dash"
        plan.arguments = ["dash", "-c", "exec >&2; " + script]
        change(&plan)
        return try Confined(plan, jail: scene.jail)
    }

    // MARK: The start

    /// Whoever confines itself becomes the program: the process that was started is the one that runs, and it has no parent but the supervisor.
    @Test(.enabled(if: isRoot))
    func theJailBecomesTheProgram() throws {
        let confined = try shell("exec sleep 600")
        func name() -> String? { readLine("/proc/\(confined.process.processNumber)/comm") }
        confined.waitForNews()
        #expect(confined.news.last == .running)
        #expect(eventually { name() == "sleep" })
        let status = readText("/proc/\(confined.process.processNumber)/status") ?? ""
        #expect(status.contains("\nPPid:\t\(getpid())\n"), "\(status)")
    }

    /// A jail that never comes to its end keeps nobody waiting.
    @Test(.enabled(if: isRoot))
    func startingWaitsForNothing() throws {
        let confined = try Confined(scene.plan(["exit-at-once"]), jail: try scene.program("#!/bin/sh\nexec sleep 600\n"))
        #expect(confined.process.takeNews() == nil)
        #expect(!confined.hasEnded())
        confined.process.kill()
        #expect(confined.waitForEnd() == .signal(SIGKILL))
    }

    // MARK: Being process 1

    /// To the kernel it is process 1: only signals that it handles reach it. Without a namespace of its own each of them ends it.
    @Test(.enabled(if: isRoot), arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1], [true, false])
    func signalsItDoesNotHandleDoNothing(signal: Int32, hasNamespaces: Bool) throws {
        let pipe = scene.state + "/pipe"
        try #require(mkfifo(pipe, 0o644) == 0 && chown(pipe, scene.owner.user, scene.owner.group) == 0)
        let confined = try shell("exec cat \"$VIGIL_STATE/pipe\"") { $0.usesNamespaces = hasNamespaces }
        #expect(eventually { readLine("/proc/\(confined.process.processNumber)/comm") == "cat" })
        #expect(kill(confined.process.processNumber, signal) == 0)
        if hasNamespaces {
            // It ends as it would without the signal: when nobody writes into the pipe any more.
            var writer: Int32 = -1
            #expect(
                eventually {
                    writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                    return writer >= 0
                })
            close(writer)
            #expect(confined.waitForEnd() == .status(0))
        } else {
            #expect(confined.waitForEnd() == .signal(signal))
        }
    }

    @Test(.enabled(if: isRoot))
    func aSignalThatItHandlesReachesIt() throws {
        let confined = try shell("trap 'exit 9' TERM; echo done; while :; do sleep 0.05; done")
        #expect(try confined.lines() == ["done"])
        #expect(kill(confined.process.processNumber, SIGTERM) == 0)
        #expect(confined.waitForEnd() == .status(9))
    }

    @Test(.enabled(if: isRoot))
    func orphansBecomeItsChildren() throws {
        let wait = #"until grep -q \"^PPid:.1\$\" /proc/\$\$/status; do sleep 0.01; done; echo child of 1; echo done"#
        let lines = try say("dash -c 'dash -c \"\(wait)\" &'; while :; do sleep 0.05; done")
        #expect(lines == ["child of 1", "done"])
    }

    // MARK: What is there

    @Test(.enabled(if: isRoot))
    func whatIsNotThere() throws {
        let lines = try say(
            "for name in /dev/shm /sys /proc/cpuinfo /home /root /var /etc/passwd; do [ -e $name ] && echo \"there: $name\"; done; for name in /usr/bin /usr/lib /proc/self /dev/null /tmp; do [ -e $name ] || echo \"not there: $name\"; done; echo written > /tmp/mine; echo done"
        )
        #expect(lines == ["done"])
        #expect(readText(scene.state + "/mine") == "written\n")
    }

    /// `/usr` tells which packages there are: known, and said on the page.
    @Test(.enabled(if: isRoot))
    func theSystemsFoldersAreThereToBeRead() throws {
        let lines = try say(
            "ls /usr/share > /tmp/list && [ -s /tmp/list ] && echo read; echo x > /usr/share/vigil-x || echo refused; echo done",
        )
        #expect(lines.first == "read")
        #expect(lines.contains("refused"))
        #expect(access("/usr/share/vigil-x", F_OK) != 0)
    }

    /// A mount follows the file, not its name.
    @Test(.enabled(if: isRoot))
    func aReplacedFileStaysTheOldOneUntilTheNextStart() throws {
        let path = scene.folder + "/names"
        try scene.write("../names", "old\n")
        chmod(path, 0o644)
        func bind(_ plan: inout SandboxPlan) { plan.binds.append(.init(.readable, path, at: "/etc/names")) }
        let script = "echo done; until [ -e /state/go ]; do sleep 0.05; done; grep -q old /etc/names && exit 5; exit 6"
        let confined = try shell(script, change: bind)
        #expect(try confined.lines() == ["done"])
        try scene.write("../names.new", "new\n")
        chmod(path + ".new", 0o644)
        #expect(rename(path + ".new", path) == 0)
        try scene.write("go", "")
        #expect(confined.waitForEnd() == .status(5))
        let next = try shell(script, change: bind)
        #expect(next.waitForEnd() == .status(6))
    }

    /// File systems that the supervisor mounts later are seen below the spools' folder and nowhere else.
    @Test(.enabled(if: isRoot && FolderTests.canMount))
    func onlyTheSpoolsFolderFollowsLaterMounts() throws {
        let places = ["/spools", "/writable", "/readable"].map { scene.folder + $0 }
        for place in places {
            mkdir(place, 0o755)
            mkdir(place + "/later", 0o755)
        }
        // Mounts travel only where the folder's own mount hands them on.
        try #require(mount(places[0], places[0], nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(places[0], Int32(MNT_DETACH)) }
        try #require(mount(nil, places[0], nil, UInt(MS_SHARED), nil) == 0)
        let script =
            "echo done; until [ -e /state/go ]; do sleep 0.05; done; seen=0; [ -e /x/later/file ] && seen=1; [ -e /y/later/file ] && seen=$((seen+2)); [ -e /z/later/file ] && seen=$((seen+4)); exit $((10+seen))"
        let confined = try shell(script) { plan in
            plan.profile = .core
            plan.binds += [
                .init(.spools, places[0], at: "/x"), .init(.writable, places[1], at: "/y"),
                .init(.readable, places[2], at: "/z"),
            ]
        }
        #expect(try confined.lines() == ["done"])
        for place in places {
            try #require(mount("tmpfs", place + "/later", "tmpfs", 0, "size=64k,mode=755") == 0)
            try scene.write("../\(place.split(separator: "/").last ?? "")/later/file", "")
        }
        defer { for place in places { umount2(place + "/later", Int32(MNT_DETACH)) } }
        try scene.write("go", "")
        #expect(confined.waitForEnd() == .status(11))
    }

    // MARK: The filter

    /// `profile: .none` leaves the filter out, and the report says so.
    @Test(.enabled(if: isRoot), arguments: ["execute-memory-file", "cool-other"])
    func withoutAProfileThereIsNoFilter(attack: String) throws {
        let filtered = try Confined(scene.plan([attack]), jail: scene.jail)
        #expect(try filtered.lines() == ["\(attack): refused (Operation not permitted)", "done"])
        var plan = scene.plan([attack])
        plan.profile = .none
        let open = try Confined(plan, jail: scene.jail)
        #expect(try open.lines() != ["\(attack): refused (Operation not permitted)", "done"])
        #expect(open.report?[.systemCalls]?.state == .missing)
    }

    /// The kernel's log names program and call. It takes ten such lines in five seconds, whoever causes them, so one may be lost: tried again.
    @Test(.enabled(if: isRoot && access("/dev/kmsg", R_OK) == 0))
    func aRefusedCallCanBeWrittenIntoTheKernelsLog() throws {
        let log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(log >= 0)
        defer { close(log) }
        lseek(log, 0, SEEK_END)
        var plan = scene.plan(["keyctl"])
        plan.denials = .log
        // Other tests, and other boards of this machine, have lines of their own there.
        #if arch(x86_64)
            let call = " syscall=250 "
        #else
            let call = " syscall=219 "
        #endif
        let isThere = try eventually {
            let confined = try Confined(plan, jail: scene.jail)
            #expect(try confined.lines() == ["keyctl: refused (Operation not permitted)", "done"])
            #expect(confined.report?[.systemCalls]?.state == .verified)
            var record = [UInt8](repeating: 0, count: 8192)
            var count = read(log, &record, record.count)
            while count > 0 || count < 0 && errno == EPIPE {
                let text = String(decoding: record.prefix(max(0, count)), as: UTF8.self)
                if text.contains("type=1326"), text.contains("comm=\"vigil-hostile\""), text.contains(call) { return true }
                count = read(log, &record, record.count)
            }
            // Sooner the kernel would take no line either; nothing tells when it does.
            usleep(500_000)
            return false
        }
        #expect(isThere)
    }

    /// Libraries then take the older calls, whose arguments the filter can see.
    @Test func newerFormsOfCallsAreAnsweredAsIfTheyDidNotExist() throws {
        let jail = Programs.folder + "/vigil-jail"
        for call in ["clone3", "openat2"] {
            #expect(try Programs.output([jail, "--explain", call]).contains("\"no such call\""), "\(call)")
        }
    }

    /// What core may do besides: read how the clock is steered. Nobody else may, and nobody may steer it.
    @Test func theClocksStateIsForTheCore() throws {
        let said = try Programs.output([Programs.folder + "/vigil-jail", "--explain", "adjtimex"])
        #expect(said.contains("allowed, the core only") && said.contains("refused to others"), "\(said)")
    }
}

extension Scene {
    /// A file in the plugin's state folder, whole at once.
    func write(_ name: String, _ text: String) throws {
        let path = state + "/" + name
        guard let file = fopen(path + ".part", "w") else { throw SceneProblem(description: "\(path): \(errno)") }
        fputs(text, file)
        fclose(file)
        chmod(path + ".part", 0o644)
        guard rename(path + ".part", path) == 0 else { throw SceneProblem(description: "\(path): \(errno)") }
    }

    /// A program beside the others.
    func program(_ text: String) throws -> String {
        try write("program", text)
        try ProgramFile.copy(state + "/program", to: folder + "/plugin/program")
        return folder + "/plugin/program"
    }
}
