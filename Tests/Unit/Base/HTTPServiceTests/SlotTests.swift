// SPDX-License-Identifier: Apache-2.0

import Glibc
import IPNetwork
import Testing

@testable import HTTPService

/// By what connections are counted, whatever kind of socket they came by.
@Suite struct SlotTests {
    /// The other end as `accept` gives it.
    private static func storage(_ address: IPAddress) -> sockaddr_storage {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(address.version == .v4 ? AF_INET : AF_INET6)
        withUnsafeMutableBytes(of: &storage) { bytes in
            for (index, byte) in address.bytes.enumerated() { bytes[(address.version == .v4 ? 4 : 8) + index] = byte }
        }
        return storage
    }

    /// Three addresses with 24, 24 and 16 connections: who has none, or one, gets a place of the first two.
    @Test func whoHasMostGivesWay() {
        let (one, two, three, four) =
            ([10, 0, 0, 1], [10, 0, 0, 2], [10, 0, 0, 3], [10, 0, 0, 4]) as ([UInt8], [UInt8], [UInt8], [UInt8])
        let taken: [[UInt8]?] =
            Array(repeating: one, count: 24) + Array(repeating: two, count: 24) + Array(repeating: three, count: 15) + [nil]
        #expect(HTTPCrowd(taken).giving(to: four) == [one, two])
        #expect(HTTPCrowd(taken).giving(to: nil) == [one, two])
        #expect(HTTPCrowd(taken).giving(to: three) == [one, two])
        #expect(HTTPCrowd(taken).giving(to: one) == [])
        // Who is silent goes for whoever has as few, and not for whoever has more.
        #expect(HTTPCrowd(taken).mayGo(nil, for: four) && !HTTPCrowd(taken).mayGo(nil, for: three))
        #expect(HTTPCrowd(taken).mayGo(one, for: three) && HTTPCrowd([one, two]).mayGo(one, for: two))
        // Places are not passed back and forth between those who have as many.
        #expect(HTTPCrowd([one, one, two]).giving(to: two) == [])
        #expect(HTTPCrowd([one, two]).giving(to: four) == [])
        // Those of the device itself are one address here.
        #expect(HTTPCrowd(Array(repeating: nil, count: 64)).giving(to: four) == [nil])
        #expect(HTTPCrowd(Array(repeating: nil, count: 64)).giving(to: nil) == [])
    }

    @Test(
        arguments: [
            ("127.0.0.1", nil, "127.0.0.1"), ("::1", nil, "0000000000000000"), ("::ffff:127.0.0.1", nil, "127.0.0.1"),
            ("::ffff:127.9.9.9", nil, "127.9.9.9"), ("192.0.2.7", [192, 0, 2, 7], "192.0.2.7"),
            ("::ffff:192.0.2.7", [192, 0, 2, 7], "192.0.2.7"), ("::ffff:198.51.100.1", [198, 51, 100, 1], "198.51.100.1"),
            ("2001:db8:1:2::9", [0x20, 1, 0x0d, 0xb8, 0, 1, 0, 2], "20010db800010002"),
        ] as [(String, [UInt8]?, String)])
    func oneHostIsOneHost(text: String, counted: [UInt8]?, source: String) throws {
        var storage = Self.storage(try #require(IPAddress(text)))
        let peer = try #require(HTTPSlot.peer(&storage))
        #expect(HTTPSlot.address(peer) == counted)
        #expect(HTTPSlot.source(peer) == source)
    }

    @Test func whatHasNoAddressIsNotTheMachineItself() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        let peer = HTTPSlot.peer(&storage)
        #expect(peer == nil && HTTPSlot.address(peer) == [] && HTTPSlot.source(peer) == "")
    }
}
