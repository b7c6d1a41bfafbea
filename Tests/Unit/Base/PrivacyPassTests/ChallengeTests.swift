// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PrivacyPass
import RandomValues
import TestKit
import Testing

@Suite struct ChallengeTests {
    private let context = [UInt8](repeating: 7, count: 32)

    private func challenge(
        _ issuer: String = "issuer.example", _ origins: [String] = ["a.example"]
    ) throws -> TokenChallenge {
        try TokenChallenge(issuerName: issuer, redemptionContext: context, origins: origins)
    }

    @Test func challengesComeBack() throws {
        for (context, origins): ([UInt8], [String]) in [
            (context, ["a.example"]), ([], ["a.example", "b.example:8443"]), (context, []), ([], []),
            ([], (0..<200).map { "host-\($0).example" }),
        ] {
            let challenge = try TokenChallenge(issuerName: "issuer.example:1", redemptionContext: context, origins: origins)
            #expect(try TokenChallenge(decoding: challenge.encoded) == challenge)
            #expect(challenge.digest == SHA256.digest(of: challenge.encoded))
        }
    }

    @Test func cutAndChangedChallengesAreRefusedOrOthers() throws {
        var random = SeededGenerator(seed: 9_501)
        let challenge = try challenge()
        let bytes = challenge.encoded
        for count in bytes.indices {
            #expect(refusal { _ = try TokenChallenge(decoding: Array(bytes.prefix(count))) } == .malformedChallenge)
        }
        #expect(refusal { _ = try TokenChallenge(decoding: bytes + [0]) } == .malformedChallenge)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            guard let other = try? TokenChallenge(decoding: changed) else { continue }
            #expect(other != challenge)
            #expect(other.encoded == changed)
        }
        #expect(refusal { _ = try TokenChallenge(decoding: [0, 1]) } == .unsupportedType)
        #expect(
            refusal { _ = try TokenChallenge(decoding: [0, 2] + [UInt8](repeating: 0xFF, count: 5_000)) }
                == .malformedChallenge)
    }

    @Test(arguments: [
        "", "a b", " a", "a@b", "http://a", "a/b", "a,b", "a:", ":1", "a:b", "a:65536", "a:123456", "a:1:2", "é.example",
        "a..b", ".a", "a.",
        "a?b", "a#b", "a_b", "a\0", String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "a",
    ])
    func namesThatAreNoServersAreRefused(name: String) {
        #expect(refusal { _ = try challenge(name) } == .malformedChallenge)
        #expect(refusal { _ = try challenge("a", ["b", name]) } == .malformedChallenge)
    }

    @Test func contextsHave32BytesOrNone() {
        for count in [1, 31, 33, 255] {
            let context = [UInt8](repeating: 1, count: count)
            #expect(
                refusal { _ = try TokenChallenge(issuerName: "a", redemptionContext: context, origins: []) }
                    == .malformedChallenge)
        }
        #expect(refusal { _ = try challenge("a", (0..<400).map { "host-\($0).example" }) } == .malformedChallenge)
    }
}

@Suite struct HeaderFieldTests {
    private let challenge: TokenChallenge
    private let key: TokenKey
    private let text: String

    init() throws {
        challenge = try TokenChallenge(issuerName: "issuer.example", redemptionContext: [], origins: ["a.example"])
        key = try TokenKey(BlindRSA.PublicKey(modulus: IssuerKey.first.modulus))
        text = Base64URL.paddedString(challenge.encoded)
    }

    private func challenges(_ value: String) -> [PrivateTokenScheme.Challenge] {
        PrivateTokenScheme.challenges(inWWWAuthenticate: value)
    }

    @Test func challengesComeBack() throws {
        let both = [
            PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: nil),
            PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: key),
        ]
        for value in both {
            let found = challenges(value)
            #expect(found.count == 1)
            #expect(found.first?.tokenType == 2)
            #expect(try TokenChallenge(decoding: found.first?.tokenChallenge ?? []) == challenge)
        }
        #expect(challenges(both.joined(separator: ", ")).map(\.tokenKey) == [nil, key.encoded])
    }

    @Test func otherSchemesAreLeftOut() {
        let mine = "PrivateToken challenge=\"\(text)\""
        for value in [
            mine, "Basic realm=\"x, PrivateToken\", \(mine)", "\(mine), Basic realm=\"y\"", "Bearer, \(mine)",
            "Negotiate abc==, \(mine)",
            ",, \t\(mine),,", "privateTOKEN CHALLENGE=\"\(text)\"", "PrivateToken challenge=\(text)", "\(mine), max-age=5",
            "\(mine), x = \"y\"", "PrivateToken a=b, challenge=\"\(text)\"",
        ] { #expect(challenges(value).count == 1, "\(value)") }
        for value in [
            "", "PrivateToken", "PrivateToken challenge", "PrivateToken challenge=", "PrivateToken challenge=\"\"",
            "challenge=\"\(text)\"",
            "PrivateToken challenge=\"\(text)", "PrivateToken challenge=\"\(text)\" x=y",
            "PrivateToken challenge=\"\(text)\", challenge=\"\(text)\"",
            "PrivateToken challenge=\"\(text)\", token-key=\"?\"", "PrivateToken challenge=\"\(text)\", max-age=x",
            "PrivateToken challenge=\"\(text)\", max-age=9999999999999999999", "PrivateTokens challenge=\"\(text)\"", "\"",
            "=", "a=\"\\",
            "PrivateToken challenge=\"AA==\"", "PrivateToken \u{0}", String(repeating: mine + ", ", count: 400),
        ] { #expect(challenges(value).isEmpty, "\(value.prefix(80))") }
        #expect(challenges([String](repeating: mine, count: 50).joined(separator: ", ")).count == 50)
    }

    /// Whatever is cut or changed, nothing traps, and what is read is as long as it was sent.
    @Test func damagedValues() {
        var random = SeededGenerator(seed: 9_502)
        let value = PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: key) + ", max-age=10, Basic realm=\"a\\\"b\""
        for count in 0..<value.utf8.count { #expect(challenges(String(value.prefix(count))).count <= 1) }
        for _ in 0..<2_000 {
            var bytes = Array(value.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
            }
            #expect(challenges(String(decoding: bytes, as: UTF8.self)).count <= 2)
        }
    }

    @Test func tokensComeBack() throws {
        let token = try Token(decoding: [0, 2] + (0..<352).map { UInt8($0 & 0xFF) })
        let value = PrivateTokenScheme.authorization(token)
        #expect(PrivateTokenScheme.token(inAuthorization: value) == token)
        let text = Base64URL.paddedString(token.bytes)
        for good in ["privatetoken token=\"\(text)\"", "PrivateToken  token = \"\(text)\" , other=1"] {
            #expect(PrivateTokenScheme.token(inAuthorization: good) == token)
        }
        for bad in [
            "", "Bearer \(text)", "PrivateToken \(text)", "PrivateToken token=\"\(text)\", token=\"\(text)\"",
            "\(value), \(value)",
            "PrivateToken token=\"\(text)\" token=\"\(text)\"", "PrivateToken token=\"\(text.dropLast(4))\"",
            "PrivateToken token=\"\(text)AAAA\"",
            "PrivateToken token=\"\(text)", "PrivateToken tokem=\"\(text)\"", "Basic x, \(value)",
            "PrivateToken token=\"AAEA\"",
        ] { #expect(PrivateTokenScheme.token(inAuthorization: bad) == nil, "\(bad.prefix(60))") }
    }
}

@Suite struct DirectoryTests {
    private let url = "https://issuer.example:8443/.well-known/private-token-issuer-directory?x=/y"
    private let key: TokenKey

    init() throws { key = try TokenKey(BlindRSA.PublicKey(modulus: IssuerKey.first.modulus)) }

    private func document(_ request: String = "/r", entries: String? = nil) -> [UInt8] {
        let entry = "{\"token-type\":2,\"token-key\":\"\(Base64URL.paddedString(key.encoded))\"}"
        return Array("{\"issuer-request-uri\":\"\(request)\",\"token-keys\":[\(entries ?? entry)]}".utf8)
    }

    @Test(
        arguments: [
            ("/r", "https://issuer.example:8443/r"), ("r", "https://issuer.example:8443/.well-known/r"),
            ("r/s?t=//u", "https://issuer.example:8443/.well-known/r/s?t=//u"), ("//b.example/r", "https://b.example/r"),
            ("https://b.example", "https://b.example"), ("HTTPS://b.example:1/r", "HTTPS://b.example:1/r"),
            ("", nil), ("http://b.example/r", nil), ("javascript:1", nil), ("mailto:a@b", nil), ("https://", nil),
            ("https:///r", nil),
            ("https://a@b.example/r", nil), ("https://:1/r", nil), ("//", nil), ("../r", nil), ("/a/../r", nil),
            ("./r", nil), ("/r#f", nil),
            ("/r r", nil), ("/é", nil), ("//a@b/r", nil),
        ] as [(String, String?)])
    func requestURLs(reference: String, expected: String?) {
        let found = try? IssuerDirectory(decoding: document(reference), directoryURL: url).requestURL
        #expect(found == expected, "\(reference)")
    }

    @Test func keysInTheIssuersOrder() throws {
        let text = Base64URL.paddedString(key.encoded)
        let entries = [
            "{\"token-type\":1,\"token-key\":\"AAAA\"}", "{\"token-type\":2,\"token-key\":\"AAAA\"}", "7", "{}",
            "{\"token-type\":\"2\",\"token-key\":\"\(text)\"}",
            "{\"token-type\":2,\"token-key\":\"\(text)\",\"not-before\":\"1\"}",
            "{\"token-type\":2,\"token-key\":\"\(text)\",\"not-before\":100}",
        ]
        let directory = try IssuerDirectory(decoding: document(entries: entries.joined(separator: ",")), directoryURL: url)
        #expect(directory.entries.map(\.key) == [key])
        #expect(directory.entries.map(\.notBefore) == [100])
        #expect(directory.key(at: 99) == nil)
        #expect(directory.key(at: 100) == key)
    }

    @Test func whatIsNoDirectoryIsRefused() {
        for document in [
            "", "{", "[]", "{}", "{\"issuer-request-uri\":1,\"token-keys\":[]}",
            "{\"issuer-request-uri\":\"/r\",\"token-keys\":{}}",
            "{\"issuer-request-uri\":\"/r\"}",
        ] {
            #expect(
                refusal { _ = try IssuerDirectory(decoding: Array(document.utf8), directoryURL: url) }
                    == .malformedDirectory, "\(document)")
        }
        for base in ["", "http://issuer.example/d", "issuer.example", "https://a@b/"] {
            #expect(refusal { _ = try IssuerDirectory(decoding: document(), directoryURL: base) } == .malformedDirectory)
        }
        let long = document() + [UInt8](repeating: UInt8(ascii: " "), count: 65_536)
        #expect(refusal { _ = try IssuerDirectory(decoding: long, directoryURL: url) } == .malformedDirectory)
    }
}
