// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import Testing
import VenueNotices

@Suite struct PosterTests {
    private let signer: P256.SigningKey
    private let keys: [VenuePoster.Key]

    init() throws {
        signer = try P256.SigningKey.generate()
        keys = [
            VenuePoster.Key(id: "2", key: try P256.SigningKey.generate().verificationKey),
            VenuePoster.Key(id: "3", key: signer.verificationKey),
        ]
    }

    private func token(
        header: String = #"{"alg":"ES256","typ":"JWT","kid":"3"}"#,
        content: String = #"{"id":"4WT59M5Y","opn":"Cafe","pc":"CM1"}"#,
        by key: P256.SigningKey? = nil
    ) throws -> String {
        let signed = Base64URL.string(Array(header.utf8)) + "." + Base64URL.string(Array(content.utf8))
        let signature = try #require(P256.RawSignature.raw(try (key ?? signer).sign(SHA256.digest(of: Array(signed.utf8)))))
        return signed + "." + Base64URL.string(signature)
    }

    private func refusal(_ text: String) -> VenueNoticesError.Code? {
        do throws(VenueNoticesError) {
            _ = try VenuePoster(text, keys: keys)
            return nil
        } catch { return error.code }
    }

    @Test func aPosterIsRead() throws {
        let poster = try VenuePoster(" UKC19TRACING:1:\(try token())\n", keys: keys)
        #expect(poster.id == "4WT59M5Y" && poster.name == "Cafe" && poster.postcode == "CM1" && poster.version == 1)
        #expect(try VenuePoster("UKC19TRACING:27:\(token(content: #"{"id":"x","opn":""}"#))", keys: keys).postcode == nil)
        #expect(!"\(poster)".contains("Cafe") && !String(reflecting: poster).contains("Cafe"))
    }

    @Test func formsThatAreNone() throws {
        let token = try token()
        let table: [(String, VenueNoticesError.Code)] = [
            ("", .notAPoster), ("UKC19TRACING:1", .notAPoster), ("UKC19TRACING:" + token, .notAPoster),
            ("UKC19TRACING:1:2:" + token, .notAPoster), ("ukc19tracing:1:" + token, .notAPoster),
            ("DEC19TRACING:1:" + token, .notAPoster),
            ("x UKC19TRACING:1:" + token, .notAPoster), ("UKC19TRACING::" + token, .unsupportedVersion),
            ("UKC19TRACING:0:" + token, .unsupportedVersion), ("UKC19TRACING:-1:" + token, .unsupportedVersion),
            ("UKC19TRACING:+1:" + token, .unsupportedVersion), ("UKC19TRACING:1.0:" + token, .unsupportedVersion),
            ("UKC19TRACING: 1:" + token, .unsupportedVersion), ("UKC19TRACING:99999999999:" + token, .unsupportedVersion),
            ("UKC19TRACING:1:", .malformedToken), ("UKC19TRACING:1:a.b", .malformedToken),
            ("UKC19TRACING:1:$§fg§", .malformedToken),
            ("UKC19TRACING:1:" + token + ".x", .malformedToken), ("UKC19TRACING:1:..", .malformedToken),
            (String(repeating: "a", count: 4_097), .codeTooLong),
        ]
        for (text, code) in table { #expect(refusal(text) == code, "\(text.prefix(40))") }
    }

    @Test func tokensThatAreNone() throws {
        func refusal(_ header: String) throws -> VenueNoticesError.Code? {
            self.refusal("UKC19TRACING:1:" + (try token(header: header)))
        }
        let table: [(String, VenueNoticesError.Code?)] = [
            (#"{"alg":"ES256","kid":"3"}"#, nil), (#"{"alg":"none","kid":"3"}"#, .unsupportedAlgorithm),
            (#"{"alg":"HS256","kid":"3"}"#, .unsupportedAlgorithm), (#"{"alg":"es256","kid":"3"}"#, .unsupportedAlgorithm),
            (#"{"kid":"3"}"#, .unsupportedAlgorithm), (#"{"alg":"ES256","kid":"3","crit":["x"]}"#, .unsupportedAlgorithm),
            (#"{"alg":"ES256","kid":"4"}"#, .unknownKey), (#"{"alg":"ES256"}"#, .unknownKey),
            (#"{"alg":"ES256","kid":3}"#, .unknownKey),
            // A key that is known, but did not sign this.
            (#"{"alg":"ES256","kid":"2"}"#, .wrongSignature), (#"[]"#, .malformedToken),
            (#"{"alg":"ES256","alg":"ES256","kid":"3"}"#, .malformedToken),
            (#"{"a":[[[[[1]]]]]}"#, .malformedToken),
        ]
        for (header, code) in table { #expect(try refusal(header) == code, "\(header)") }
        // A key in the header is never looked at.
        let own = try P256.SigningKey.generate()
        let header = #"{"alg":"ES256","kid":"3","jwk":{"kty":"EC"}}"#
        #expect(self.refusal("UKC19TRACING:1:" + (try token(header: header, by: own))) == .wrongSignature)
    }

    @Test func everyChangedCharacterIsNoticed() throws {
        let text = Array("UKC19TRACING:1:\(try token())".utf8)
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:".utf8)
        for index in text.indices where index != 13 {
            var changed = text
            changed[index] = digits[(index * 7) % digits.count]
            guard changed != text else { continue }
            #expect(refusal(String(decoding: changed, as: UTF8.self)) != nil, "\(index)")
        }
    }

    @Test func signedNonsense() throws {
        for content in [
            "{}", "[]", #"{"id":"","opn":"x"}"#, #"{"id":"a b","opn":"x"}"#, #"{"id":5,"opn":"x"}"#, #"{"id":"x"}"#,
            #"{"id":"x","opn":5}"#,
            #"{"id":"x","opn":"x","pc":5}"#, "{\"id\":\"\(String(repeating: "x", count: 65))\",\"opn\":\"x\"}",
            "{\"id\":\"x\",\"opn\":\"\(String(repeating: "x", count: 401))\"}", #"{"id":"é","opn":"x"}"#,
        ] {
            #expect(refusal("UKC19TRACING:1:" + (try token(content: content))) == .malformedVenue, "\(content.prefix(30))")
        }
    }
}
