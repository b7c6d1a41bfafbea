// SPDX-License-Identifier: Apache-2.0

import JSON

/// The answers of a verification server, which are read strictly (specification cwa-protocols 4). Answers to fakes are
/// never read.
public enum VerificationAnswer {
    /// The content of an answer to the question for a result.
    public struct Report: Sendable, Hashable {
        /// The result, which may be pending.
        public let result: TestResult
        /// The time at which the sample was taken, in Unix seconds, 1 to 253,402,300,799; `nil` if it is absent or 0.
        /// Servers send it only for rapid tests, which is not checked.
        public let sampleCollected: Int64?
    }

    /// The most bytes of an answer that is read: 10,000, our choice, because answers have about 100.
    public static let maximumBytes = 10_000

    /// Reads the registration token, by which the test's result is asked for.
    /// - Throws: `DiagnosisPlanError.malformedAnswer` if the token is missing or not a UUID, or if the body is not a JSON
    ///   object or longer than ``maximumBytes``.
    public static func registrationToken(_ body: [UInt8]) throws(DiagnosisPlanError) -> ServerToken {
        try token("registrationToken", body)
    }

    /// Reads the TAN, which proves a positive result once.
    /// - Throws: `DiagnosisPlanError.malformedAnswer` if the TAN is missing or not a UUID, or if the body is not a JSON
    ///   object or longer than ``maximumBytes``.
    public static func tan(_ body: [UInt8]) throws(DiagnosisPlanError) -> ServerToken { try token("tan", body) }

    /// Reads the result, and the time at which the sample was taken.
    /// - Throws: ``DiagnosisPlanError/Code/unknownResult`` if the code is not 0 to 9;
    ///   ``DiagnosisPlanError/Code/malformedAnswer`` if the result is missing, the sample's time is present but not 0 to
    ///   253,402,300,799, or the body is not a JSON object or longer than ``maximumBytes``.
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
