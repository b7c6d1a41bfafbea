// SPDX-License-Identifier: Apache-2.0

import HTTPClient
import Interfaces

/// Carries bytes to the servers, on the worker thread. The requests of one run to the issuer share a connection; each donation has a client and a
/// connection of its own, so that nothing of one server's is there when the other is spoken to. What servers get besides the body is the same from every
/// board and every time.
///
/// Writes nothing to the log: only a board whose wearer donates gets this far.
final class Courier: @unchecked Sendable {
    // One thread at a time uses it: the worker's, for one job after another; the loop's only while there is no job.
    private let configuration: HTTPConfiguration
    private var issuer: (address: WebAddress, client: HTTPClient)?
    /// The bounds of each request; only tests set shorter times.
    var limits = HTTPLimits(
        connectSeconds: 20, totalSeconds: 60, slowSeconds: 60, maximumBodyBytes: 4_096, maximumHeaderBytes: 8_192,
        maximumRedirects: 0)
    /// Ends the request under way, and all later ones.
    let cancellation = HTTPCancellation()

    /// Throws `HTTPError` if the configuration cannot be used.
    init(_ configuration: HTTPConfiguration) throws(HTTPError) {
        self.configuration = configuration
        // What cannot be used is said at the start, on every board alike.
        _ = try HTTPClient(configuration)
    }

    /// Ends the connection to the issuer, if there is one.
    func leave() { issuer = nil }

    /// Asks the issuer for a token, with the evidence in `authorization` or without. Blocks for a minute at most. Cannot fail: what goes wrong is an answer.
    func ask(_ target: String, _ body: [UInt8], authorization: String?) -> IssuerReply {
        guard let client = issuerClient(target) else { return .nothing }
        var headers = [
            (name: "Accept", value: "application/private-token-response"),
            (name: "Content-Type", value: "application/private-token-request"),
        ]
        if let authorization { headers.append(("Authorization", authorization)) }
        var request = HTTPRequest(
            target, method: .post, headers: headers, body: body, limits: limits, answerHeaders: IssuerReply.headers)
        // It says in the body why it refuses.
        request.keepsRefusals = true
        do throws(HTTPError) { return IssuerReply(try client.send(request, cancellation: cancellation)) } catch {
            leave()
            return .nothing
        }
    }

    /// Sends a donation. Blocks for a minute at most. Returns `nil` if the server was not reached, or did not say what it made of it.
    func donate(_ target: String, _ body: [UInt8], authorization: String) -> Donation1.EndDonationCall.Outcome? {
        leave()
        guard let client = try? HTTPClient(configuration) else { return nil }
        let request = HTTPRequest(
            target, method: .post,
            headers: [("Content-Type", "application/x-protobuf"), ("Authorization", authorization)], body: body,
            limits: limits)
        do throws(HTTPError) {
            return try client.send(request, cancellation: cancellation).status == 200 ? .taken : nil
        } catch { return [400, 401, 403].contains(error.status) ? .refused : nil }
    }

    /// The client of the run, while the issuer is the same.
    private func issuerClient(_ target: String) -> HTTPClient? {
        guard let address = WebAddress(target) else { return nil }
        if let issuer, issuer.address == address { return issuer.client }
        leave()
        guard let client = try? HTTPClient(configuration) else { return nil }
        issuer = (address, client)
        return client
    }
}
