// SPDX-License-Identifier: Apache-2.0

/// A notice that waits for the operators' word before the wearer is told (``NHSCircuitBreaker``). A value to be stored after every step.
public struct HeldNotice: Sendable, Hashable {
    /// The consequence of an answer of the server for this notice.
    public enum Outcome: Sendable, Hashable {
        /// The wearer is told now.
        case tell
        /// The operators hold such notices back: nobody is told.
        case drop
        /// Ask again with the next sync.
        case wait
    }

    /// The number that the wearer's diary gives the visit (``PosterVisit/number``).
    public let visit: Int
    /// The advice that the wearer is given once the operators agree.
    public let advice: RiskyVenue.Advice
    /// The token that the server knows the question by, 50 letters and digits; `nil` until the server gave one.
    public private(set) var token: String?

    /// A notice about a visit, as new (`token` is `nil`) or as stored. A `token` that cannot be one of the server's is dropped: the question is
    /// asked anew.
    public init(visit: Int, advice: RiskyVenue.Advice, token: String? = nil) {
        self.visit = visit
        self.advice = advice
        self.token = token.flatMap { NHSCircuitBreaker.resolutionPath($0, isVenue: true) == nil ? nil : $0 }
    }

    /// The next call: `POST` with ``NHSCircuitBreaker/venueBody`` while there is no token, then `GET` without a body. `path` begins with a slash.
    public var call: (method: String, path: String) {
        if let path = token.flatMap({ NHSCircuitBreaker.resolutionPath($0, isVenue: true) }) { return ("GET", path) }
        return ("POST", NHSCircuitBreaker.venuePath)
    }

    /// Takes the body of the answer to ``call``; `nil` for a call that failed. Keeps the token of a first answer. An answer that cannot be used is
    /// asked for again: silence must not lose a notice.
    public mutating func take(_ body: [UInt8]?) -> Outcome {
        let (answer, newToken) = body.map(NHSCircuitBreaker.read) ?? (.failure, nil)
        let step = NHSCircuitBreaker.Step(answer, isFirst: token == nil)
        if step.storesToken { token = newToken }
        return step.warns ? .tell : step.keeps ? .wait : .drop
    }
}
