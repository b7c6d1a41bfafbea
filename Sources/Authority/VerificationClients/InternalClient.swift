// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import HTTPClient
import JSON
public import Verification

/// A client of another server's internal routes. Each request blocks the caller for at most ten seconds, of which
/// three are for the connection: a board's request waits meanwhile. Redirects are not followed, and an answer of
/// more than 64 KiB counts as none. Not thread-safe.
public final class InternalClient {
    private let base: String
    private let authorization: String
    private let client: HTTPClient

    // A board's request waits meanwhile, for a minute at most.
    private static let limits = HTTPLimits(
        connectSeconds: 3, totalSeconds: 10, maximumBodyBytes: 65_536, maximumRedirects: 0)

    /// Creates a client for `base`: `http://` or `https://`, a host and an optional port, without a path. A slash at the
    /// end is dropped; nothing else is checked before the first request. Plain HTTP is for the loopback and for networks
    /// without other users. `secret` is sent as a bearer token of 64 hexadecimal digits. `authority` is the path of a PEM
    /// file with certificate authorities; `nil` for those of the system.
    ///
    /// Throws `partnerFailed` when that file cannot be read or libcurl cannot be started. Connects to nothing yet.
    public convenience init(
        _ base: String, secret: VerificationSecret, authority: String? = nil
    ) throws(VerificationError) {
        try self.init(base, bearer: secret.hexadecimal, authority: authority)
    }

    /// Creates a client with a bearer token as it is sent in the header, which is not checked and must be kept secret;
    /// otherwise the same as ``init(_:secret:authority:)``. Throws `partnerFailed` when the file `authority` cannot be read
    /// or libcurl cannot be started. Connects to nothing yet.
    public init(_ base: String, bearer: String, authority: String? = nil) throws(VerificationError) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        authorization = "Bearer \(bearer)"
        do throws(HTTPError) {
            client = try HTTPClient(
                HTTPConfiguration(authorityFile: authority, allowsPlainHTTP: true, userAgent: "vigil-authority"))
        } catch {
            throw VerificationError(.partnerFailed, "\(error)")
        }
    }

    /// Posts JSON; the body of a 2xx, or the status of another answer.
    func post(
        _ path: String, _ json: JSON, headers: [(name: String, value: String)] = []
    ) throws(VerificationError) -> Reply {
        let request = HTTPRequest(
            base + path, method: .post,
            headers: [("Content-Type", "application/json"), ("Authorization", authorization)] + headers, body: json.bytes,
            limits: Self.limits)
        do throws(HTTPError) {
            return Reply(status: 200, body: try client.send(request).body)
        } catch {
            guard error.code == .status, let status = error.status else {
                throw VerificationError(.partnerFailed, error.code.rawValue)
            }
            return Reply(status: status, body: [])
        }
    }

    struct Reply {
        /// 200 for any 2xx.
        let status: Int
        let body: [UInt8]

        /// A member of the answer's object.
        func member(_ name: String) throws(VerificationError) -> JSON {
            guard let object = (try? JSON(parsing: body, maximumDepth: 6))?.object, let value = object[name] else {
                throw VerificationError(.partnerFailed, "an answer without \(name)")
            }
            return value
        }
    }

    static func failure(_ status: Int) -> VerificationError { VerificationError(.partnerFailed, "status \(status)") }

    /// Requests a teleTAN. Returns its 13 characters and the seconds for which it is valid from its issue, 1 second to 366
    /// days. Blocks for up to ten seconds. Throws `teleTANRateExceeded` when the server issues no more in this hour, and
    /// `partnerFailed` for any other refusal (also of ``WarningType/remainder``), for no answer, and for an answer without
    /// a teleTAN or such a number.
    public func teleTAN(_ type: WarningType) throws(VerificationError) -> (text: String, validSeconds: Int64) {
        let reply = try post("/version/v1/tan/teletan", .empty, headers: [("X-CWA-TELETAN-TYPE", type.rawValue)])
        switch reply.status {
        case 200:
            // What is not a teleTAN must not be read out to anybody, nor end in a page.
            guard let text = try reply.member("value").string, TeleTANIssuing.isValid(text) else {
                throw VerificationError(.partnerFailed, "no teleTAN")
            }
            guard let seconds = try reply.member("validSeconds").int, (1...366 * UTCDay.seconds).contains(seconds) else {
                throw VerificationError(.partnerFailed, "a teleTAN without an end")
            }
            return (text, seconds)
        case 429: throw VerificationError(.teleTANRateExceeded)
        case let status: throw Self.failure(status)
        }
    }
}
