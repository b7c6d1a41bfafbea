// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Sandbox

struct ReportTests {
    private let line = "primitive\tlandlock-files\t7\tverified\tlisting / is refused\n"

    private func parse(_ text: String) throws -> SandboxReport { try SandboxReport.parse(Array(text.utf8)).report }

    @Test func isReadToTheLastByte() throws {
        let (report, attachments) = try SandboxReport.parse(
            Array("vigil-report\t1\n\(line)primitive\tuser\t-\tmissing\tno\ndescriptor\tsocks\nrefused\tuser\nend\n".utf8))
        #expect(report[.landlockFiles]?.level == "7")
        #expect(report[.landlockFiles]?.state == .verified)
        #expect(report.missing.map(\.primitive) == [.user])
        #expect(report[.user]?.level == nil)
        #expect(report[.mounts] == nil)
        #expect(report.refusal == "user")
        #expect(attachments == [.socks])
        #expect(
            report.table == """
                landlock-files  verified  7  listing / is refused
                user            missing      no
                not started: user

                """)
    }

    @Test(arguments: [
        "", "end\n", "vigil-report\t1\n", "vigil-report\t2\nend\n", "vigil-report\t1\nend", "vigil-report\t1\nend\n\n",
        "vigil-report\t1\nprimitive\tmagic\t-\tverified\t\nend\n", "vigil-report\t1\nprimitive\tuser\t-\tsure\t\nend\n",
        "vigil-report\t1\nprimitive\tuser\t\tverified\t\nend\n", "vigil-report\t1\nprimitive\tuser\t-\tverified\nend\n",
        "vigil-report\t1\nprimitive\tuser\t-\tverified\ta\tb\nend\n", "vigil-report\t1\ndescriptor\tvault\nend\n",
        "vigil-report\t1\ndescriptor\tsocks\ndescriptor\tsocks\nend\n", "vigil-report\t1\nrefused\t\nend\n",
        "vigil-report\t1\nrefused\ta\nrefused\tb\nend\n",
        "vigil-report\t1\nprimitive\tuser\t-\tverified\t\nprimitive\tuser\t-\tmissing\t\nend\n",
        "vigil-report\t1\nhello\nend\n",
    ])
    func refusesAnythingElse(text: String) {
        #expect(throws: SandboxReport.Malformation.self) { try parse(text) }
    }

    @Test func refusesWhatIsNoText() {
        #expect(throws: SandboxReport.Malformation.self) { try SandboxReport.parse([0xFF, 0x0A]) }
        #expect(throws: SandboxReport.Malformation.self) { try SandboxReport.parse([UInt8](repeating: 0x0A, count: 20000)) }
    }

    @Test func knowsAFailedExec() {
        #expect(SandboxReport.parseExecFailure(Array("vigil-exec\t2\n".utf8)) == 2)
        for text in [
            "vigil-exec\t\n", "vigil-exec\t2", "vigil-exec\t2\n\n", "vigil-exec\tx\n", "vigil-report\t1\nend\n",
            "vigil-exec\t99999999999\n",
        ] {
            #expect(SandboxReport.parseExecFailure(Array(text.utf8)) == nil)
        }
    }

    @Test func whatIsNotAskedForIsMissing() throws {
        let report = try parse("vigil-report\t1\n\(line)end\n")
        let group = ControlGroup(memberships: [], missing: [.pids: "no pids", .memory: "no control groups are mounted"])
        let whole = report.adding(missing: group)
        #expect(whole.confinements.dropLast(2) == report.confinements[...])
        #expect(whole[.controlGroupMemory]?.state == .missing)
        #expect(whole[.controlGroupMemory]?.reason == "no control groups are mounted")
        #expect(whole[.controlGroupProcesses]?.reason == "no pids" && whole[.controlGroupProcessor] == nil)
        #expect(whole.missing.count == report.missing.count + 2)
    }

    @Test func whatTheSupervisorDidItselfIsAPart() throws {
        let report = try parse("vigil-report\t1\n\(line)end\n")
        let part = Confinement(primitive: .diskQuota, level: "81920", state: .verified, reason: "limit read back")
        #expect(report.adding(part)[.diskQuota] == part)
        #expect(report.adding(part).confinements.dropLast() == report.confinements[...])
    }

    @Test func isCodable() throws {
        let report = try parse("vigil-report\t1\n\(line)end\n")
        #expect(try JSONDecoder().decode(SandboxReport.self, from: JSONEncoder().encode(report)) == report)
    }
}
