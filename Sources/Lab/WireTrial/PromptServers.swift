// SPDX-License-Identifier: Apache-2.0

import HTTPService
import KeyExport
import Verification

/// The authority's servers without the 100 ms before which no answer may leave: a fault on purpose, whose effect on the
/// wire must be noticed.
package final class PromptServers {
    private let servers: [HTTPServer]
    /// The TCP port on 127.0.0.1 of the server that registers and confirms tests.
    package let verificationPort: UInt16
    /// The TCP port on 127.0.0.1 of the server that takes keys, which it discards.
    package let submissionPort: UInt16

    /// Takes keys and forgets them.
    private final class Nobody: KeyTaking {
        func take(
            _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
        ) throws(VerificationError) -> TakenSubmission { TakenSubmission(keys: accepted.keys.count) }
    }

    /// Starts both servers, which serve until the object is released. `tests` is the path of the authority's folder of
    /// tests. Throws when a store cannot be opened or no port is free.
    package init(tests: String) throws {
        let clock = VerificationService.machineTime
        let verification = try HTTPServer(
            address: "127.0.0.1", port: 0, clock: clock,
            handler: VerificationHTTP(server: try Self.open(tests), now: clock, slotMilliseconds: 0))
        let submission = try HTTPServer(
            address: "127.0.0.1", port: 0, clock: clock,
            handler: SubmissionHTTP(
                server: SubmissionServer(rules: SubmissionRules(), tans: try Self.open(tests), taker: Nobody()), now: clock,
                slotMilliseconds: 0))
        servers = [verification, submission]
        verificationPort = verification.port
        submissionPort = submission.port
    }

    private static func open(_ folder: String) throws -> VerificationServer {
        VerificationServer(
            store: try SQLiteVerificationStore(path: "\(folder)/verification.db"),
            results: try TestResultServer(path: "\(folder)/results.db"),
            secret: try VerificationSecret.load(path: "\(folder)/verification-secret"), rules: VerificationRules())
    }
}
