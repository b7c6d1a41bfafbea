// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing
import WebSafety

/// What keeps other sites' pages, and other names, away.
struct SafetyTests {
    private let names = HostNames(["127.0.0.1", "localhost", "[::1]", "Vigil.local"], port: 8_080, isSecure: false)

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost:8080", true), ("[::1]:8080", true), ("vigil.local:8080", true),
        ("VIGIL.LOCAL:8080", true), ("vigil.local.:8080", true), ("vigil.local", false), ("vigil.local:80", false),
        ("evil.example:8080", false), ("127.0.0.1:8080.evil.example", false), ("127.0.0.1:8080, evil.example", false),
        ("", false), (":8080", false), ("localhost:", false), ("localhost:+8080", false), ("localhost:99999", false),
        ("[::1]:8080]", false), ("[::1", false), ("user@localhost:8080", false),
    ])
    func onlyItsOwnNamesAreTaken(host: String, isTaken: Bool) { #expect(names.permit(host) == isTaken) }

    @Test func anAddressIsAddedForOneRequestOnly() {
        let more = names.adding(["192.0.2.7"])
        #expect(
            more.permit("192.0.2.7:8080") && more.permit("localhost:8080") && more.isOwn(origin: "http://192.0.2.7:8080"))
        #expect(
            !more.permit("192.0.2.8:8080") && !more.permit("192.0.2.7.evil.example:8080") && !names.permit("192.0.2.7:8080")
        )
    }

    @Test func aMissingHostIsNobodys() {
        #expect(!names.permit(nil))
        #expect(!names.permit(String(repeating: "a", count: 300)))
    }

    @Test func theStandardPortNeedNotBeNamed() {
        #expect(HostNames(["a.example"], port: 443, isSecure: true).permit("a.example"))
        #expect(HostNames(["a.example"], port: 80, isSecure: false).permit("a.example"))
        #expect(!HostNames(["a.example"], port: 80, isSecure: true).permit("a.example"))
    }

    @Test(
        arguments: [
            ("http://localhost:8080", "same-origin", true), ("http://localhost:8080", nil, true),
            (nil, "same-origin", true),
            ("null", "same-origin", true), ("null", nil, false), ("null", "cross-site", false), (nil, "cross-site", false),
            ("http://localhost:8080", "cross-site", false), ("http://localhost:8080", "same-site", false),
            ("https://localhost:8080", nil, false), ("http://localhost:8081", nil, false),
            ("http://evil.example", nil, false),
            ("http://evil.example", "same-origin", false), (nil, nil, false), ("", nil, false),
        ] as [(String?, String?, Bool)])
    func onlyOurOwnPagesMayChangeAnything(origin: String?, site: String?, isOurs: Bool) {
        #expect(RequestSource.isOurs(origin: origin, site: site, names: names, mayBeSilent: false) == isOurs)
    }

    @Test func aScriptMayBeSilentButMustNotComeFromElsewhere() {
        #expect(RequestSource.isOurs(origin: nil, site: nil, names: names, mayBeSilent: true))
        #expect(!RequestSource.isOurs(origin: "http://evil.example", site: nil, names: names, mayBeSilent: true))
    }

    @Test func aTokenIsGoodForItsCookieAndKeyOnly() throws {
        let tokens = FormTokens(key: SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
        let token = try tokens.token(for: "abc")
        #expect(token.utf8.count == 64)
        #expect(try tokens.fits(token, cookie: "abc"))
        #expect(try !tokens.fits(token, cookie: "abd"))
        #expect(try !tokens.fits(nil, cookie: "abc"))
        #expect(try !tokens.fits("", cookie: "abc"))
        let others = FormTokens(key: SecretBytes(copying: [UInt8](repeating: 2, count: 32)))
        #expect(try !others.fits(token, cookie: "abc"))
    }

    @Test func cookiesAreBoundToTheHostAndOneOfTwoIsNone() {
        let (name, value) = Cookies.header("vigil-session", "ab", isSecure: true, seconds: 0)
        #expect(name == "Set-Cookie")
        #expect(value == "__Host-vigil-session=ab; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0")
        #expect(Cookies.value("a", in: "b=1; a=2") == "2")
        #expect(Cookies.value("a", in: "a=1; a=2") == nil)
        #expect(Cookies.value("a", in: "xa=1") == nil)
        #expect(Cookies.value("a", in: nil) == nil)
    }

    @Test func everyAnswerForbidsWhatIsNotOurs() throws {
        let policy = try #require(SafetyHeaders.all(scripts: true).first { $0.0 == "Content-Security-Policy" }).1
        for rule in [
            "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
        ] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        #expect(!SafetyHeaders.all(scripts: false)[0].1.contains("script-src"))
    }
}
