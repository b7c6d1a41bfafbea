// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import ProcessLink
import SystemCalls
import Testing

/// Sockets as all are before Linux 6.16: anybody hands descriptors to them, and whoever reads or closes drops those.
@Suite struct ClosingTests {
    /// SO_PASSRIGHTS, on again.
    private static func acceptDescriptors(_ descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, 83, &one, 4)
    }

    private static func pair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// A TCP connection that is full, to `listener`, whose last close takes half a minute.
    private static func lingering(_ listener: inout Int32) -> Int32 {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let sender = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(listener, $0, length) == 0 && listen(listener, 1) == 0)
                #expect(getsockname(listener, $0, &length) == 0)
                #expect(connect(sender, $0, length) == 0)
            }
        }
        var timeout = linger(l_onoff: 1, l_linger: 30)
        #expect(setsockopt(sender, SOL_SOCKET, SO_LINGER, &timeout, socklen_t(MemoryLayout<linger>.size)) == 0)
        let block = [UInt8](repeating: 0, count: 65_536)
        while send(sender, block, block.count, Int32(MSG_DONTWAIT)) > 0 {}
        return sender
    }

    @Test func whatLiesBesideIsSeenAndLeftWhereItIs() {
        let (here, there) = Self.pair()
        defer { for end in [here, there] { close(end) } }
        var buffer = [UInt8](repeating: 0, count: 100)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        #expect(send(there, "ab", 2, 0) == 2)
        #expect(vigil_receive_plain(here, &buffer, 100, 0) == 2)
        #expect(vigil_receive_plain(here, &buffer, 100, 0) == Int(-EAGAIN))
        #expect(send(there, "ab", 2, 0) == 2)
        #expect(vigil_control_send(there, "c", 1, null) == 1)
        // The end of the bytes before may be read with it or not; what lies beside never is.
        var last = vigil_receive_plain(here, &buffer, 100, 0)
        if last > 0 { last = vigil_receive_plain(here, &buffer, 100, 0) }
        #expect(last == Int(-EBADMSG))
        #expect(vigil_receive_plain(here, &buffer, 100, 0) == Int(-EBADMSG))
    }

    @Test func whoClosesDoesNotWaitForWhatWasHandedOver() {
        let (here, there) = Self.pair()
        var listener: Int32 = -1
        let slow = Self.lingering(&listener)
        defer { close(listener) }
        #expect(vigil_control_send(there, "x", 1, slow) == 1)
        close(slow)
        close(there)
        let begin = SystemCall.monotonicTime()
        SystemCall.closeReceiver(here)
        #expect(SystemCall.monotonicTime() - begin < .seconds(10))
        // Nor does the thread that waits instead wait for ever.
        while SystemCall.closingCount > 0, SystemCall.monotonicTime() - begin < .seconds(20) { usleep(1_000) }
        #expect(SystemCall.closingCount == 0)
    }

    /// The kernel takes as much as fits; what is left over is written by the next step, or its error is told.
    @Test func whatIsWrittenInPartIsNotTakenForWhole() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        // F_SETPIPE_SZ, which Swift does not see.
        #expect(fcntl(ends[1], 1_031, 4_096) == 4_096)
        #expect(SystemCall.writeAll(ends[1], []) == 0)
        #expect(SystemCall.writeAll(ends[1], [UInt8](repeating: 1, count: 10_000)) == EAGAIN)
        #expect(SystemCall.writeAll(-1, [1]) == EBADF)
        var buffer = [UInt8](repeating: 0, count: 10_000)
        #expect(read(ends[0], &buffer, buffer.count) == 4_096)
        #expect(SystemCall.writeAll(ends[1], [2, 3]) == 0)
        #expect(read(ends[0], &buffer, buffer.count) == 2 && buffer[..<2] == [2, 3])
    }

    @Test func theSupervisorListensNoMoreToWhoHandsItADescriptor() throws {
        let (here, other) = try ControlSocket.pair()
        let there = ControlSocket(adopting: other)
        Self.acceptDescriptors(here.descriptor)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        #expect(there.send("READY") == .sent)
        #expect(there.send(ControlMessage("ALIVE"), descriptor: null) == .sent)
        guard case .message(let message, nil) = here.receive() else {
            Issue.record("what came before was not heard")
            return
        }
        #expect(message.verb == "READY")
        guard case .closed = here.receive() else {
            Issue.record("it goes on listening")
            return
        }
    }
}
