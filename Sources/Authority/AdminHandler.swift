// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import Varlink

/// Takes keys from programs on this machine: `POST /admin/keys` with the state folder's token.
final class AdminHandler: HTTPHandler {
    private let authority: HealthAuthority
    private let token: SecretBytes
    private let clock: AuthorityClock

    /// `authority` is this handler's own.
    init(authority: HealthAuthority, clock: AuthorityClock) throws(AuthorityError) {
        self.authority = authority
        token = try authority.folder.token()
        self.clock = clock
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == "/admin/keys" else {
            return .failure(HTTPRefusal(response: .text(404, "keys are handed in at /admin/keys")))
        }
        guard request.method == "POST" else {
            var refusal = HTTPResponse.text(405, "keys are handed in with POST")
            refusal.headers.append(("Allow", "POST"))
            return .failure(HTTPRefusal(response: refusal))
        }
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix),
            SecretBytes(copying: Array(header.utf8.dropFirst(prefix.utf8.count))) == token
        else {
            var refusal = HTTPResponse.text(401, "the token of the state folder is missing or wrong")
            refusal.headers.append(("WWW-Authenticate", "Bearer"))
            return .failure(HTTPRefusal(response: refusal))
        }
        return .success(KeySubmission.maximumBytes)
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do throws(AuthorityError) {
            let report = try authority.accept(
                try KeySubmission.keys(in: request.body), source: "call", now: clock.seconds())
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: .bytes(report.json.bytes))
        } catch {
            let status: UInt32 =
                switch error.code {
                case .unreadableSubmission, .unknownRegion: 400
                case .submissionTooLarge: 413
                default: 503
                }
            return .text(status, "\(error)")
        }
    }
}

extension AcceptanceReport {
    /// `{"accepted", "known", "refused": {rule: count}}`.
    public var json: JSON {
        var refused = JSON.Object()
        for flaw in SubmittedKey.Flaw.allCases { refused[flaw.rawValue] = self.refused[flaw].map { .int(Int64($0)) } }
        return ["accepted": .int(Int64(accepted)), "known": .int(Int64(known)), "refused": .object(refused)]
    }
}
