// SPDX-License-Identifier: Apache-2.0

/// How much of its owner's time a server gives to each edge: a caller that never stops asking gets a share, and the processor rests
/// meanwhile, which is what a battery feels. (Four hostile plugins kept a core busy for 96 % of the time without it.)
///
/// A debt grows with the time spent and melts with the time that passes. Times are of the owner's clock.
struct EdgePace {
    /// Of one processor, in the long run. More than a busy web page takes, which is the greediest of honest callers.
    static let share = 0.25
    /// For all edges together that are in debt: who comes in a crowd gets no more than who comes alone.
    static let commonShare = 0.3
    /// Debt at which an edge rests, and to which it rests: long enough that resting is worth a wake-up.
    static let burst = Duration.milliseconds(100)
    static let rested = Duration.milliseconds(50)

    private struct Debt {
        var amount: Duration
        var at: Duration
        var restsUntil: Duration?
    }

    private var debts: [String: Debt] = [:]

    /// Until when `edge` is not served; `nil` when it may be.
    func rest(of edge: String, at now: Duration) -> Duration? {
        guard let until = debts[edge]?.restsUntil, until > now else { return nil }
        return until
    }

    /// `edge` took that much of the owner's time.
    mutating func charge(_ edge: String, _ spent: Duration, at now: Duration) {
        var debt = debts[edge] ?? Debt(amount: .zero, at: now)
        // Whoever rests counts: it would like more.
        let crowd = debts.count { $0.key != edge && ($0.value.restsUntil ?? .zero) > now } + 1
        let share = min(Self.share, Self.commonShare / Double(crowd))
        debt.amount = max(.zero, debt.amount - (now - debt.at) * share) + max(.zero, spent)
        debt.at = now
        debt.restsUntil = debt.amount > Self.burst ? now + (debt.amount - Self.rested) / share : nil
        debts[edge] = debt
    }

    mutating func forget(_ edge: String) { debts[edge] = nil }
}
