// SPDX-License-Identifier: Apache-2.0

import CivilTime
import JSON

/// The question that NHS COVID-19's clients ask before they tell somebody about a risk, because the operators can
/// stop warnings for everybody (specification rules-and-nhs 4; covid-19-app-android `ExposureCircuitBreaker`).
public enum NHSCircuitBreaker {
    /// The path of the question about an encounter (covid-19-app-android).
    public static let requestPath = "/circuit-breaker/exposure-notification/request"
    /// The path of the question about a visited place (covid-19-app-android).
    public static let venuePath = "/circuit-breaker/venue/request"
    static let tokenLength = 50
    /// Longer answers are refused; real ones have some hundred bytes.
    static let maximumBytes = 10_000

    /// The answer to a call; `failure` stands for every answer that cannot be used.
    public enum Answer: String, Sendable, Hashable { case yes, no, pending, failure }

    /// The call that comes next. Raw values are those of the test vectors.
    public enum NextCall: String, Sendable, Hashable {
        /// Ask from the beginning, because the server has given no token.
        case request = "POST request"
        /// Ask again with the token of the question.
        case resolution = "GET resolution/{token}"
    }

    /// The actions that follow an answer.
    public struct Step: Sendable, Hashable {
        /// Whether the person is warned now: only after the answer `yes`.
        public let warns: Bool
        /// Whether the question is kept for another call: after `pending` and `failure`, not after `yes` and `no`.
        public let keeps: Bool
        /// Whether the answer's token is kept for the next call: after `pending` to the first call.
        public let storesToken: Bool
        /// The call that comes next; `nil` if none does.
        public let next: NextCall?

        /// Creates the step that follows an answer. Cannot fail.
        ///
        /// - Parameter isFirst: Whether it is the answer to the first call; otherwise to a call with a token.
        public init(_ answer: Answer, isFirst: Bool) {
            warns = answer == .yes
            keeps = answer == .pending || answer == .failure
            storesToken = answer == .pending && isFirst
            next =
                switch answer {
                case .yes, .no: nil
                case .pending: .resolution
                case .failure: isFirst ? .request : .resolution
                }
        }
    }

    /// Returns the body of the question about an encounter, as JSON. Nothing is checked; a `now` before `dayStart`
    /// results in 0 days.
    ///
    /// - Parameters:
    ///   - keys: The number of diagnosis keys that matched.
    ///   - dayStart: The start of the day of the encounter, in Unix seconds (UTC). The question states the number of
    ///     whole 24-hour days since then.
    ///   - score: The highest risk score, without unit; a number that is not finite is written as `null`.
    ///   - version: The number of the method that computed the score; 2 in the app.
    ///   - now: The present time, in Unix seconds.
    public static func body(
        keys: Int64, dayStart: Int64, score: Double, version: Int64 = 2, at now: Int64
    ) -> [UInt8] {
        JSON.object([
            "matchedKeyCount": .int(keys), "daysSinceLastExposure": .int(max(0, now - dayStart) / UTCDay.seconds),
            "maximumRiskScore": .double(score), "riskCalculationVersion": .int(version),
        ]).bytes
    }

    /// The body of the question about a venue. The server accepts any body (spec rules-and-nhs 4), so it is not told
    /// which venue the question is about.
    public static let venueBody: [UInt8] = Array("{}".utf8)

    /// Reads the body of an answer, which may be anything. Returns the answer, and the token under either of its
    /// two names. The answer is `failure` when the body cannot be read or has more than 10,000 bytes (this
    /// project's own limit); the token is `nil` unless it has 50 letters and digits.
    public static func read(_ body: [UInt8]) -> (answer: Answer, token: String?) {
        guard body.count <= maximumBytes, let json = try? JSON(parsing: body, maximumDepth: 4),
            let answer = json["approval"]?.string.flatMap({ Answer(rawValue: $0) }), answer != .failure
        else { return (.failure, nil) }
        let token = json["approvalToken"]?.string ?? json["approval_token"]?.string
        return (answer, token.flatMap { isToken($0) ? $0 : nil })
    }

    /// Returns the path of a call with a token, for a venue or an encounter; `nil` unless `token` has 50 letters and
    /// digits.
    public static func resolutionPath(_ token: String, isVenue: Bool = false) -> String? {
        guard isToken(token) else { return nil }
        return "/circuit-breaker/\(isVenue ? "venue" : "exposure-notification")/resolution/\(token)"
    }

    /// Returns the token, 50 letters and digits, of a path from ``resolutionPath(_:isVenue:)``, for servers; `nil`
    /// for another path. The third part of the path may be any word.
    public static func token(inPath path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "circuit-breaker", !parts[2].isEmpty,
            parts[3] == "resolution",
            isToken(parts[4])
        else { return nil }
        return parts[4]
    }

    private static func isToken(_ text: String) -> Bool {
        text.utf8.count == tokenLength
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    }
}
