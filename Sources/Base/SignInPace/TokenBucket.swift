// SPDX-License-Identifier: Apache-2.0

/// So many at once, and one more each time a span has passed.
struct TokenBucket: Sendable {
    let most: Int
    let span: Duration
    private var spent = 0
    /// Since when the next one comes.
    private var since = Duration.zero

    init(most: Int, span: Duration) {
        self.most = most
        self.span = span
    }

    /// How many there are.
    mutating func count(at now: Duration) -> Int {
        if now < since { since = now }
        let passed = spent == 0 ? 0 : Int(min((now - since) / span, Double(most)))
        spent = max(0, spent - passed)
        since = spent == 0 ? now : since + span * passed
        return most - spent
    }

    mutating func take(at now: Duration) {
        _ = count(at: now)
        spent += 1
    }

    /// One was not needed.
    mutating func giveBack() { spent = max(0, spent - 1) }

    /// How long until there is one more.
    func next(at now: Duration) -> Duration { spent == 0 ? .zero : max(.zero, min(since, now) + span - now) }
}
