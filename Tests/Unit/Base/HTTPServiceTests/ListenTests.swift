// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPService

/// Where a server listens.
@Suite struct ListenTests {
    private final class Handler: HTTPHandler {
        func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> { .success(0) }
        func answer(_ request: HTTPRequest) -> HTTPResponse { .text(200, "here") }
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "::1", "::"])
    func anAddressIsListenedOn(text: String) throws {
        let server = try HTTPServer(address: text, port: 0, clock: { 0 }, handler: Handler())
        #expect(server.port != 0)
    }

    /// "*" and "0" are every address for the C library, and "1.1" is 1.0.0.1: a mistake in typing must not open a port to all.
    @Test(arguments: [
        "", "*", "0", "127.1", "0x7f000001", "localhost", "127.0.0.1:80", "[::1]", " 127.0.0.1", "127.0.0.1%lo",
    ])
    func anythingElseIsRefused(text: String) {
        #expect(throws: HTTPListenError.self) {
            _ = try HTTPServer(address: text, port: 0, clock: { 0 }, handler: Handler())
        }
    }
}
