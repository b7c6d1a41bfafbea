// SPDX-License-Identifier: Apache-2.0

import IPNetwork
import Socks
import Testing

@Suite struct RuleTests {
    private func destination(_ text: String) throws -> Destination { try #require(Destination(text)) }

    @Test(arguments: [
        ("CDN.Example.:443", "cdn.example:443"), ("xn--mnchen-3ya.example:1", "xn--mnchen-3ya.example:1"),
        ("a_b.example:65535", "a_b.example:65535"), ("localhost:80", "localhost:80"), ("10.0.0.1:8883", "10.0.0.1:8883"),
        ("[2001:DB8::1]:443", "[2001:db8::1]:443"), ("1a.2b:1", "1a.2b:1"), ("0xg:1", "0xg:1"),
    ])
    func hasOneSpelling(text: String, canonical: String) throws {
        #expect(try destination(text).description == canonical)
        #expect(try destination(canonical) == destination(text))
    }

    @Test(arguments: [
        "", ":", "cdn.example", "cdn.example:", ":443", "cdn.example:0", "cdn.example:65536", "cdn.example:+1",
        "cdn..example:1",
        ".cdn.example:1", "cdn.example..:1", "-a.example:1", "a-.example:1", "münchen.example:1", "a b:1", "127.1:80",
        "2130706433:80", "0x7f000001:80", "0X7F000001:80", "a.0x7f:80", "1.2.3.4.5:80", "1.2.3.256:80", "017.0.0.1:80",
        "::1:80", "[::1:80", "[127.0.0.1]:80", "[cdn.example]:80", "*.example:443", "http://cdn.example:80", "a/b:1",
        "0x:1",
    ])
    func isNoDestination(text: String) { #expect(Destination(text) == nil) }

    @Test func namesHaveTheirLimits() {
        let label = String(repeating: "a", count: 63)
        #expect(Host(label) != nil)
        #expect(Host(label + "a") == nil)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(Host(longest) != nil)
        #expect(Host(longest + ".") == Host(longest))
        #expect(Host(longest + "b") == nil)
    }

    @Test func onlyWhatIsListedPasses() throws {
        let list = try AllowList(parsing: "cdn.example:443,[2606:4700::1]:853,10.0.0.1:8883!,cdn.example:8443")
        #expect(list.description == "cdn.example:443,[2606:4700::1]:853,10.0.0.1:8883!,cdn.example:8443")
        #expect(try list.rule(for: destination("CDN.EXAMPLE.:443")).mayBePrivate == false)
        #expect(try list.rule(for: destination("10.0.0.1:8883")).mayBePrivate)
        for text in ["other.example:443", "a.cdn.example:443", "example:443", "cdn.example.evil:443", "10.0.0.2:8883"] {
            let refusal = #expect(throws: Refusal.self) { try list.rule(for: destination(text)) }
            #expect(refusal?.rule == .notListed)
        }
        let refusal = #expect(throws: Refusal.self) { try list.rule(for: destination("cdn.example:80")) }
        #expect(refusal?.rule == .portNotListed)
        #expect(refusal?.text(for: "sync").contains("443, 8443") == true)
        #expect(refusal?.text(for: "sync").contains("grants file") == true)
        #expect(try AllowList(parsing: "").rules == [])
    }

    @Test func whatANameMeansIsJudgedToo() throws {
        let list = try AllowList(parsing: "cdn.example:443,here.example:443!")
        let cdn = try list.rule(for: destination("cdn.example:443"))
        for text in [
            "127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fd00::1", "0.0.0.0", "169.254.169.254",
        ] {
            let address = try #require(IPAddress(text))
            let refusal = #expect(throws: Refusal.self) { try cdn.judge(address) }
            #expect(refusal?.rule == .privateAddress)
            #expect(refusal?.range == address.specialRange)
            #expect(throws: Never.self) { try list.rule(for: destination("here.example:443")).judge(address) }
        }
        #expect(throws: Never.self) { try cdn.judge(#require(IPAddress("93.184.216.34"))) }
    }

    @Test func sameDestinationTwiceIsOneRule() throws {
        let list = try AllowList(parsing: "a.example:1,A.example.:1!,a.example:1")
        #expect(list.description == "a.example:1!")
    }

    @Test func mistakesAreNamed() {
        for text in [",", "a.example:1,", "a.example", "a.example:1!!", "!"] {
            let error = #expect(throws: SocksError.self) { try AllowList(parsing: text) }
            #expect(error?.code == .malformedRule)
        }
        let many = (1...65).map { "a.example:\($0)" }.joined(separator: ",")
        #expect(#expect(throws: SocksError.self) { try AllowList(parsing: many) }?.code == .tooManyRules)
    }

    @Test func everyRefusalSaysWhatToDo() throws {
        for rule in Refusal.Rule.allCases {
            let refusal = Refusal(rule, try destination("cdn.example:443"), range: .loopback, otherPorts: [1])
            let text = refusal.text(for: "sync")
            #expect(text.contains(". "), "\(rule): what to do is missing")
            #expect(!text.hasSuffix("."))
            #expect(text.utf8.count < 300)
        }
        for range in SpecialRange.allCases { #expect(!range.explanation.isEmpty) }
    }

    @Test func credentialsStaySecret() throws {
        let credentials = try Credentials(parsing: "user:pass:word")
        #expect("\(credentials)\(String(reflecting: credentials))".contains("word") == false)
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("word") && !dumped.contains("112"))
        for text in ["", "user", "user:", ":password"] {
            #expect(#expect(throws: SocksError.self) { try Credentials(parsing: text) }?.code == .malformedCredentials)
        }
    }
}
