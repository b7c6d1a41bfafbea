// SPDX-License-Identifier: Apache-2.0

/// A notice that is held until the operators agree that the wearer is told (``NHSCircuitBreaker``). It is a value, to
/// be stored after every step.
public struct HeldNotice: Sendable, Hashable {
    /// The next action for the notice after an answer of the server.
    public enum Outcome: Sendable, Hashable {
        /// Tell the wearer now.
        case tell
        /// Drop the notice: the operators do not want it to be shown.
        case drop
        /// Ask again with the next sync.
        case wait
    }

    /// The number of the visit in the wearer's diary (``PosterVisit/number``).
    public let visit: Int
    /// The advice to give to the wearer when the operators agree.
    public let advice: RiskyVenue.Advice
    /// The server's token for the question, 50 letters and digits; `nil` until the server has given one.
    public private(set) var token: String?

    /// Creates a notice about a visit, new (`token` is `nil`) or as stored. A `token` that the server cannot have
    /// given is dropped, and the question is asked again from the beginning.
    public init(visit: Int, advice: RiskyVenue.Advice, token: String? = nil) {
        self.visit = visit
        self.advice = advice
        self.token = token.flatMap { NHSCircuitBreaker.resolutionPath($0, isVenue: true) == nil ? nil : $0 }
    }

    /// The next call: `POST` with ``NHSCircuitBreaker/venueBody`` while there is no token, then `GET` without a
    /// body. `path` begins with a slash.
    public var call: (method: String, path: String) {
        if let path = token.flatMap({ NHSCircuitBreaker.resolutionPath($0, isVenue: true) }) { return ("GET", path) }
        return ("POST", NHSCircuitBreaker.venuePath)
    }

    /// Takes the body of the answer to ``call``, `nil` for a call that failed, and returns what to do. Keeps the
    /// token of a first answer. An answer that cannot be used results in another call, so that no notice is lost.
    public mutating func take(_ body: [UInt8]?) -> Outcome {
        let (answer, newToken) = body.map(NHSCircuitBreaker.read) ?? (.failure, nil)
        let step = NHSCircuitBreaker.Step(answer, isFirst: token == nil)
        if step.storesToken { token = newToken }
        return step.warns ? .tell : step.keeps ? .wait : .drop
    }
}
