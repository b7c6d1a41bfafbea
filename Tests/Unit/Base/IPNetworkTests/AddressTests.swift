// SPDX-License-Identifier: Apache-2.0

import Glibc
import IPNetwork
import RandomValues
import Testing

@Suite struct AddressTests {
    /// RFC 4291, section 2.2; RFC 5952, sections 4 and 5.
    @Test(arguments: [
        ("2001:db8::1", "2001:db8::1"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:13.1.68.3", "::d01:4403"),
        ("::ffff:129.144.52.38", "::ffff:8190:3426"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("192.0.2.33", "192.0.2.33"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ])
    func isReadAndPrinted(text: String, printed: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == printed)
        #expect(IPAddress(printed) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(arguments: [
        ("::ffff:127.0.0.1", "127.0.0.1", true), ("::ffff:127.255.0.9", "127.255.0.9", true), ("::1", "::1", true),
        ("::ffff:192.0.2.7", "192.0.2.7", false), ("::ffff:126.255.255.255", "126.255.255.255", false),
        ("::fffe:7f00:1", "::fffe:7f00:1", false), ("::127.0.0.1", "::7f00:1", false),
        ("1::ffff:127.0.0.1", "1::ffff:7f00:1", false), ("127.0.0.1", "127.0.0.1", true),
    ])
    func mappedAddressesAreThoseThatTheyMapTo(text: String, unmapped: String, isLoopback: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.unmapped.description == unmapped)
        #expect(address.isLoopback == isLoopback && address.unmapped.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "1", "127.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "0x7f.0.0.1", "1.2.3.4 ", "+1.2.3.4", ":", ":::",
        "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "g::",
        "fe80::1%eth0", "[::1]", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:", ":1", "1:2:3:4:5:6:7:1.2.3.4",
        "０.0.0.0", "1.2.3.٤",
    ])
    func isNone(text: String) { #expect(IPAddress(text) == nil) }

    @Test func hostsHaveVersion6InBrackets() {
        #expect(IPAddress(host: "[2001:db8::1]")?.host == "[2001:db8::1]")
        #expect(IPAddress(host: "192.0.2.1")?.host == "192.0.2.1")
        for text in ["2001:db8::1", "[192.0.2.1]", "[::1", "::1]", "[", "[]", "[[::1]]", "", "[::1%eth0]"] {
            #expect(IPAddress(host: text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::", false),
        ("0.0.0.0", false), ("::ffff:10.0.0.1", false), ("::127.0.0.1", false),
    ])
    func isLoopback(text: String, expected: Bool) { #expect(IPAddress(text)?.isLoopback == expected) }

    /// What the C library makes of the same text, for texts close to addresses.
    @Test func agreesWithTheCLibrary() {
        var random = SeededGenerator(seed: 1)
        let pieces = [
            "0", "1", "ff", "ffff", "fe80", ":", ":", "::", ".", "127.0.0.1", "10", "255", "256", "00", "g", "12345",
        ]
        var accepted = 0
        for _ in 0..<200_000 {
            let text = (0..<Int.random(in: 1...15, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
            var bytes = [UInt8](repeating: 0, count: 16)
            let is6 = inet_pton(AF_INET6, text, &bytes) == 1
            let is4 = !is6 && inet_pton(AF_INET, text, &bytes) == 1
            let theirs = is6 ? IPAddress(bytes: bytes) : is4 ? IPAddress(bytes: bytes[..<4]) : nil
            #expect(IPAddress(text) == theirs, "\(text)")
            if theirs != nil { accepted += 1 }
        }
        #expect(accepted > 500)
    }

    @Test func printsAsTheCLibrary() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 0...0xFFFF, using: &random)
            }
            // The C library prints these two ranges with an address of version 4 in them, which RFC 5952 leaves open.
            guard groups[..<5].contains(where: { $0 != 0 }) else { continue }
            var bytes = groups.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            var text = [CChar](repeating: 0, count: 64)
            inet_ntop(AF_INET6, &bytes, &text, 64)
            let theirs = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            #expect(IPAddress(bytes: bytes)?.description == theirs)
        }
    }

    /// First and last address of each range, and its neighbours outside (IANA's registries).
    @Test(arguments: [
        ("0.0.0.0", "0.255.255.255", SpecialRange.unspecified), ("10.0.0.0", "10.255.255.255", .privateNetwork),
        ("100.64.0.0", "100.127.255.255", .carrierNetwork), ("127.0.0.0", "127.255.255.255", .loopback),
        ("169.254.0.0", "169.254.255.255", .linkLocal), ("172.16.0.0", "172.31.255.255", .privateNetwork),
        ("192.0.0.0", "192.0.0.255", .protocolAssignment), ("192.0.2.0", "192.0.2.255", .documentation),
        ("192.88.99.0", "192.88.99.255", .tunnel6to4), ("192.168.0.0", "192.168.255.255", .privateNetwork),
        ("198.18.0.0", "198.19.255.255", .benchmarking), ("198.51.100.0", "198.51.100.255", .documentation),
        ("203.0.113.0", "203.0.113.255", .documentation), ("224.0.0.0", "239.255.255.255", .multicast),
        ("240.0.0.0", "255.255.255.255", .reserved), ("::", "::", .unspecified), ("::1", "::1", .loopback),
        ("::2", "::ffff:ffff", .mappedVersion4), ("::ffff:0:0", "::ffff:ffff:ffff", .mappedVersion4),
        ("64:ff9b::", "64:ff9b::ffff:ffff", .translatedVersion4),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .translatedVersion4),
        ("100::", "100::ffff:ffff:ffff:ffff", .protocolAssignment),
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", .tunnelTeredo),
        ("2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", .benchmarking),
        ("2001:2:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .tunnel6to4),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .uniqueLocal),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .siteLocal),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
        ("4000::", "4000::1", .reserved), ("::1:0:0:0", "::1:0:0:0", .reserved),
    ])
    func liesInItsRange(first: String, last: String, range: SpecialRange) throws {
        let (first, last) = (try #require(IPAddress(first)), try #require(IPAddress(last)))
        #expect(first.specialRange == range)
        #expect(last.specialRange == range)
        guard first.version == .v4 else { return }
        if first.low > 0 { #expect(IPAddress(v4: UInt32(first.low) - 1).specialRange != range) }
        if last.low < 0xFFFF_FFFF { #expect(IPAddress(v4: UInt32(last.low) + 1).specialRange != range) }
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2000::", "2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700::1111", "3ffe::1", "3fff:1000::1",
    ])
    func isPublic(text: String) throws { #expect(try #require(IPAddress(text)).specialRange == nil) }
}
