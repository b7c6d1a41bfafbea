// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
import RandomValues
import Testing
import Verification
import VerificationClients

/// What a submission believes of a verification server elsewhere.
@Suite struct RemoteTANTests {
    private final class Partner: HTTPHandler {
        let text: String
        init(_ text: String) { self.text = text }
        func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> { .success(1_000) }
        func answer(_ request: HTTPRequest) -> HTTPResponse { .text(200, text) }
    }

    private func confirm(_ answer: String) throws -> WarningHandle? {
        let server = try HTTPServer(address: "127.0.0.1", port: 0, clock: { 0 }, handler: Partner(answer))
        defer { withExtendedLifetime(server) {} }
        let client = try InternalClient("http://127.0.0.1:\(server.port)", bearer: "x")
        return try RemoteTANs(client).confirm("x", type: .test, request: [1], now: 0)
    }

    /// A warning that was accepted without its handle could never be taken back.
    @Test func aHandleThatIsNoneIsNoAnswer() throws {
        let handle = String(repeating: "0a", count: 32)
        #expect(try confirm(#"{"warning":"\#(handle)"}"#)?.hexadecimal == handle)
        for without in ["", "{}", #"{"warning":null}"#] { #expect(try confirm(without) == nil, "\(without)") }
        for bad in [#"{"warning":"0a"}"#, #"{"warning":7}"#, #"{"warning":""}"#, #"{"warning":"\#(handle)0a"}"#] {
            #expect(throws: VerificationError(.partnerFailed), "\(bad)") { try confirm(bad) }
        }
    }
}
