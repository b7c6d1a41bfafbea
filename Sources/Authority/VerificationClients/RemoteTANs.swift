// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import Verification

/// TANs that a verification server elsewhere knows, for a submission. One thread at a time.
public final class RemoteTANs: TANConfirming {
    private let client: InternalClient

    /// TANs of the server that `client` reaches; connects to nothing yet. Only this object may use `client`.
    public init(_ client: InternalClient) { self.client = client }

    /// Asks the server by TAN, type and request (any bytes; sent in hexadecimal), and gives the handle of what is
    /// warned with the TAN; `nil` when the server sends none. `now` is not used: the server has its own time. Blocks for
    /// up to ten seconds.
    ///
    /// Throws `invalidTAN` also for what is no TAN at all, without a question when it has more than 36 bytes, and
    /// `partnerFailed` for no answer, one with something that is no handle, or another refusal; the same question may be asked
    /// again. Without its handle a warning could never be taken back.
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
