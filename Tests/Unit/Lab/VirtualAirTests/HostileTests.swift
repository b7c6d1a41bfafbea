// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import VirtualAir

/// Bytes of a host that means no good.
@Suite struct HostileTests {
    @Test func lostSynchronisationClosesTheConnection() {
        let air = VirtualAir(seed: 1)
        for first: UInt8 in [0, 3, 4, 5, 0xFF] {
            let host = Host(air)
            host.prepare()
            host.advertise()
            air.write([first], to: host.id)
            #expect(!air.isConnected(host.id))
            #expect(air.broadcasting(host.id).isEmpty)
            air.write([1, 3, 0x0C, 0], to: host.id)
            #expect(air.takeOutput(of: host.id).isEmpty)
            #expect(air.reattach(host.id))
        }
    }

    @Test func packetsMayComeInPieces() {
        let air = VirtualAir(seed: 1)
        let host = Host(air)
        for byte: UInt8 in [2, 0x40, 0, 2, 0, 1, 2, 1, 9, 0x10, 0, 1, 3, 0x0C, 0] { air.write([byte], to: host.id) }
        host.collect()
        #expect(host.answers.map(\.opcode) == [0x1009, 0x0C03])
        #expect(air.isConnected(host.id))
    }

    /// 100,000 writes: random bytes, random parameters of every command there is, and time in between.
    @Test func randomWrites() {
        let air = VirtualAir(seed: 5)
        var generator = SeededGenerator(seed: 5)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
        func small(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...3, using: &generator) } }
        let hosts = [Host(air), Host(air, .extended), Host(air, .make { $0.canAdvertiseAndScanAtOnce = false })]
        air.addObserver { _ in }
        let opcodes = [0x0C01, 0x0C03] + Array(0x1001...0x1009) + Array(0x2001...0x2045)
        let lengths: [Int: Int] = [
            0x2005: 6, 0x2006: 15, 0x2008: 32, 0x200A: 1, 0x200B: 7, 0x200C: 2, 0x2035: 7, 0x2036: 25, 0x2037: 7, 0x2039: 6,
            0x2041: 8, 0x2042: 6, 0x2001: 8, 0x0C01: 8,
        ]
        var closed = 0
        for number in 0..<100_000 {
            let host = hosts[number % hosts.count]
            if !air.isConnected(host.id) {
                closed += 1
                #expect(air.reattach(host.id))
            }
            if number % 50 == 0 {
                air.write(bytes(.random(in: 0...40, using: &generator)), to: host.id)
            } else if let opcode = opcodes.randomElement(using: &generator) {
                let count = lengths[opcode] ?? .random(in: 0...40, using: &generator)
                let parameters = number % 3 == 0 ? bytes(count) : small(count)
                air.write([1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(count)] + parameters, to: host.id)
            }
            if number % 20 == 0 { air.advance(to: air.now + .milliseconds(Int64.random(in: 0...200, using: &generator))) }
            if number % 10 == 0 { _ = air.takeOutput(of: host.id) }
        }
        #expect(closed > 100)
        #expect(hosts.allSatisfy { (air.statistics(of: $0.id)?.commands ?? 0) > 20_000 })
    }

    @Test func aHostThatNeverReadsIsCutOff() {
        let air = VirtualAir(seed: 5)
        let host = air.attach(ControllerModel())
        for _ in 0..<200_000 where air.isConnected(host) { air.write([1, 2, 0x10, 0], to: host) }
        #expect(!air.isConnected(host))
        #expect(air.outputCount(of: host) < 9 << 20)
    }

    @Test func unknownDevicesAreIgnored() {
        let air = VirtualAir(seed: 1)
        let nobody = NodeID(rawValue: 42)
        air.write([1, 3, 0x0C, 0], to: nobody)
        air.apply(Fault(.vanish), to: nobody)
        air.move(nobody, x: 1, y: 1)
        air.remove(nobody)
        #expect(!air.reattach(nobody) && air.takeOutput(of: nobody).isEmpty && air.keys(of: nobody).isEmpty)
        let phone = air.addPhone()
        air.remove(phone)
        #expect(air.nodeIDs.isEmpty)
        #expect(air.addPhone() > phone)
    }
}
