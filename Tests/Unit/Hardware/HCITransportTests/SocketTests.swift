// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import RandomValues
import TestKit
import Testing

@testable import HCITransport

struct SocketTests {
    @Test func `A stream is cut into packets, whatever pieces it comes in`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        let transport = try Transport.open(address)
        #expect(try transport.receive().isEmpty)
        let stream = Wire.resetComplete + Wire.longest + Wire.numberOfCompletedPackets
        var packets: [HCIPacket] = []
        for byte in stream {
            far.write([byte])
            packets += try transport.receive()
        }
        #expect(packets.map(\.bytes) == [Wire.resetComplete, Wire.longest, Wire.numberOfCompletedPackets])
        far.write(stream + stream)
        #expect(try transport.receive().flatMap(\.bytes) == stream + stream)
    }

    @Test func `Connects to a listener`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("air.sock")
        let listener = FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try listen(listener, at: path)
        let transport = try Transport.open(.unix(path: path))
        let far = FarEnd(accept(listener.descriptor, nil, nil))
        try transport.send(HCICommand.reset.bytes)
        #expect(far.read() == [1, 3, 0x0C, 0])
        far.write(Wire.resetComplete)
        waitUntilReadable(transport.descriptor)
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete])
        #expect(fcntl(transport.descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(transport.descriptor, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func `Says why a socket cannot be connected to`() throws {
        let folder = try TemporaryFolder()
        #expect(openingFails(.unix(path: "\(folder.path)/none"))?.code == .notThere)
        #expect(openingFails(.unix(path: "\(folder.path)/no/folder"))?.code == .notThere)
        try folder.write("", to: "file")
        #expect(openingFails(.unix(path: "\(folder.path)/file/below"))?.code == .notThere)
        #expect(openingFails(.unix(path: "\(folder.path)/file"))?.code == .refusedConnection)

        let left = folder.file("left")
        try listen(FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)), at: left)
        let refused = openingFails(.unix(path: left))
        #expect(refused?.code == .refusedConnection)
        #expect(refused?.systemError == ECONNREFUSED)
        #expect(refused?.isWorthRetrying == true)

        let packets = FarEnd(socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0))
        try listen(packets, at: folder.file("packets"))
        #expect(openingFails(.unix(path: folder.file("packets")))?.code == .notATransport)
    }

    @Test func `A listener that accepts nobody refuses instead of holding us up`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("full")
        let listener = FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try listen(listener, at: path, backlog: 0)
        let first = try Transport.open(.unix(path: path))
        #expect(openingFails(.unix(path: path))?.code == .refusedConnection)
        first.close()
    }

    @Test func `A socket this user may not write to is no permission`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("private")
        let listener = FarEnd(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try listen(listener, at: path)
        #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o000) == 0)
        withoutPrivilege { #expect(openingFails(.unix(path: path))?.code == .noPermission) }
    }

    @Test func `Sends no command into a stream that is out of step`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        let transport = try Transport.open(address)
        far.write(Wire.resetComplete + [0x00, 0x04])
        // What came before the damage is handed out, and the owner need not poll to learn of the damage.
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete])
        #expect(transport.failure?.code == .outOfStep)
        far.write(Wire.resetComplete)
        #expect(failure { _ = try transport.receive() }?.code == .outOfStep)
        #expect(failure { try transport.send(HCICommand.reset.bytes) }?.code == .outOfStep)
        #expect(far.read().isEmpty)
    }

    @Test func `A command from a controller is garbage`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        let transport = try Transport.open(address)
        far.write(HCICommand.reset.bytes)
        #expect(failure { _ = try transport.receive() }?.code == .outOfStep)
    }

    @Test(arguments: [SOCK_STREAM, SOCK_SEQPACKET]) func `The end of the other side is a lost controller`(
        type: __socket_type
    ) throws {
        let (address, far) = try pair(type)
        let transport = try Transport.open(address)
        far.write(Wire.resetComplete)
        far.hangUp()
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete])
        let lost = failure { _ = try transport.receive() }
        #expect(lost?.code == .lost)
        #expect(lost?.isWorthRetrying == false)
        #expect(lost?.description.contains("inherited descriptor cannot be opened again") == true)
        #expect(failure { try transport.send(HCICommand.reset.bytes) }?.code == .lost)
    }

    /// Without MSG_NOSIGNAL this would end the test process.
    @Test(arguments: [SOCK_STREAM, SOCK_SEQPACKET]) func `Writing to nobody raises no signal`(type: __socket_type) throws {
        let (address, far) = try pair(type)
        let transport = try Transport.open(address)
        far.hangUp()
        #expect(failure { try transport.send(HCICommand.reset.bytes) }?.code == .lost)
    }

    @Test func `Packets that come alone stay alone`() throws {
        let (address, far) = try pair(SOCK_SEQPACKET)
        let transport = try Transport.open(address)
        let acl: [UInt8] = [2, 0x40, 0, 0x10, 0x27] + [UInt8](repeating: 7, count: 10_000)
        for packet in [Wire.resetComplete, acl, Wire.longest] { far.write(packet) }
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete, acl, Wire.longest])
        try transport.send(HCICommand.reset.bytes)
        try transport.send(HCICommand.readAddress.bytes)
        #expect(far.read(limit: 4) == HCICommand.reset.bytes)
        #expect(far.read() == HCICommand.readAddress.bytes)
    }

    @Test func `A malformed packet that came alone is dropped and counted`() throws {
        let (address, far) = try pair(SOCK_SEQPACKET)
        let transport = try Transport.open(address)
        let tooLong: [UInt8] = [2, 0x40, 0, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 0x10000)
        for packet in [[9], [4, 0x0E, 200, 1], tooLong, HCICommand.reset.bytes, Wire.resetComplete] { far.write(packet) }
        // The long one used up what one call may read.
        #expect(try transport.receive().isEmpty)
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete])
        #expect(transport.refusedPacketCount == 4)
        #expect(transport.failure == nil)
    }

    @Test func `One call reads a bounded amount`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        let transport = try Transport.open(address)
        var size: Int32 = 1 << 20
        setsockopt(far.descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
        let count = 20_000
        let stream = [[UInt8]](repeating: Wire.resetComplete, count: count).flatMap { $0 }
        #expect(Glibc.send(far.descriptor, stream, stream.count, Int32(MSG_DONTWAIT)) == stream.count)
        var sizes: [Int] = []
        while sizes.reduce(0, +) < count {
            sizes.append(try transport.receive().count)
            try #require(sizes.last != 0)
        }
        // 256 packets, and what the last read of 4 KiB held beyond them.
        #expect((sizes.max() ?? 0) <= Transport.maximumPacketsPerReceive + 4_096 / Wire.resetComplete.count)
        #expect(sizes.count > 20)
    }
}

/// What a controller that does not read makes of us.
struct BackpressureTests {
    @Test(arguments: [SOCK_STREAM, SOCK_SEQPACKET])
    func `What does not fit waits in order, and what does not fit there is refused whole`(type: __socket_type) throws {
        let (address, far) = try pair(type)
        let transport = try Transport.open(address)
        var random = SeededGenerator(seed: 5)
        var accepted: [[UInt8]] = []
        var refusal: TransportFailure?
        while refusal == nil, accepted.count < 20_000 {
            let packet = [1, 0xFF, 0xFC, 251] + (0..<251).map { _ in UInt8.random(in: 0...255, using: &random) }
            do {
                try transport.send(packet)
                accepted.append(packet)
            } catch { refusal = error }
        }
        #expect(refusal?.code == .overflow)
        #expect(transport.failure == nil)
        #expect(transport.hasUnsent)
        // Now the controller wakes up.
        var arrived: [[UInt8]] = []
        var stalls = 0
        while arrived.count < accepted.count, stalls < 1_000 {
            let packet = far.read(limit: 255)
            if packet.isEmpty { stalls += 1 } else { arrived.append(packet) }
            try transport.flush()
        }
        #expect(arrived == accepted)
        #expect(!transport.hasUnsent)
        try transport.send(HCICommand.reset.bytes)
        #expect(far.read() == HCICommand.reset.bytes)
    }

    @Test func `No packet is longer than the queue`() throws {
        let (address, far) = try pair(SOCK_STREAM)
        let transport = try Transport.open(address)
        let size = Transport.maximumUnsentByteCount
        #expect(failure { try transport.send([UInt8](repeating: 2, count: size + 1)) }?.code == .overflow)
        try transport.send([UInt8](repeating: 2, count: size))
        #expect(far.read().count == size)
        try transport.send([])
        #expect(!transport.hasUnsent)
    }

    @Test func `The queue keeps order across many packets`() {
        var queue = UnsentQueue(limit: 10_000)
        var expected: [UInt8] = []
        var taken: [UInt8] = []
        var random = SeededGenerator(seed: 9)
        for round in 0..<5_000 {
            let packet = (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8(truncatingIfNeeded: round) }
            if queue.append(packet) { expected += packet }
            while !queue.isEmpty, Bool.random(using: &random) {
                let part = queue.withFirst { Array($0.prefix(Int.random(in: 1...9, using: &random))) }
                queue.removeFirst(part.count)
                taken += part
            }
        }
        while !queue.isEmpty {
            let part = queue.withFirst { Array($0) }
            queue.removeFirst(part.count)
            taken += part
        }
        #expect(taken == expected)
    }
}
