// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import TestKit
import Testing

@testable import HCITransport

// Hidden from Swift behind _XOPEN_SOURCE.
@_silgen_name("posix_openpt") private func openTerminal(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grantpt(_ descriptor: Int32) -> Int32
@_silgen_name("unlockpt") private func unlockpt(_ descriptor: Int32) -> Int32
@_silgen_name("ptsname_r") private func ptsname(
    _ descriptor: Int32, _ name: UnsafeMutablePointer<CChar>, _ size: Int
) -> Int32

/// A terminal pair: the transport gets the line, the test keeps the other end.
private struct Line {
    let far: FarEnd
    let device: String

    init() throws {
        far = FarEnd(openTerminal(O_RDWR | O_NOCTTY | O_CLOEXEC))
        try #require(far.descriptor >= 0 && grantpt(far.descriptor) == 0 && unlockpt(far.descriptor) == 0)
        var name = [CChar](repeating: 0, count: 64)
        try #require(ptsname(far.descriptor, &name, name.count) == 0)
        device = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// `recv` is for sockets only.
    func read() -> [UInt8] {
        waitUntilReadable(far.descriptor)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(far.descriptor, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }
}

struct SerialTests {
    /// Every byte that cooked mode changes or acts on, in both directions.
    @Test func `A line passes bytes as they are, at any speed`() throws {
        for baud: UInt32 in [115_200, 921_600, 1_234_567] {
            let line = try Line()
            let transport = try Transport.open(.serial(device: line.device, baud: baud))
            let event: [UInt8] = [4, 0xFF, 255] + (0..<255).map { UInt8($0) }
            line.far.write(Array(event[..<100]))
            waitUntilReadable(transport.descriptor)
            #expect(try transport.receive().isEmpty)
            line.far.write(Array(event[100...]))
            waitUntilReadable(transport.descriptor)
            #expect(try transport.receive().map(\.bytes) == [event])
            #expect(try transport.receive().isEmpty)

            let command: [UInt8] = [1, 0xFF, 0xFC, 255] + (0..<255).map { UInt8($0) }
            try transport.send(command)
            #expect(line.read() == command)
        }
    }

    @Test func `What waited in the line before is discarded`() throws {
        let line = try Line()
        let before = open(line.device, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(before) }
        var mode = termios()
        tcgetattr(before, &mode)
        cfmakeraw(&mode)
        tcsetattr(before, TCSANOW, &mode)
        line.far.write([0xEE, 0xEE, 0xEE])
        waitUntilReadable(before)
        let transport = try Transport.open(.serial(device: line.device, baud: 115_200))
        #expect(try transport.receive().isEmpty)
        line.far.write(Wire.resetComplete)
        waitUntilReadable(transport.descriptor)
        #expect(try transport.receive().map(\.bytes) == [Wire.resetComplete])
    }

    @Test func `Two owners of one line are one too many`() throws {
        let line = try Line()
        let address = TransportAddress.serial(device: line.device, baud: 115_200)
        let first = try Transport.open(address)
        let second = openingFails(address)
        #expect(second?.code == .busy)
        #expect(second?.isWorthRetrying == true)
        first.close()
        try Transport.open(address).close()
    }

    @Test func `A hang-up is a lost controller`() throws {
        let line = try Line()
        let transport = try Transport.open(.serial(device: line.device, baud: 115_200))
        line.far.hangUp()
        let lost = failure { _ = try transport.receive() }
        #expect(lost?.code == .lost)
        #expect(lost?.isWorthRetrying == true)
        #expect(failure { try transport.send(HCICommand.reset.bytes) }?.code == .lost)
    }

    @Test func `A controller that does not read is an overflow, and closing does not wait for it`() throws {
        let line = try Line()
        let transport = try Transport.open(.serial(device: line.device, baud: 115_200))
        var refusal: TransportFailure?
        for _ in 0..<1_000 where refusal == nil {
            do { try transport.send([1, 0xFF, 0xFC, 251] + [UInt8](repeating: 0x11, count: 251)) } catch { refusal = error }
        }
        #expect(refusal?.code == .overflow)
        let start = ContinuousClock.now
        transport.close()
        #expect(ContinuousClock.now - start < .seconds(20), "a serial line waits thirty")
        #expect(transport.descriptor == -1)
        #expect(failure { _ = try transport.receive() }?.code == .lost)
        transport.close()
    }

    @Test func `Says why a line cannot be opened`() throws {
        let folder = try TemporaryFolder()
        #expect(openingFails(.serial(device: "\(folder.path)/ttyNone", baud: 115_200))?.code == .notThere)
        try folder.write("no line", to: "file")
        #expect(openingFails(.serial(device: "\(folder.path)/file", baud: 115_200))?.code == .notATransport)
        #expect(openingFails(.serial(device: folder.path, baud: 115_200))?.code == .notATransport)
        #expect(openingFails(.serial(device: "/dev/null", baud: 115_200))?.code == .notATransport)
        #expect(chmod(folder.path, 0o755) == 0 && chmod("\(folder.path)/file", 0o000) == 0)
        withoutPrivilege {
            let refused = openingFails(.serial(device: "\(folder.path)/file", baud: 115_200))
            #expect(refused?.code == .noPermission)
            #expect(refused?.description.contains("dialout") == true)
        }
    }

    @Test func `A speed may be wrong by 2.5 percent`() {
        #expect(Endpoint.isCloseEnough(115_200, to: 115_200))
        #expect(Endpoint.isCloseEnough(112_320, to: 115_200) && Endpoint.isCloseEnough(118_080, to: 115_200))
        #expect(!Endpoint.isCloseEnough(112_319, to: 115_200) && !Endpoint.isCloseEnough(118_081, to: 115_200))
        #expect(!Endpoint.isCloseEnough(0, to: 115_200) && !Endpoint.isCloseEnough(.max, to: 1))
    }

    @Test func `An inherited line is made raw and keeps its speed`() throws {
        let line = try Line()
        let descriptor = open(line.device, O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        var mode = termios()
        tcgetattr(descriptor, &mode)
        cfsetspeed(&mode, speed_t(B57600))
        tcsetattr(descriptor, TCSANOW, &mode)
        let transport = try Transport.open(.inherited(descriptor: descriptor))
        tcgetattr(descriptor, &mode)
        #expect(cfgetospeed(&mode) == speed_t(B57600))
        line.far.write(Wire.numberOfCompletedPackets)
        waitUntilReadable(transport.descriptor)
        #expect(try transport.receive().map(\.bytes) == [Wire.numberOfCompletedPackets])
    }
}
