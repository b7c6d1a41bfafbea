// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
public import Verification

/// Results that a test-result server elsewhere knows, for a verification server. One thread at a time.
public final class RemoteResults: TestResultSource {
    private let client: InternalClient

    /// Results of the server that `client` reaches; connects to nothing yet. Only this object may use `client`.
    public init(_ client: InternalClient) { self.client = client }

    /// Asks for the result, by the identity as it is stored there. `now` is not used: the server has its own time. The
    /// time of the sample is `nil` when the server tells none. Blocks for up to ten seconds. Throws `partnerFailed` for
    /// no answer, for a refusal and for an answer without a code from 0 to 9.
    public func result(of test: TestIdentity, now: Int64) throws(VerificationError) -> TestResult {
        let reply = try client.post("/internal/v1/result", ["test": .string(Hex.string(test.bytes))])
        guard reply.status == 200 else { throw InternalClient.failure(reply.status) }
        guard let code = try reply.member("testResult").int,
            let result = TestResult(code: code, sampleTime: try? reply.member("sc").int)
        else { throw VerificationError(.partnerFailed, "no result") }
        return result
    }
}
