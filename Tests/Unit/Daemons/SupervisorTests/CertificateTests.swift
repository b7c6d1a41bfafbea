// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Supervisor

/// What a plugin says of its certificates is a stranger's word.
@Suite struct CertificateTests {
    @Test func onlyWhatMakesSenseIsTaken() {
        var certificates = SaidCertificates()
        func take(_ name: String?, _ from: String?, _ until: String?) -> Bool {
            var values: [String: String] = [:]
            values["name"] = name
            values["from"] = from
            values["until"] = until
            return certificates.take(values)
        }
        #expect(take("client", "1", "2") && certificates.spans == ["client": 1...2])
        #expect(take("client", "-5", "9") && certificates.spans == ["client": -5...9])
        let strange: [(String?, String?, String?)] = [
            (nil, "1", "2"), ("", "1", "2"), ("a b", "1", "2"), ("../x", "1", "2"), ("Client", "1", "2"),
            ("\u{1B}[2J", "1", "2"),
            (String(repeating: "a", count: 25), "1", "2"), ("a", "2", "1"), ("a", "1", nil), ("a", nil, "1"),
            ("a", "x", "1"),
            ("a", "1", "9223372036854775807"), ("a", "-9223372036854775808", "1"), ("a", "1", "99999999999999999999"),
        ]
        for (name, from, until) in strange { #expect(!take(name, from, until), "\(name ?? "none")") }
        #expect(certificates.spans == ["client": -5...9])
        for letter in "abcdefg" { #expect(take(String(letter), "1", "2")) }
        #expect(!take("h", "1", "2") && take("client", "1", "2"))
        // None of that name any more.
        #expect(take("a", nil, nil) && take("h", "1", "2") && certificates.spans.count == SaidCertificates.most)
    }
}
