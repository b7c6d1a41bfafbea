// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Supervisor

@Suite struct LocalNameTests {
    private func name(_ text: String) throws(LocalName.Fault) -> LocalName { try LocalName(parsing: Array(text.utf8)) }

    @Test(arguments: ["a", "vigil", "vg-7k3m-q0r1x", "0", "a--b", String(repeating: "a", count: 32)])
    func aNameIsTaken(_ text: String) throws {
        for end in ["", "\n", "\r\n"] {
            let plain = try name(text + end)
            #expect(plain.name == text && !plain.isForSetup)
            let setup = try name("\(text) setup\(end)")
            #expect(setup.name == text && setup.isForSetup)
        }
    }

    @Test(arguments: [
        ("", LocalName.Fault.empty), ("\n", .empty), (" setup", .empty), ("a\nb", .tooMuch), ("a\n\n", .tooMuch),
        (String(repeating: "a", count: 65), .tooMuch),
        (String(repeating: "a", count: 33), .long(String(repeating: "a", count: 33))),
        ("hall.local", .ending("hall.local")), ("Hall.LOCAL", .ending("Hall.LOCAL")), ("Hall", .characters("Hall")),
        ("-a", .characters("-a")), ("a-", .characters("a-")), ("a.b", .characters("a.b")), ("a_b", .characters("a_b")),
        ("a\0", .characters("a\0")), ("halle-süd", .characters("halle-süd")), ("a\tsetup", .characters("a\tsetup")),
        ("a  setup", .word(" setup")), ("a set", .word("set")), ("a setup b", .word("setup b")),
        ("a setup ", .word("setup ")),
    ])
    func whatIsNoNameIsRefusedWithItsReason(_ text: String, _ fault: LocalName.Fault) {
        #expect(throws: fault) { try name(text) }
        #expect(!fault.description.unicodeScalars.contains { $0.value < 32 })
    }

    /// Whatever bytes come, the answer is a name that DNS can carry, or a fault.
    @Test func anyBytesAreJudged() {
        var bytes: [UInt8] = []
        for first in 0...255 as ClosedRange<UInt8> {
            for second in 0...255 as ClosedRange<UInt8> {
                bytes = [first, second]
                guard let found = try? LocalName(parsing: bytes) else { continue }
                #expect(found.name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
            }
        }
    }
}
