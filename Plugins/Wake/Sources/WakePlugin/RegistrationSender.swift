// SPDX-License-Identifier: Apache-2.0

import HTTPClient
public import WakePlan

/// Sends a registration to its server, and reports the server's answer.
public protocol RegistrationSender: Sendable {
    /// Sends a registration to `url`, as the settings have it (``WakeSettings/registrationURL``), and returns when the server has agreed.
    ///
    /// Blocks for as long as the network takes (30 s at most over HTTPS); called on a thread beside the loop, so it must be safe on any.
    /// - Throws: Any error that stands in the way; the plan tries again later, whatever the error is.
    func send(_ registration: PushRegistration, to url: String) throws
}

/// Over HTTPS, through egress.
struct HTTPRegistrationSender: RegistrationSender {
    let socks: String?

    func send(_ registration: PushRegistration, to url: String) throws {
        let configuration = HTTPConfiguration(socksProxy: socks, allowsPlainHTTP: url.hasPrefix("http://"))
        let request = HTTPRequest(
            url, method: .post, headers: [("Content-Type", "application/x-protobuf")], body: registration.encoded,
            limits: HTTPLimits(totalSeconds: 30, maximumBodyBytes: 65_536))
        _ = try HTTPClient(configuration).send(request)
    }
}
