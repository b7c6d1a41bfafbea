// SPDX-License-Identifier: Apache-2.0

import Glibc
import SandboxC
import Testing

@testable import Sandbox

/// What becomes of a start, from a plan that is refused to a process that ends.
@Suite(.serialized)
struct StartTests {
    static let isRoot = getuid() == 0

    @Test(.enabled(if: isRoot))
    func whatIsRequiredAndMissingStopsTheStart() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["exit-at-once"])
        plan.controlGroups = [.init(controller: .memory, folder: "/nowhere")]
        plan.required = [.controlGroupMemory]
        let confined = try Confined(plan, jail: scene.jail)
        confined.waitForNews()
        #expect(confined.news.count == 1)
        #expect(
            confined.report?.refusal?.hasPrefix("cgroup-memory is required and missing: the group cannot be joined") == true
        )
        #expect(confined.waitForEnd() == .status(121))
        // Without the requirement it starts, and says what is missing.
        plan.required = []
        let other = try Confined(plan, jail: scene.jail)
        other.waitForNews()
        #expect(other.news.last == .running)
        #expect(other.report?[.controlGroupMemory]?.state == .missing)
        #expect(other.waitForEnd() == .status(1))
    }

    /// Half a view is worse than none: it stops the start whatever is required. Here a folder that can be nowhere; a root that cannot be exchanged ends
    /// the same way.
    @Test(.enabled(if: isRoot))
    func halfAViewStopsTheStart() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["exit-at-once"])
        plan.binds.append(.init(.readable, "/usr", at: "/dev/null/below"))
        plan.required = []
        let confined = try Confined(plan, jail: scene.jail)
        confined.waitForNews()
        #expect(confined.news.count == 1)
        #expect(confined.report?.refusal?.hasPrefix("mounts does not hold: ") == true, "\(confined.news)")
        #expect(confined.waitForEnd() == .status(121))
    }

    @Test(.enabled(if: isRoot))
    func everythingABoardRequiresIsVerifiedHere() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan([])
        plan.isProbe = true
        plan.required = Primitive.requiredOnBoards
        let confined = try Confined(plan, jail: scene.jail)
        #expect(confined.waitForEnd() == .status(0))
        confined.waitForNews()
        let report = try #require(confined.report)
        #expect(report.refusal == nil, "\(report.table)")
        #expect(report.confinements.filter { $0.state != .verified } == [], "\(report.table)")
        #expect(confined.process.takeSocksListener() != nil)
        #expect(confined.process.takeSocksListener() == nil)
    }

    /// Some kernels keep for good what a process sent to itself, and count it for its user: the next plugin with the number starts all the same.
    @Test(.enabled(if: isRoot))
    func whatAnEarlierProcessLeftInFlightStopsNoStart() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["innocent"])
        plan.denials = .notify
        var ends: (Int32, Int32) = (-1, -1)
        let left = withUnsafeMutableBytes(of: &ends) {
            sandbox_leave_in_flight(
                scene.owner.user, Int32(plan.limits.openFiles ?? 0) + 36, $0.assumingMemoryBound(to: Int32.self).baseAddress
            )
        }
        defer { for end in [ends.0, ends.1] { close(end) } }
        try #require(left == 0)
        let confined = try Confined(plan, jail: scene.jail)
        confined.waitForNews()
        #expect(confined.news.last == .running, "\(confined.news)")
        #expect(confined.process.takeSocksListener() != nil && confined.process.denials != nil)
    }

    /// As where a board's programs lie among the system's, and the supervisor is one of them.
    @Test(.enabled(if: isRoot))
    func aProgramInAFolderThatIsThereStartsWhileItRuns() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let first = try Confined(scene.plan(["stay-behind"]), jail: scene.jail)
        first.waitForNews()
        #expect(first.news.last == .running)
        var plan = scene.plan(["exit-at-once"])
        plan.binds.append(.init(.programs, scene.hostile, at: "/plugin/vigil-hostile"))
        let second = try Confined(plan, jail: scene.jail)
        second.waitForNews()
        #expect(second.report?.refusal == nil)
        #expect(second.waitForEnd() == .status(1))
    }

    @Test(.enabled(if: isRoot))
    func aProgramThatIsNotThereIsSaid() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["innocent"])
        plan.program = scene.folder + "/plugin/nothing"
        let confined = try Confined(plan, jail: scene.jail)
        confined.waitForNews()
        #expect(confined.news.last == .notExecutable(reason: "No such file or directory"))
        #expect(confined.waitForEnd() == .status(122))
        #expect(throws: SandboxFailure.self) { try Confined(plan, jail: scene.folder + "/nothing") }
        #expect(throws: SandboxFailure.self) { try Confined(plan, jail: "vigil-jail") }
    }

    /// A folder of the plan that is missing, or a link where a folder should be, is no half view but no start.
    @Test(.enabled(if: isRoot))
    func aFolderThatIsNotThereStopsTheStart() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["exit-at-once"])
        plan.stateFolder = scene.folder + "/nothing"
        let missing = try Confined(plan, jail: scene.jail)
        missing.waitForNews()
        #expect(missing.report?[.mounts]?.state == .failed)
        #expect(missing.waitForEnd() == .status(121))
        symlink(scene.folder + "/vault", scene.folder + "/link")
        plan.stateFolder = scene.folder + "/link"
        let link = try Confined(plan, jail: scene.jail)
        link.waitForNews()
        #expect(link.report?[.mounts]?.state == .failed)
    }

    @Test(.enabled(if: isRoot))
    func extraDescriptorsAreWhereTheyShouldBe() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["find-descriptors"])
        let extra = [open("/dev/null", O_RDONLY | O_CLOEXEC), open("/dev/zero", O_RDONLY | O_CLOEXEC)]
        defer { for descriptor in extra { close(descriptor) } }
        #expect(try Confined(plan, jail: scene.jail, extra: extra).lines() == ["find-descriptors: GAINED", "done"])
        plan.environment["HOSTILE_EXTRA"] = "2"
        let confined = try Confined(plan, jail: scene.jail, extra: extra)
        #expect(try confined.lines().first?.hasSuffix("(Bad file descriptor)") == true)
        #expect(confined.report?[.descriptors]?.reason == "0 to 5, no other")
    }

    /// To the kernel it is process 1 of its world, which signals of its own do not end; its own crash does.
    @Test(.enabled(if: isRoot))
    func aCrashIsTold() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        let confined = try Confined(scene.plan(["abort"]), jail: scene.jail)
        guard case .signal(let number) = confined.waitForEnd() else {
            Issue.record("\(String(describing: confined.end))")
            return
        }
        #expect([SIGABRT, SIGSEGV, SIGILL, SIGTRAP].contains(number))
    }

    /// The tie to the thread that started it.
    @Test(.enabled(if: isRoot))
    func itEndsWithTheThreadThatStartedIt() throws {
        let scene = try Scene(isRoot: false)
        final class Box: @unchecked Sendable { var confined: Confined? }
        let box = Box()
        try withoutPrivilege {
            try scene.prepare()
            let confined = try Confined(scene.plan(["stay-behind"]), jail: scene.jail)
            #expect(try confined.lines() == ["done"])
            #expect(!confined.hasEnded())
            box.confined = confined
        }
        #expect(box.confined?.waitForEnd() == .signal(SIGKILL))
    }

    /// Profiles differ where they should.
    @Test(.enabled(if: isRoot))
    func egressReachesTheNetworkAndNothingElse() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan([
            "connect-tcp", "send-udp", "open-raw", "open-netlink", "open-packet", "read-vault", "ptrace",
            "connect-abstract",
        ])
        plan.profile = .egress
        plan.network = .host
        let lines = try Confined(plan, jail: scene.jail).lines()
        #expect(lines.filter { $0.hasSuffix("GAINED") } == ["connect-tcp: GAINED", "send-udp: GAINED"], "\(lines)")
    }

    @Test(.enabled(if: isRoot))
    func withoutNetworkThereIsNoInternetSocket() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        for profile in [SandboxPlan.Profile.core, .plugin] {
            var plan = scene.plan(["connect-tcp", "connect-tcp6", "listen-tcp"])
            plan.profile = profile
            plan.network = .none
            let lines = try Confined(plan, jail: scene.jail).lines()
            #expect(lines.dropLast().allSatisfy { $0.hasSuffix("refused (Operation not permitted)") }, "\(lines)")
            #expect(lines.count == 4)
            plan.arguments = ["vigil-hostile", "innocent"]
            let innocent = try Confined(plan, jail: scene.jail).lines()
            #expect(innocent.filter { $0.contains("BROKEN") } == [])
            #expect(innocent.count == 14)
        }
    }

    @Test(.enabled(if: isRoot))
    func aGrantedDeviceIsThere() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["push-characters", "push-characters-blindly", "open-disk"])
        plan.devices = [.init(path: "/dev/ptmx", major: 5, minor: 2)]
        let confined = try Confined(plan, jail: scene.jail)
        let lines = try confined.lines()
        #expect(confined.report?.refusal == nil)
        // Found, but the terminal behind it is not there, nor may anybody write into one.
        #expect(lines.first?.hasPrefix("push-characters: refused") == true)
        #expect(lines.filter { $0.hasSuffix("GAINED") } == [], "\(lines)")
    }

    /// Another driver's device, or a link, stands at the path by the time of the start.
    @Test(.enabled(if: isRoot))
    func aDeviceThatIsAnotherByNowIsRefused() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        for device in [
            SandboxPlan.Device(path: "/dev/ptmx", major: 5, minor: 1), .init(path: "/dev/ptmx", major: 4, minor: 2),
            .init(path: "/dev/stdin", major: 5, minor: 2),
        ] {
            var plan = scene.plan(["push-characters"])
            plan.devices = [device]
            let confined = try Confined(plan, jail: scene.jail)
            #expect(try confined.lines() == [] && confined.report?.refusal != nil, "\(device)")
        }
    }

    // MARK: Refused calls

    @Test(.enabled(if: isRoot))
    func aRefusedCallCanEndTheProgram() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["ptrace"])
        plan.denials = .kill
        let confined = try Confined(plan, jail: scene.jail)
        // The child that tries it.
        #expect(try confined.lines() == ["ptrace: refused (killed by signal \(SIGSYS))", "done"])
        #expect(confined.report?[.systemCalls]?.state == .verified)
    }

    @Test(.enabled(if: isRoot))
    func aRefusedCallCanBeSeen() throws {
        let scene = try Scene(isRoot: true)
        try scene.prepare()
        var plan = scene.plan(["keyctl", "ptrace"])
        plan.denials = .notify
        let confined = try Confined(plan, jail: scene.jail)
        confined.waitForNews()
        let listener = try #require(confined.process.denials)
        var seen: [DenialListener.Denial] = []
        let deadline = ContinuousClock().now + .seconds(120)
        while !confined.hasEnded(), ContinuousClock().now < deadline {
            if let denial = listener.take() { seen.append(denial) } else { usleep(1_000) }
        }
        #if arch(x86_64)
            #expect(seen.map(\.callNumber) == [250, 101])
        #endif
        #expect(seen.count == 2)
        #expect(
            try confined.lines() == [
                "keyctl: refused (Operation not permitted)", "ptrace: refused (Operation not permitted)", "done",
            ])
    }
}
