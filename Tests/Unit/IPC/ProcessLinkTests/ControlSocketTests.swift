// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import ProcessLink
import RandomValues
import SystemCalls
import Testing

@Suite struct ControlSocketTests {
    private static func pair() throws -> (ControlSocket, ControlSocket) {
        let (first, second) = try ControlSocket.pair()
        return (first, ControlSocket(adopting: second))
    }

    @Test func aMessageArrivesWholeWithItsDescriptor() throws {
        let (here, there) = try Self.pair()
        let message = ControlMessage("EDGE", ["caller": "webui", "grants": "a.b.C,d.e.F"])
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        #expect(here.send(message, descriptor: null) == .sent)
        guard case .message(let got, let descriptor?) = there.receive() else {
            Issue.record("nothing came")
            return
        }
        defer { close(descriptor) }
        #expect(got == message)
        #expect(descriptor != null && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        var (ours, theirs) = (stat(), stat())
        #expect(fstat(null, &ours) == 0 && fstat(descriptor, &theirs) == 0 && ours.st_rdev == theirs.st_rdev)
        guard case .nothing = there.receive() else {
            Issue.record("there was more")
            return
        }
    }

    /// The supervisor takes no descriptors: where the kernel sees to that, who passes one is told, and what follows without arrives.
    @Test func nobodyHandsADescriptorToTheSupervisor() throws {
        let (here, there) = try Self.pair()
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let isKnown = SystemCall.refuseDescriptors(ends[0])
        for end in ends { close(end) }
        if isKnown {
            #expect(there.send(ControlMessage("ALIVE"), descriptor: null) == .refused(EPERM))
        }
        #expect(there.send("ALIVE") == .sent)
        guard case .message(let message, nil) = here.receive() else {
            Issue.record("nothing came")
            return
        }
        #expect(message.verb == "ALIVE")
    }

    @Test func theEndIsSeen() throws {
        let (first, second) = try ControlSocket.pair()
        close(second)
        guard case .closed = first.receive() else {
            Issue.record("not seen")
            return
        }
        #expect(first.send("READY") == .closed)
    }

    @Test func whoDoesNotReadIsNotWaitedFor() throws {
        let (here, there) = try Self.pair()
        var count = 0
        while here.send("ALIVE") == .sent, count < 100_000 { count += 1 }
        #expect(count > 0 && count < 100_000)
        guard case .message = there.receive() else {
            Issue.record("what fitted did not come")
            return
        }
        #expect(here.send("ALIVE") == .sent)
    }

    @Test func packetsThatAreNoMessagesAreToldFromNothing() throws {
        let (here, there) = try Self.pair()
        let hostile: [[UInt8]] = [
            Array("ready".utf8), Array("READY\n".utf8), Array("READY\nx".utf8), Array("R\nA=1".utf8),
            Array("R\na=1\na=2".utf8),
            Array("R\na=\u{7}".utf8), [0x52, 0xFF], [0], Array("R\na=1\u{0}".utf8), Array(repeating: 65, count: 33),
            Array(repeating: 65, count: 5000),
        ]
        // The end of a pipe shows whether any copy of its other end stayed open.
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[0]) }
        for bytes in hostile {
            #expect(vigil_control_send(here.descriptor, bytes, bytes.count, ends[1]) == bytes.count)
            guard case .malformed = there.receive() else {
                Issue.record("taken: \(bytes.prefix(20))")
                continue
            }
        }
        close(ends[1])
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0, "a descriptor stayed open")
    }

    @Test func everyMessageReadsBackAsItself() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let values = (0..<Int.random(in: 0...5, using: &random)).map { index in
                (
                    "n\(index)",
                    String(
                        (0..<Int.random(in: 0...40, using: &random)).map { _ in "aZ0 ,.:=ä€".randomElement(using: &random)!
                        })
                )
            }
            let message = ControlMessage("VERB", Dictionary(uniqueKeysWithValues: values))
            let bytes = try #require(message.bytes)
            #expect(ControlMessage(parsing: bytes) == message)
            var damaged = bytes
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let read = ControlMessage(parsing: damaged) { #expect(read.bytes != nil) }
        }
        #expect(ControlMessage("VERB", ["a": String(repeating: "x", count: 5000)]).bytes == nil)
        #expect(ControlMessage("VERB", ["a": "x\nb=y"]).bytes == nil)
    }

    @Test func onlyAConnectedSocketOfPacketsIsAControlSocket() throws {
        let (here, other) = try ControlSocket.pair()
        defer { close(other) }
        #expect(fcntl(other, F_SETFD, 0) == 0)
        #expect(fcntl(other, F_SETFL, 0) == 0)
        try ControlSocket.check(other)
        #expect(fcntl(other, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(other, F_GETFL) & O_NONBLOCK != 0)
        var stream: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &stream) == 0)
        let lonely = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        let file = open("/dev/null", O_RDONLY)
        for wrong in stream + [lonely, file] {
            #expect(throws: ControlFailure(.notASocket(wrong))) { try ControlSocket.check(wrong) }
            // It stays open and as it was.
            #expect(fcntl(wrong, F_GETFD) == 0)
            close(wrong)
        }
        for wrong: Int32 in [-1, 0, 2] {
            #expect(throws: ControlFailure(.notASocket(wrong))) { try ControlSocket.check(wrong) }
        }
        withExtendedLifetime(here) {}
    }

    @Test func theEnvironmentSaysWhatIsMissing() throws {
        #expect(throws: ControlFailure(.notStartedBySupervisor(variable: "VIGIL_PLUGIN"))) {
            try ProcessEnvironment { _ in nil }
        }
        #expect(throws: ControlFailure(.malformed(variable: "VIGIL_CONTROL"))) {
            try ProcessEnvironment { ["VIGIL_PLUGIN": "x", "VIGIL_CONTROL": "-1"][$0] }
        }
        // Standard error is nobody's control socket.
        #expect(throws: ControlFailure(.malformed(variable: "VIGIL_CONTROL"))) {
            try ProcessEnvironment { ["VIGIL_PLUGIN": "x", "VIGIL_CONTROL": "2"][$0] }
        }
        let environment = try ProcessEnvironment { ["VIGIL_PLUGIN": "x", "VIGIL_CONTROL": "3", "VIGIL_RUN": "/r"][$0] }
        #expect(environment.run == "/r" && environment.heartbeat == 30 && environment.socks == nil)
    }
}
