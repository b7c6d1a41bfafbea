// SPDX-License-Identifier: Apache-2.0

import JSON

/// The answers of a verification server, strictly read (specification cwa-protocols 4). Answers to fakes are never read.
public enum VerificationAnswer {
    /// The content of the answer to a call for a result.
    public struct Report: Sendable, Hashable {
        /// The result that the server tells, pending included.
        public let result: TestResult
        /// The moment when the sample was taken, Unix seconds, 1 to 253,402,300,799; servers tell it of rapid tests only, which is not checked.
        /// `nil` if it is absent or 0.
        public let sampleCollected: Int64?
    }

    /// The longest answer that is read, in bytes; answers have about 100, so this is a choice of ours.
    public static let maximumBytes = 10_000

    /// The token by which the registered test is asked for.
    /// - Throws: `DiagnosisPlanError.malformedAnswer` if it is missing or no UUID, or the body is no JSON object or longer than ``maximumBytes``.
    public static func registrationToken(_ body: [UInt8]) throws(DiagnosisPlanError) -> ServerToken {
        try token("registrationToken", body)
    }

    /// The single-use proof of a positive result.
    /// - Throws: `DiagnosisPlanError.malformedAnswer` if it is missing or no UUID, or the body is no JSON object or longer than ``maximumBytes``.
    public static func tan(_ body: [UInt8]) throws(DiagnosisPlanError) -> ServerToken { try token("tan", body) }

    /// The result, and when the sample was taken.
    /// - Throws: ``DiagnosisPlanError/Code/unknownResult`` for a code outside 0 to 9, ``DiagnosisPlanError/Code/malformedAnswer`` if it is missing,
    ///   the sample's time is neither absent nor 0 nor in its range, or the body is no JSON object or longer than ``maximumBytes``.
    public static func report(_ body: [UInt8]) throws(DiagnosisPlanError) -> Report {
        let object = try object(body)
        guard let code = object["testResult"]?.int else {
            throw DiagnosisPlanError(.malformedAnswer, "the result is missing")
        }
        guard let result = TestResult(code: code) else { throw DiagnosisPlanError(.unknownResult) }
        switch object["sc"] {
        case nil, .null?, .int(0)?: return Report(result: result, sampleCollected: nil)
        case .int(let time)? where time > 0 && time <= 253_402_300_799:
            return Report(result: result, sampleCollected: time)
        default: throw DiagnosisPlanError(.malformedAnswer, "the sample's time is none")
        }
    }

    private static func token(_ name: String, _ body: [UInt8]) throws(DiagnosisPlanError) -> ServerToken {
        guard let text = try object(body)[name]?.string, let token = ServerToken(text) else {
            throw DiagnosisPlanError(.malformedAnswer, "\(name) is missing or no UUID")
        }
        return token
    }

    private static func object(_ body: [UInt8]) throws(DiagnosisPlanError) -> JSON.Object {
        guard body.count <= maximumBytes, let json = try? JSON(parsing: body, maximumDepth: 8), let object = json.object
        else { throw DiagnosisPlanError(.malformedAnswer, "it is no JSON object") }
        return object
    }
}
