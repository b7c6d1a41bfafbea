// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import Verification

/// A verification server elsewhere that confirms the TANs of submissions. Use it on one thread at a time.
public final class RemoteTANs: TANConfirming {
    private let client: InternalClient

    /// Creates a confirmer of TANs over the server that `client` reaches; only this object may use `client`. Connects to
    /// nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// Asks the server to confirm `tan` of this type for `request` (any bytes, sent in hexadecimal), and returns
    /// the handle of the warning that is made with it; `nil` if the server sends none. `now` is ignored: the server
    /// uses its own time. Blocks for up to ten seconds.
    ///
    /// Throws `invalidTAN` when the server answers 400 or 404, and without asking for a text of more than 36 bytes;
    /// `partnerFailed` for no answer, another refusal, or an answer whose `warning` is not a handle. After these
    /// the same request may be repeated.
    public func confirm(
        _ tan: String, type: WarningType, request: [UInt8], now: Int64
    ) throws(VerificationError) -> WarningHandle? {
        // A TAN is a UUID; what is longer than one is none, and must not become a question that is too large.
        guard tan.utf8.count <= 36 else { throw VerificationError(.invalidTAN) }
        let question: JSON = [
            "tan": .string(tan), "request": .string(Hex.string(request)), "type": .string(type.rawValue),
        ]
        let reply = try client.post("/version/v1/tan/verify", question)
        switch reply.status {
        case 200:
            guard let warning = try? reply.member("warning"), warning != .null else { return nil }
            guard let handle = warning.string.flatMap(WarningHandle.init(hexadecimal:)) else {
                throw VerificationError(.partnerFailed, "an answer whose warning is no handle")
            }
            return handle
        // 400: what is no TAN at all is no valid one either.
        case 400, 404: throw VerificationError(.invalidTAN)
        case let status: throw InternalClient.failure(status)
        }
    }
}
