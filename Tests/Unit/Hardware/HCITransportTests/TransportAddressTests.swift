// SPDX-License-Identifier: Apache-2.0

import HCITransport
import RandomValues
import Testing

struct TransportAddressTests {
    @Test(arguments: [
        ("h4:unix:/run/air.sock", TransportAddress.unix(path: "/run/air.sock"), "h4:unix:/run/air.sock"),
        ("h4:unix:relative", .unix(path: "relative"), "h4:unix:relative"),
        ("h4:unix:/run/h4:unix:x@5", .unix(path: "/run/h4:unix:x@5"), "h4:unix:/run/h4:unix:x@5"),
        ("h4:serial:/dev/ttyAMA0", .serial(device: "/dev/ttyAMA0", baud: 115_200), "h4:serial:/dev/ttyAMA0@115200"),
        ("h4:serial:/dev/ttyS1@3000000", .serial(device: "/dev/ttyS1", baud: 3_000_000), "h4:serial:/dev/ttyS1@3000000"),
        ("h4:serial:/dev/odd@name@9600", .serial(device: "/dev/odd@name", baud: 9_600), "h4:serial:/dev/odd@name@9600"),
        ("hci:0", .userChannel(index: 0), "hci:0"), ("hci:hci12", .userChannel(index: 12), "hci:12"),
        ("hci:65534", .userChannel(index: 65_534), "hci:65534"), ("fd:3", .inherited(descriptor: 3), "fd:3"),
    ])
    func `Reads the four forms`(text: String, address: TransportAddress, canonical: String) throws {
        #expect(try TransportAddress(parsing: text) == address)
        #expect(address.description == canonical)
        #expect(try TransportAddress(parsing: canonical) == address)
    }

    @Test(arguments: [
        "", "hci", "hci0", "hci:", "hci:-1", "hci:+1", "hci: 1", "hci:65535", "hci:99999999999999999999", "hci:hcihci0",
        "hci:٣",
        "HCI:0", "fd:", "fd:-1", "fd:2147483648", "fd:3 ", "h4:", "h4:unix:", "h4:unix:/a\u{0}b", "h4:unix:/a\nb",
        "h4:serial:", "h4:serial:@9600", "h4:serial:/dev/ttyS0@", "h4:serial:/dev/ttyS0@0", "h4:serial:/dev/ttyS0@fast",
        "h4:serial:/dev/ttyS0@4294967296", "h4:tcp:localhost:1", "unix:/run/air.sock", "/dev/ttyS0",
    ])
    func `Refuses everything else, and names the four forms`(text: String) {
        let failure = failure { _ = try TransportAddress(parsing: text) }
        #expect(failure?.code == .malformedAddress)
        #expect(failure?.isWorthRetrying == false)
        for form in ["h4:unix:PATH", "h4:serial:DEVICE[@BAUD]", "hci:N", "fd:N"] {
            #expect(failure?.description.contains(form) == true)
        }
        #expect(failure?.description.contains("\n") == false)
    }

    @Test func `The longest path of a socket is 107 bytes, not characters`() throws {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(try TransportAddress(parsing: "h4:unix:\(longest)") == .unix(path: longest))
        #expect(throws: TransportFailure.self) { try TransportAddress(parsing: "h4:unix:\(longest)a") }
        #expect(throws: TransportFailure.self) {
            try TransportAddress(parsing: "h4:unix:" + String(repeating: "ö", count: 54))
        }
        #expect(openingFails(.unix(path: longest + "a"))?.code == .malformedAddress)
        #expect(openingFails(.unix(path: ""))?.code == .malformedAddress)
        #expect(openingFails(.serial(device: "/dev/ttyS0", baud: 0))?.code == .malformedAddress)
        #expect(openingFails(.userChannel(index: .max))?.code == .malformedAddress)
        #expect(openingFails(.inherited(descriptor: -1))?.code == .malformedAddress)
    }

    @Test func `Random text is refused or comes back unchanged in meaning`() throws {
        var random = SeededGenerator(seed: 20_261_121)
        let pieces = [
            "h4:", "unix:", "serial:", "hci:", "hci", "fd:", "@", "0", "7", "115200", "/", "/dev/tty", ":", "-", "\u{0}",
            "\u{301}",
            "é", "🦊", " ", "\r\n", "99999999999", "\u{FFFD}",
        ]
        var accepted = 0
        for round in 0..<100_000 {
            let text: String
            if round.isMultiple(of: 2) {
                text = (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                    .joined()
            } else {
                let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                text = "fd:" + String(decoding: bytes, as: UTF8.self)
            }
            guard let address = try? TransportAddress(parsing: text) else { continue }
            accepted += 1
            #expect(try TransportAddress(parsing: address.description) == address)
        }
        #expect(accepted > 100)
    }
}
