// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import HTTPService
import Testing

@testable import FleetRegistry

/// EST over the handler that the service has, without a socket.
struct RegistryHTTPTests {
    private let registry: Registry
    private let handler: RegistryHTTP

    init() throws {
        let registry = try Registry()
        self.registry = registry
        handler = RegistryHTTP(registrar: registry.registrar) { Registry.now }
    }

    private func ask(
        _ operation: String, _ body: [UInt8] = [], method: String = "POST", headers: [String: String] = [:]
    ) -> (status: Int, body: [UInt8], headers: [(String, String)]) {
        let request = HTTPRequest(method: method, path: "/.well-known/est/\(operation)", headers: headers, body: body)
        let answer: HTTPResponse
        switch handler.begin(request) {
        case .success: answer = handler.answer(request)
        case .failure(let refusal): answer = refusal.response
        }
        guard case .bytes(let bytes) = answer.body else { return (Int(answer.status), [], answer.headers) }
        return (Int(answer.status), bytes, answer.headers)
    }

    private func certificate(
        _ answer: (status: Int, body: [UInt8], headers: [(String, String)])
    ) throws -> DeviceCertificate {
        try ESTAnswer(status: answer.status, body: answer.body).certificate(
            for: registry.name, key: registry.key.verificationKey, now: Registry.now)
    }

    private func body() throws -> [UInt8] { Array(ESTText.encoded(try registry.request().encoded).utf8) }

    private var authorization: [String: String] { ["authorization": registry.claim.authorization(registry.name)] }

    private func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            byte == 10 || byte == 32 || byte == 43 || byte == 47 || byte == 61
                ? "%" + Hex.string([byte]) : String(UnicodeScalar(byte))
        }.joined()
    }

    @Test func theLabelEvidenceTakesAKeyByTheCertificateAlone() throws {
        let first = try certificate(ask("simpleenroll", body(), headers: authorization))
        let shown = ["x-client-certificate": escaped(first.pem)]
        let request = try EvidenceKeyRequest(key: .generate())
        let text = Array(ESTText.encoded(request.encoded).utf8)
        #expect(ask("evidence/simpleenroll", text, headers: authorization).status == 401)
        // A request with a name is for the other operation, and that without one for this.
        #expect(try ask("evidence/simpleenroll", body(), headers: shown).status == 400)
        #expect(ask("simplereenroll", text, headers: shown).status == 400)
        #expect(ask("evidence/simplereenroll", text, headers: shown).status == 404)
        #expect(
            ask("evidence", text, headers: shown).status == 404 && ask("x/evidence", text, headers: shown).status == 404)
        let answer = ask("evidence/simpleenroll", text, headers: shown)
        #expect(throws: Never.self) {
            try ESTAnswer(status: answer.status, body: answer.body)
                .certificate(for: registry.name, key: request.key, now: Registry.now)
        }
        #expect(ask("evidence/cacerts", method: "GET").status == 200)
    }

    @Test func aBoardEnrolsAndRenews() throws {
        let first = try certificate(ask("vigil/simpleenroll", body(), headers: authorization))
        #expect(try certificate(ask("simpleenroll", body(), headers: authorization)) == first)
        let header = ["x-client-certificate": escaped(first.pem)]
        #expect(try certificate(ask("simplereenroll", body(), headers: header)) == first)
        let authorities = ask("cacerts", method: "GET")
        let bag = try #require(ESTText.decoded(authorities.body).flatMap { CertificateBag.certificates(der: $0) })
        #expect(bag == [registry.registrar.authority.encoded])
        #expect(ask("csrattrs", method: "GET").status == 204)
    }

    @Test func bodiesOfAnyFormAreRead() throws {
        let request = try registry.request().encoded
        let line = Base64.string(request)
        for body in [Array(line.utf8), Array((line + "\r\n").utf8), request] {
            _ = try certificate(ask("simpleenroll", body, headers: authorization))
        }
    }

    @Test func whoShowsNothingIsToldWhatIsAskedFor() throws {
        for header in [
            nil, "", "Basic", "Basic ====", "Bearer x", "Basic " + Base64.string(Array("vg-7k3m-q0r1x".utf8)),
            "Basic " + Base64.string(Array("vg-7k3m-q0r1x:wrong".utf8)), "Basic " + String(repeating: "A", count: 4_000),
        ] {
            let answer = ask("simpleenroll", try body(), headers: header.map { ["authorization": $0] } ?? [:])
            #expect(answer.status == 401 && answer.headers.contains { $0.0 == "WWW-Authenticate" })
        }
        for header in [nil, "", "%", "%zz", "-----BEGIN%20CERTIFICATE-----", escaped(registry.registrar.authority.pem)] {
            let answer = ask("simplereenroll", try body(), headers: header.map { ["x-client-certificate": $0] } ?? [:])
            #expect(answer.status == 401)
        }
    }

    @Test func whatIsNoRequestIsRefused() throws {
        for body in [[], Array("garbage".utf8), [0x30, 0x84], Array(Base64.string([0x30, 0]).utf8)] {
            #expect(ask("simpleenroll", body, headers: authorization).status == 400)
        }
        for path in ["", "fullcmc", "serverkeygen", "a/b/simpleenroll", "/simpleenroll", "simpleenroll/"] {
            #expect(ask(path).status == 404)
        }
        #expect(ask("simpleenroll", method: "GET").status == 405)
        #expect(ask("cacerts").status == 405)
    }

    @Test func refusalsAreToldApart() throws {
        _ = try certificate(ask("simpleenroll", body(), headers: authorization))
        let stranger = Array(ESTText.encoded(try registry.request(.generate()).encoded).utf8)
        #expect(ask("simpleenroll", stranger, headers: authorization).status == 403)
        try registry.store.retire(registry.name)
        #expect(ask("simpleenroll", try body(), headers: authorization).status == 410)
        try registry.take(Registry.claim("0000000000000009"), held: true, returning: true)
        let header = ["authorization": Registry.claim("0000000000000009").authorization(registry.name)]
        let pending = ask("simpleenroll", try body(), headers: header)
        #expect(pending.status == 202 && pending.headers.contains { $0 == ("Retry-After", "600") })
    }
}
