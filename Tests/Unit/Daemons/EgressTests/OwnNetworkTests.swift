// SPDX-License-Identifier: Apache-2.0

import IPNetwork
import Socks
import Testing

@testable import Egress

/// The kernel's tables of routes, as a board on a home's network has them. On real routes: `Tools/test-egress.sh`.
@Suite struct OwnNetworkTests {
    private static let version6 = """
        2a0104f8123400010000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
        00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000003 00000000 00000003     eth0
        2a0104f8999900000000000000000000 30 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000003 00000000 00000003     eth0
        20010000000000000000000000000000 20 00000000000000000000000000000000 00 00000000000000000000000000000000 00000400 00000003 00000000 00200200       lo
        26062800021fcb070000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000003 00000000 80200001       lo
        """

    /// Numbers as this machine writes them: it prints what is in memory in network order.
    private static func word(_ address: String) -> String {
        let number = UInt32(truncatingIfNeeded: IPAddress(address)?.low ?? 0).bigEndian
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static let version4 = """
        Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
        eth0\t\(word("0.0.0.0"))\t\(word("8.8.4.1"))\t0003\t0\t0\t0\t\(word("0.0.0.0"))\t0\t0\t0
        eth0\t\(word("8.8.4.0"))\t\(word("0.0.0.0"))\t0001\t0\t0\t0\t\(word("255.255.252.0"))\t0\t0\t0
        eth0\t\(word("9.9.9.0"))\t\(word("8.8.4.1"))\t0003\t0\t0\t0\t\(word("255.255.255.0"))\t0\t0\t0
        wwan0\t\(word("0.0.0.0"))\t\(word("0.0.0.0"))\t0001\t0\t0\t0\t\(word("0.0.0.0"))\t0\t0\t0
        """

    @Test(arguments: [
        ("8.8.4.20", true), ("8.8.7.255", true), ("8.8.8.8", false), ("8.8.3.255", false), ("9.9.9.9", false),
        ("2a01:4f8:1234:1::20", true), ("2a01:4f8:1234:2::20", false), ("2a01:4f8:9999::1", false), ("2001::1", false),
        ("2606:2800:21f:cb07::1", true), ("2606:2800:21f:cb07::2", false), ("2606:4700::1111", false),
    ])
    func whatIsReachedWithoutARouter(address: String, isOwn: Bool) throws {
        let network = OwnNetwork(version4: Self.version4, version6: Self.version6)
        #expect(try network.contains(#require(IPAddress(address))) == isOwn)
    }

    /// What a kernel would not write says nothing about any address, and stops nobody.
    @Test func nonsenseIsPassedOver() throws {
        var state: UInt64 = 20_261_125
        // Knuth's multiplier; the upper half is random enough.
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let address = try #require(IPAddress("93.184.215.14"))
        for text in ["", "\n\n", "x y z", "eth0\t1\t2\t3", String(repeating: "f ", count: 10)] {
            #expect(!OwnNetwork(version4: text, version6: text).contains(address))
        }
        for _ in 0..<2_000 {
            let source = next(2) == 0 ? Self.version4 : Self.version6
            var bytes = Array(source.utf8)
            for _ in 0..<8 { bytes[next(bytes.count)] = UInt8(next(128)) }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = OwnNetwork(version4: text, version6: text).contains(address)
        }
    }

    @Test func thisMachineKnowsItself() throws {
        #expect(Candidate(try #require(IPAddress("127.0.0.1"))).isThisMachine)
        #expect(!Candidate(try #require(IPAddress("240.0.0.1"))).isThisMachine)
    }
}
