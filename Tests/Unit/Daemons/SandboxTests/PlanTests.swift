// SPDX-License-Identifier: Apache-2.0

import Glibc
import RandomValues
import Testing

@testable import Sandbox

/// The plan as text: what is not understood to the last byte starts nothing.
@Suite(.serialized)
struct PlanTests {
    private func plan() -> SandboxPlan {
        var plan = SandboxPlan(name: "sync", program: "/usr/bin/true", arguments: ["true"])
        plan.limits.processes = 8
        plan.network = .proxied(socksPort: 1080, outside: nil)
        return plan
    }

    @Test func isLinesOfWords() throws {
        var plan = plan()
        plan.binds = [.init(.programs, "/usr"), .init(.writable, "/var/lib/vigil/vault", at: "/vault")]
        plan.environment = ["B": "2", "A": "1 2"]
        plan.required = [.systemCalls]
        #expect(
            try plan.text(extraDescriptors: 1) == """
                vigil-plan\t1
                name\tsync
                program\t/usr/bin/true
                profile\tplugin
                denials\tsilent
                argument\ttrue
                environment\tA\t1 2
                environment\tB\t2
                network\tprivate
                socks\t1080
                programs\t/usr\t/usr
                writable\t/var/lib/vigil/vault\t/vault
                limit\tcore\t0
                limit\tnofile\t256
                limit\tnproc\t8
                nice\t5
                require\tsystem-calls
                extra\t1
                end

                """)
    }

    @Test(arguments: ["a\tb", "a\nb", "a\u{0}b", "\u{7F}"])
    func refusesControlCharacters(word: String) {
        var plan = plan()
        plan.arguments.append(word)
        #expect(throws: SandboxFailure.self) { try plan.text(extraDescriptors: 0) }
    }

    @Test func refusesWhatIsTooMuch() {
        var many = plan()
        many.arguments = Array(repeating: "x", count: 65)
        #expect(throws: SandboxFailure.self) { try many.text(extraDescriptors: 0) }
        var long = plan()
        long.arguments = Array(repeating: String(repeating: "x", count: 1000), count: 40)
        #expect(throws: SandboxFailure.self) { try long.text(extraDescriptors: 0) }
        var wide = plan()
        wide.devices = Array(repeating: .init(path: "/dev/null", major: 1, minor: 3), count: 50)
        #expect(throws: SandboxFailure.self) { try wide.text(extraDescriptors: 0) }
    }

    private func refusal(of text: String, jail: String) throws -> String? {
        let confined = try Confined(text: text, jail: jail)
        confined.waitForNews()
        guard confined.waitForEnd() == .status(120) else { return nil }
        return confined.report?.refusal
    }

    @Test(arguments: [
        ("", "the plan has no end"),
        ("vigil-plan\t2\nend\n", "no plan of version 1: vigil-plan?2"),
        ("vigil-plan\t1\nname\tsync", "the plan stops in the middle of a line"),
        ("vigil-plan\t1\nend\n", "the plan names nobody"),
        ("vigil-plan\t1\nname\tsync\nend\n", "the plan names no program"),
        ("vigil-plan\t1\nname\tsync\nend\nname\tx\n", "the plan goes on behind its end"),
        ("vigil-plan\t1\nname\tSync\n", "a line of the plan is not understood: name"),
        ("vigil-plan\t1\nprogram\tbin/x\n", "a line of the plan is not understood: program"),
        ("vigil-plan\t1\nprogram\t/a/../b\n", "a line of the plan is not understood: program"),
        ("vigil-plan\t1\nprogram\t/a/\n", "a line of the plan is not understood: program"),
        ("vigil-plan\t1\nuser\t0\t5\n", "a line of the plan is not understood: user"),
        ("vigil-plan\t1\nuser\t5\t4294967295\n", "a line of the plan is not understood: user"),
        ("vigil-plan\t1\nsocks\t65536\n", "a line of the plan is not understood: socks"),
        ("vigil-plan\t1\nlimit\tcore\t-1\n", "a line of the plan is not understood: limit"),
        ("vigil-plan\t1\nlimit\tcore\t0\nlimit\tcore\t1\n", "a line of the plan is not understood: limit"),
        ("vigil-plan\t1\ndevice\t/etc/passwd\n", "a line of the plan is not understood: device"),
        ("vigil-plan\t1\nfolder\troot\t/x\n", "a line of the plan is not understood: folder"),
        ("vigil-plan\t1\nnice\t20\n", "a line of the plan is not understood: nice"),
        ("vigil-plan\t1\nunknown\n", "a line of the plan is not understood: unknown"),
        ("vigil-plan\t1\nname\ta\tb\tc\td\n", "too many words: name"),
        ("vigil-plan\t1\nargument\ta\u{1}b\n", "a control character: argument"),
        (
            "vigil-plan\t1\nname\tx\nnetwork\thost\nsocks\t1\nprogram\t/x\nargument\tx\nend\n",
            "a SOCKS listener needs a private network"
        ),
    ])
    func jailRefusesWhatItDoesNotUnderstand(text: String, expected: String) throws {
        #expect(try refusal(of: text, jail: Programs.folder + "/vigil-jail") == expected)
    }

    /// Any byte of a good plan, changed, dropped or doubled: it is refused or starts, and never ends otherwise.
    @Test func jailLivesThroughDamagedPlans() throws {
        var good = plan()
        good.isProbe = true
        let bytes = Array(try good.text(extraDescriptors: 0).utf8)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<150 {
            var damaged = bytes
            let index = Int.random(in: 0..<damaged.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: damaged[index] = UInt8.random(in: 1..<127, using: &random)
            case 1: damaged.remove(at: index)
            case 2: damaged.insert(damaged[index], at: index)
            default: damaged.removeSubrange(index...)
            }
            let text = String(decoding: damaged, as: UTF8.self)
            let confined = try Confined(text: text, jail: Programs.folder + "/vigil-jail")
            confined.waitForNews()
            let end = confined.waitForEnd()
            #expect(
                [.status(0), .status(120), .status(121), .status(122)].contains(end),
                "\(String(describing: end)) for \(text)")
            #expect(confined.report != nil, "\(text)")
        }
    }

    /// What an author asks when a call was refused.
    @Test func jailExplainsItsRules() throws {
        let jail = Programs.folder + "/vigil-jail"
        #expect(
            try Programs.output([jail, "--explain", "ptrace"]).hasSuffix(
                "  refused: it looks into or steers other processes"))
        #expect(
            try Programs.output([jail, "--explain", "read"]).hasSuffix("  allowed, every profile: reading and writing"))
        #expect(try Programs.output([jail, "--explain", "socket"]).contains("by its arguments: UNIX sockets"))
        #expect(try Programs.output([jail, "--explain", "setpriority"]).contains("refused to others"))
        #expect(try Programs.output([jail, "--explain", "uselib"]).hasSuffix("  refused: nothing on the list needs it"))
        #expect(try Programs.output([jail, "--explain", "nonsense"]).isEmpty)
        #if arch(x86_64)
            #expect(try Programs.output([jail, "--explain", "101"]).hasPrefix("ptrace (101)"))
        #endif
        let table = try Programs.output([jail, "--explain"])
        #expect(table.contains("Allowed:") && table.contains("Refused, as is every call"))
    }
}
