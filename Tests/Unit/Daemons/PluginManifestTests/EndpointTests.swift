// SPDX-License-Identifier: Apache-2.0

import Glibc
import IPNetwork
import PluginManifest
import RandomValues
import Socks
import Testing

@Suite struct EndpointTests {
    private func fault(_ host: String, port: UInt16 = 443, isPrivate: Bool = false) -> String? {
        do throws(Endpoint.Fault) {
            _ = try Endpoint(host: host, port: port, isPrivate: isPrivate)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        "cdn.example", "xn--mnchen-3ya.example", "a-b.c1.example", "svc90.main.example", "8.8.8.8",
        "[2606:4700::1111]", "3com.example",
    ])
    func placesOnTheInternet(_ host: String) { #expect(fault(host) == nil) }

    @Test(arguments: [
        "", "CDN.example", "a_b.example", "-a.example", "a-.example", "a..example", "a.example.", ".example",
        "münchen.example",
        "user@a.example", "a.example:443", "http://a.example", "1.2.3", "127.1", "0x7f.1", "2130706433", "1.2.3.4.5",
        "01.2.3.4", "256.1.1.1", "a.0x7f", "::1", "[::1", "[]", "[:::1]", "[1:2:3:4:5:6:7:8:9]", "[::1]:443",
        "[fe80::1%eth0]",
        "[2001:DB8::1]", "*.example", "a b.example", String(repeating: "a", count: 64) + ".example",
        Array(repeating: "abcdefgh", count: 32).joined(separator: "."),
    ])
    func noPlaces(_ host: String) { #expect(fault(host, isPrivate: true) != nil) }

    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "255.255.255.255",
        "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[64:ff9b::a00:1]", "localhost",
        "a.localhost", "printer.local", "router",
        // Egress has always refused these; manifests took them until both went by one table (decision 41).
        "192.88.99.1", "[2002:7f00:1::]", "[2001::1]", "[2001:20::1]", "[3fff::1]", "[::ffff:8.8.8.8]",
    ])
    func ownNetworkOnlyIfSaid(_ host: String) {
        #expect(fault(host)?.contains("private") == true)
        #expect(fault(host, isPrivate: true) == nil)
    }

    /// What a manifest may have without `private: true`, egress connects to, and nothing else.
    @Test func egressJudgesAddressesAlike() throws {
        var dice = SeededGenerator(seed: 5)
        // First bytes of every special range, and of its neighbours.
        let starts: [[UInt8]] = [
            [0], [9], [10], [11], [100, 63], [100, 64], [100, 127], [100, 128], [127], [169, 253], [169, 254], [172, 15],
            [172, 16],
            [172, 31], [172, 32], [192, 0, 0], [192, 0, 1], [192, 0, 2], [192, 88, 98], [192, 88, 99], [192, 168],
            [198, 17],
            [198, 18], [198, 19], [198, 20], [198, 51, 100], [203, 0, 113], [223], [224], [239], [240], [255],
        ]
        let starts6: [[UInt8]] = [
            [0], Array(repeating: 0, count: 10) + [0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8),
            [1, 0],
            [0x20, 0], [0x20, 1, 0, 0], [0x20, 1, 0, 2, 0, 0], [0x20, 1, 0, 0x20], [0x20, 1, 2], [0x20, 1, 0x0D, 0xB7],
            [0x20, 1, 0x0D, 0xB8], [0x20, 2], [0x20, 3], [0x3F, 0xFE], [0x3F, 0xFF, 0], [0x3F, 0xFF, 0x10], [0x40],
            [0x5F, 0],
            [0xFC], [0xFD], [0xFE, 0x80], [0xFE, 0xC0], [0xFF],
        ]
        var counts = [0, 0]
        for (start, length) in starts.map({ ($0, 4) }) + starts6.map({ ($0, 16) }) {
            for _ in 0..<20 {
                let rest = (start.count..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
                let address = try #require(IPAddress(bytes: start + rest))
                let rule = try #require(AllowRule("\(address.host):443"))
                let isTaken = fault(address.host) == nil
                let isConnected = (try? rule.judge(address)) != nil
                #expect(isTaken == isConnected, "\(address)")
                counts[isTaken ? 1 : 0] += 1
            }
        }
        #expect(counts[0] > 400 && counts[1] > 200)
    }

    @Test func howEgressIsTold() throws {
        #expect(try Endpoint(host: "cdn.example", port: 443).description == "cdn.example:443")
        #expect(try Endpoint(host: "10.0.0.1", port: 80, isPrivate: true).description == "10.0.0.1:80!")
        #expect(
            try Endpoint(host: "[2606:4700:0:0:0:0:0:1]", port: 443).description == "[2606:4700::1]:443",
            "one address has one form")
        #expect(fault("cdn.example", port: 0) != nil)
    }

    /// The C library reads IPv6 alike; IPv4 too, as inet_pton takes four plain numbers only.
    @Test func addressesReadAsTheSystemReadsThem() {
        var dice = SeededGenerator(seed: 3)
        let seeds = [
            "[::1]", "[2001:db8::1]", "[1:2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]", "127.0.0.1", "[fe80::]", "[1::2:3]",
            "1.2.3.4",
        ]
        let alphabet = Array("0123456789abcdef:.".utf8)
        var valid = 0
        for round in 0..<20_000 {
            var text = Array(seeds[round % seeds.count].utf8)
            let isVersion6 = text.first == 91
            if isVersion6 { text = Array(text.dropFirst().dropLast()) }
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                let place = Int.random(in: 0...text.count, using: &dice)
                if Bool.random(using: &dice), place < text.count {
                    text.remove(at: place)
                } else {
                    text.insert(alphabet.randomElement(using: &dice) ?? 48, at: place)
                }
            }
            let string = String(decoding: text, as: UTF8.self)
            var bytes = [UInt8](repeating: 0, count: 16)
            let isRead = inet_pton(isVersion6 ? AF_INET6 : AF_INET, string, &bytes) == 1
            let address = IPAddress(host: isVersion6 ? "[\(string)]" : string)
            #expect((address != nil) == isRead, "\(string)")
            if let address, isRead {
                valid += 1
                #expect(address.bytes == Array(bytes.prefix(isVersion6 ? 16 : 4)), "\(string)")
                #expect(IPAddress(host: address.host) == address, "\(address)")
            }
        }
        #expect(valid > 2_500)
    }
}
