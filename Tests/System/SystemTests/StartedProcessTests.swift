// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Testing

/// How the processes of a board begin: what the kernel says of them while they run, not what their sandbox reports.
@Suite struct StartedProcessTests {
    private static let program = """
        #!/usr/bin/python3
        import os, socket
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.setblocking(True)
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        while control.recv(4096) not in (b"STOP", b""): pass
        """

    private static let manifest = """
        {"id": "idle", "version": "1.0.0", "title": "Test", "description": "A test's plugin.", "run": {"program": "bin/main"},
         "start": "resident"}
        """

    private func text(_ path: String) -> String {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What a test itself starts, from a thread that blocks signals.
    @Test func programsOfTestsBlockNoSignal() throws {
        let outcome = try Program.run("grep", ["^SigBlk:", "/proc/self/status"])
        #expect(outcome.output == "SigBlk:\t0000000000000000\n")
    }

    /// The file mode mask, the kernel's score of whom to end first, and the priority: of the core, of egress, of a plugin.
    @Test(
        .enabled(if: geteuid() == 0),
        arguments: [("core", 0, -5), ("egress", 200, 5), ("idle", 700, 10)])
    func eachBeginsAsItsProfileSays(name: String, score: Int, niceness: Int) throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.install(
            "idle", manifest: Self.manifest, files: ["bin/main": Self.program], programs: ["bin/main"])
        try board.grant(#"{"plugins": {"idle": {"enabled": true}}}"#)
        try board.start()
        try #require(
            board.waits { ["core", "egress", "idle"].allSatisfy { board.state($0) == "running" } },
            "\(board.process(name)) \(board.log)")
        let place = "/proc/\(board.number(name))"
        let mask = text(place + "/status").split(separator: "\n").first { $0.hasPrefix("Umask:") }
        #expect(mask == "Umask:\t0027")
        #expect(text(place + "/oom_score_adj") == "\(score)\n")
        // The name may have blanks and brackets in it; nothing behind it has.
        let fields = text(place + "/stat").split(separator: ")").last?.split(separator: " ") ?? []
        #expect(fields.count > 16 && Int(fields[16]) == niceness, "\(fields)")
        let reported = board.process(name)["confinement"]?.array ?? []
        func level(_ primitive: String) -> String? {
            reported.first { $0["primitive"]?.string == primitive }?["level"]?.string
        }
        #expect(level("oom-score") == (score == 0 ? nil : "\(score)"))
        #expect(level("niceness") == (name == "idle" ? "5" : nil))
    }
}
