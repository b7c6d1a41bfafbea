// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import HCITransport
import TestKit
import Testing

struct InheritedTests {
    @Test func `Takes over what it is given: no waiting, closed on exec, closed at the end`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        var transport: Transport? = try Transport.open(address)
        let descriptor = try #require(transport?.descriptor)
        #expect(address == .inherited(descriptor: descriptor))
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(far.read().isEmpty)
        transport = nil
        var byte: UInt8 = 0
        // End of stream: nobody has the other end any more.
        #expect(recv(far.descriptor, &byte, 1, 0) == 0)
    }

    @Test func `A file, a pipe, a device and a directory are refused and stay open`() throws {
        let folder = try TemporaryFolder()
        try folder.write("text", to: "file")
        var pipes: [Int32] = [-1, -1]
        try #require(pipe(&pipes) == 0)
        defer { close(pipes[1]) }
        let descriptors = [
            open("\(folder.path)/file", O_RDWR), open("/dev/null", O_RDWR), open(folder.path, O_RDONLY), pipes[0],
        ]
        for descriptor in descriptors {
            try #require(descriptor >= 0)
            let refused = openingFails(.inherited(descriptor: descriptor))
            #expect(refused?.code == .notATransport)
            #expect(refused?.isWorthRetrying == false)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
            #expect(close(descriptor) == 0)
        }
    }

    @Test func `Sockets that cannot carry packets are refused`() throws {
        let folder = try TemporaryFolder()
        let listener = FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try listen(listener, at: folder.file("listener"))
        #expect(openingFails(.inherited(descriptor: listener.descriptor))?.code == .notATransport)
        let lonely = FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        #expect(openingFails(.inherited(descriptor: lonely.descriptor))?.code == .notATransport)
        #expect(fcntl(lonely.descriptor, F_GETFL) & O_NONBLOCK == 0)
        let (datagrams, _) = try pair(SOCK_DGRAM)
        #expect(openingFails(datagrams)?.code == .notATransport)
        if case .inherited(let descriptor) = datagrams { close(descriptor) }
    }

    @Test func `The standard descriptors are no way to a controller, whatever they are`() {
        for descriptor: Int32 in 0...2 {
            let flags = fcntl(descriptor, F_GETFL)
            #expect(openingFails(.inherited(descriptor: descriptor))?.code == .notATransport)
            #expect(fcntl(descriptor, F_GETFL) == flags)
        }
    }

    @Test func `A descriptor that is not open is not there`() {
        // Above every limit of open files.
        let missing = openingFails(.inherited(descriptor: .max))
        #expect(missing?.code == .notThere)
        #expect(missing?.systemError == EBADF)
    }
}
