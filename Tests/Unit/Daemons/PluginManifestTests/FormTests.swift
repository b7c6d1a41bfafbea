// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing

@testable import PluginManifest

/// The published patterns and the checks say the same of every text.
@Suite struct FormTests {
    private static let forms: [(String, Form, [String])] = [
        ("name", .name, ["a", "a-b", "sync", "9a", "-a", "A", ""]),
        ("version", .version, ["1", "1.2.3", "1.2.3-rc.1", "1.", ".1", "1-", "1.2.3.4.5"]),
        ("programPath", .programPath, ["bin/a", "a", "/a", "a/", "../a", "a/..", "a//b", ".a", "a/.b"]),
        ("interface", .interface, ["org.example.a1", "a.1", "a.b-1", "a.b", "a1", "a..b1", "1a.b1", "a.b1-"]),
        ("method", .method, ["A", "GetStatus", "get", "A-b", "A1"]),
        ("setting", .setting, ["a", "aB_9", "_a", "9a"]),
        ("device", .device, ["/dev/a", "/dev/a/b", "/dev/", "/dev", "/dev/.a", "/dev/a/../b", "/devx/a"]),
        ("host", .host, ["a.example", "[::1]", "[]", "1.2.3.4", "A", "a_b", "[fe80::1%1]", "xn--a"]),
        ("address", .address, ["127.0.0.1", "[::1]", "[fe80::1]", "0.0.0.0", "localhost", "::1"]),
        ("plain", .plain(1...30), ["Hello", "a\u{202E}b", "Grüße", "a\nb"]),
    ]

    @Test(arguments: forms.indices) func patternAndCheckAgree(_ index: Int) throws {
        let (name, form, seeds) = Self.forms[index]
        let pattern = try #require(form.pattern)
        let regex = try Regex(pattern)
        var dice = SeededGenerator(seed: index)
        let alphabet = Array("abz019AZ._-/:[]%+ \u{7F}\u{AD}\u{200B}\u{202E}é😀\n".unicodeScalars)
        var held = 0
        for round in 0..<1_500 {
            var text = Array((seeds[round % seeds.count]).unicodeScalars)
            for _ in 0..<(round < seeds.count ? 0 : Int.random(in: 0...4, using: &dice)) {
                let place = Int.random(in: 0...text.count, using: &dice)
                if Bool.random(using: &dice), place < text.count {
                    text.remove(at: place)
                } else {
                    text.insert(alphabet.randomElement(using: &dice) ?? "a", at: place)
                }
            }
            let string = String(String.UnicodeScalarView(text))
            let fits = form.length.contains(text.count)
            let matches = try fits && regex.matchingSemantics(.unicodeScalar).wholeMatch(in: string) != nil
            #expect(form.holds(string) == matches, "\(name): \(string.debugDescription)")
            if matches { held += 1 }
        }
        #expect(held > 100, "\(name): hardly any text was right, so the comparison says little")
    }
}
