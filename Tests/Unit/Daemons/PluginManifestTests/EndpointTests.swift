// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest
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
    ])
    func ownNetworkOnlyIfSaid(_ host: String) {
        #expect(fault(host)?.contains("private") == true)
        #expect(fault(host, isPrivate: true) == nil)
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
        var dice = Dice(3)
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
            let address = IPAddress(isVersion6 ? "[\(string)]" : string)
            #expect((address != nil) == isRead, "\(string)")
            if let address, isRead {
                valid += 1
                #expect(address.bytes == Array(bytes.prefix(isVersion6 ? 16 : 4)), "\(string)")
                #expect(IPAddress(address.description) == address, "\(address)")
            }
        }
        #expect(valid > 2_500)
    }
}
