// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualAir

/// What the specification refuses, and with which code.
@Suite struct RefusalTests {
    let air = VirtualAir(seed: 1)

    @Test func addressAndParametersAreRefusedOnAir() {
        let host = Host(air)
        host.prepare()
        host.advertise()
        #expect(host.status(0x2005, Host.address) == 0x0C)
        #expect(host.status(0x2006, host.advertisingParameters()) == 0x0C)
        #expect(host.status(0x200A, [0]) == 0)
        #expect(host.status(0x2006, host.advertisingParameters()) == 0)
        host.scan()
        #expect(host.status(0x2005, Host.address) == 0x0C)
        #expect(host.status(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0]) == 0x0C)
        #expect(host.status(0x200C, [0, 0]) == 0)
        #expect(host.status(0x2005, Host.address) == 0)
    }

    @Test func aRandomAddressMustBeThere() {
        let host = Host(air)
        host.prepare()
        #expect(host.status(0x2006, host.advertisingParameters()) == 0)
        #expect(host.status(0x200A, [1]) == 0x12)
        #expect(host.status(0x200B, [0, 0x60, 0, 0x60, 0, 1, 0]) == 0)
        #expect(host.status(0x200C, [1, 0]) == 0x12)
        #expect(host.status(0x2005, Host.address) == 0)
        #expect(host.status(0x200A, [1]) == 0)
        #expect(host.status(0x200C, [1, 0]) == 0)
        // A reset takes it away again.
        #expect(host.status(0x0C03) == 0)
        #expect(host.status(0x2006, host.advertisingParameters()) == 0)
        #expect(host.status(0x200A, [1]) == 0x12)
    }

    @Test func rangesOfLegacyParameters() {
        let host = Host(air)
        host.prepare()
        #expect(host.status(0x2006, host.advertisingParameters(interval: 0x1F)) == 0x12)
        #expect(host.status(0x2006, host.advertisingParameters(interval: 0x4001)) == 0x12)
        #expect(host.status(0x2006, host.advertisingParameters(kind: 5)) == 0x12)
        #expect(host.status(0x2006, host.advertisingParameters(kind: 1)) == 0x11)
        #expect(host.status(0x2006, [0, 2, 0, 1] + host.advertisingParameters()[4...]) == 0x12)
        #expect(host.status(0x2006, Array(host.advertisingParameters().dropLast())) == 0x12)
        var parameters = host.advertisingParameters()
        parameters[13] = 0
        #expect(host.status(0x2006, parameters) == 0x12)
        #expect(host.status(0x2008, [32] + [UInt8](repeating: 0, count: 31)) == 0x12)
        #expect(host.status(0x2008, [3, 1, 2, 3]) == 0x12)
        #expect(host.status(0x200A, [2]) == 0x12)
        #expect(host.status(0x200B, [0, 0x60, 0, 0x61, 0, 0, 0]) == 0x12)
        #expect(host.status(0x200B, [0, 3, 0, 3, 0, 0, 0]) == 0x12)
        #expect(host.status(0x200B, [2, 0x60, 0, 0x60, 0, 0, 0]) == 0x12)
        #expect(host.status(0x200C, [1, 2]) == 0x12)
    }

    @Test func theHundredMillisecondsOfBluetooth4() {
        let old = Host(air, .make { $0.version = .v42 })
        let new = Host(air)
        #expect(old.status(0x2006, old.advertisingParameters(interval: 0x9F)) == 0x12)
        #expect(old.status(0x2006, old.advertisingParameters(interval: 0xA0)) == 0)
        #expect(old.status(0x2006, old.advertisingParameters(interval: 0x20, kind: 0)) == 0)
        #expect(new.status(0x2006, new.advertisingParameters(interval: 0x20)) == 0)
    }

    @Test func oneAtATime() {
        let host = Host(air, .make { $0.canAdvertiseAndScanAtOnce = false })
        host.prepare()
        host.advertise()
        #expect(host.status(0x200C, [1, 0]) == 0x0C)
        #expect(host.status(0x200A, [0]) == 0)
        #expect(host.status(0x200C, [1, 0]) == 0)
        #expect(host.status(0x200A, [1]) == 0x0C)
        #expect(Host(air).command(0x201C)[2] == 0x77)
        #expect(host.command(0x201C)[2] == 0)
    }

    @Test func familiesDoNotMix() {
        let host = Host(air, .extended)
        host.prepare()
        #expect(host.status(0x203A) == 0)
        #expect(host.status(0x2006, host.advertisingParameters()) == 0x0C)
        #expect(host.status(0x2007) == 0x0C)
        #expect(host.status(0x200C, [0, 0]) == 0x0C)
        #expect(host.status(0x2005, Host.address) == 0)
        host.prepare()
        #expect(host.status(0x200C, [0, 0]) == 0)
        #expect(host.status(0x2042, [0, 0, 0, 0, 0, 0]) == 0x0C)
        #expect(host.status(0x2036, host.setParameters()) == 0x0C)
    }

    @Test func advertisingSets() {
        let host = Host(
            air,
            .make {
                $0.hasExtendedAdvertising = true
                $0.advertisingSetCount = 2
                $0.transmitPower = 4
            })
        host.prepare()
        let address = [1] + Host.address
        #expect(host.status(0x2035, address) == 0x42)
        #expect(host.status(0x2037, [1, 3, 1, 0]) == 0x42)
        #expect(host.status(0x2039, [1, 1, 1, 0, 0, 0]) == 0x42)
        #expect(host.status(0x203C, [1]) == 0x42)
        #expect(host.command(0x2036, host.setParameters(handle: 1, power: UInt8(bitPattern: -10))) == [0, 0xF6])
        #expect(host.command(0x2036, host.setParameters(handle: 1, power: 15)) == [0, 4])
        #expect(host.status(0x2036, host.setParameters(handle: 0xF0)) == 0x12)
        #expect(host.status(0x2036, host.setParameters(properties: 0)) == 0x11)
        #expect(host.status(0x2036, host.setParameters(handle: 2)) == 0)
        #expect(host.status(0x2036, host.setParameters(handle: 3)) == 0x07)
        #expect(host.status(0x2039, [1, 1, 1, 0, 0, 0]) == 0x12, "there is no random address yet")
        #expect(host.status(0x2035, address) == 0)
        #expect(host.status(0x2037, [1, 3, 1, 32] + [UInt8](repeating: 0, count: 32)) == 0x12)
        #expect(host.status(0x2037, [1, 1, 1, 1, 0]) == 0x12)
        #expect(host.status(0x2037, [1, 3, 1, 2, 0]) == 0x12)
        #expect(host.status(0x2039, [1, 2, 1, 0, 0, 0, 1, 0, 0, 0]) == 0x12)
        #expect(host.status(0x2039, [1, 0]) == 0x12)
        #expect(host.status(0x2039, [1, 1, 1, 0, 0, 0]) == 0)
        #expect(host.status(0x2036, host.setParameters(handle: 1)) == 0x0C)
        #expect(host.status(0x203C, [1]) == 0x0C)
        #expect(host.status(0x203D) == 0x0C)
        #expect(host.status(0x2035, address) == 0, "a set that is not connectable may change its address on air")
        #expect(host.status(0x2039, [0, 0]) == 0)
        #expect(host.status(0x203C, [1]) == 0)
        #expect(host.status(0x203D) == 0)
    }

    @Test func unknownCommands() {
        let host = Host(air)
        for opcode in [0x200D, 0x2043, 0x2036, 0x2042, 0x0406, 0xFC00, 0x2060] { #expect(host.status(opcode) == 0x01) }
        #expect(host.statusAnswers == 2)
        let other = Host(air, .make { $0.answersUnknownCommandsWithStatus = true })
        #expect(other.status(0xFC00) == 0x01)
        #expect(other.statusAnswers == 1)
    }

    /// What is claimed must be there, and what is there claimed.
    @Test(arguments: [false, true]) func supportedCommandsAreTheTruth(isExtended: Bool) {
        let bits: [(Int, Int, Int)] = [
            (0x0C01, 5, 6), (0x0C03, 5, 7), (0x1001, 14, 3), (0x1002, 14, 4), (0x1003, 14, 5), (0x1005, 14, 7),
            (0x1009, 15, 1), (0x2001, 25, 0), (0x2002, 25, 1), (0x2003, 25, 2), (0x2005, 25, 4), (0x2006, 25, 5),
            (0x2007, 25, 6), (0x2008, 25, 7), (0x2009, 26, 0), (0x200A, 26, 1), (0x200B, 26, 2), (0x200C, 26, 3),
            (0x200F, 26, 6), (0x2010, 26, 7), (0x2011, 27, 0), (0x2012, 27, 1), (0x2017, 27, 6), (0x2018, 27, 7),
            (0x201C, 28, 3), (0x2035, 36, 1), (0x2036, 36, 2), (0x2037, 36, 3), (0x2038, 36, 4), (0x2039, 36, 5),
            (0x203A, 36, 6), (0x203B, 36, 7), (0x203C, 37, 0), (0x203D, 37, 1), (0x2041, 37, 5), (0x2042, 37, 6),
        ]
        let host = Host(air, isExtended ? .extended : ControllerModel())
        var octets = Array(host.command(0x1002).dropFirst())
        #expect(octets.count == 64)
        for (opcode, octet, bit) in bits {
            let isKnown = host.status(opcode, [UInt8](repeating: 0, count: 99)) != 0x01
            #expect((octets[octet] & 1 << bit != 0) == isKnown, "0x\(String(opcode, radix: 16))")
            octets[octet] &= ~(1 << UInt8(bit))
        }
        #expect(octets.allSatisfy { $0 == 0 })
    }

    /// FIPS 197, appendix C.1, least significant byte first.
    @Test func encryptsAsTheStandardSays() {
        let key = (0..<16).map { UInt8($0) }
        let text = (0..<16).map { UInt8($0) * 0x11 }
        let cipher: [UInt8] = [
            0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5, 0x5A,
        ]
        #expect(Host(air).command(0x2017, key.reversed() + text.reversed()) == [0] + cipher.reversed())
    }
}
