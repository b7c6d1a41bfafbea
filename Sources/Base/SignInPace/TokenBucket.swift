// SPDX-License-Identifier: Apache-2.0

/// So many at once, and one more each time a span has passed. All times are on one clock, whose start does not matter.
package struct TokenBucket: Sendable {
    /// The number of tokens in a full bucket.
    package let most: Int
    /// The time after which one token is added.
    package let span: Duration
    private var spent = 0
    /// Since when the next one comes.
    private var since = Duration.zero

    /// Creates a full bucket. `most` must be at least 1 and `span` more than zero, which is not checked.
    package init(most: Int, span: Duration) {
        self.most = most
        self.span = span
    }

    /// Returns the number of tokens there are; below 0 if more were taken than there were. Cannot fail.
    package mutating func count(at now: Duration) -> Int {
        if now < since { since = now }
        let passed = spent == 0 ? 0 : Int(min((now - since) / span, Double(most)))
        spent = max(0, spent - passed)
        since = spent == 0 ? now : since + span * passed
        return most - spent
    }

    /// Takes one token, also from an empty bucket: ask ``count(at:)`` before.
    package mutating func take(at now: Duration) {
        _ = count(at: now)
        spent += 1
    }

    /// One was not needed.
    mutating func giveBack() { spent = max(0, spent - 1) }

    /// How long until there is one more.
    func next(at now: Duration) -> Duration { spent == 0 ? .zero : max(.zero, min(since, now) + span - now) }
}
