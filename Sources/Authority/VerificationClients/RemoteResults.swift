// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import Verification

/// A test-result server elsewhere that a verification server asks for results. Use it on one thread at a time.
public final class RemoteResults: TestResultSource {
    private let client: InternalClient

    /// Creates a source of the results of the server that `client` reaches; only this object may use `client`. Connects to
    /// nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// Requests the result of `test`, which is sent as the identity that is stored there. `now` is ignored: the server uses
    /// its own time. The sample time is `nil` if the server states none. Blocks for up to ten seconds. Throws
    /// `partnerFailed` for no answer, for a refusal, and for an answer without a code from 0 to 9.
    public func result(of test: TestIdentity, now: Int64) throws(VerificationError) -> TestResult {
        let reply = try client.post("/internal/v1/result", ["test": .string(Hex.string(test.bytes))])
        guard reply.status == 200 else { throw InternalClient.failure(reply.status) }
        guard let code = try reply.member("testResult").int,
            let result = TestResult(code: code, sampleTime: try? reply.member("sc").int)
        else { throw VerificationError(.partnerFailed, "no result") }
        return result
    }
}
