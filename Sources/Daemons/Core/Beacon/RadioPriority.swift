// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// Puts everything else in the core off while the radio is being told something, above all while an identifier changes: that is five answers
/// of the controller, and after each of them a caller or its files would have a turn, of some milliseconds.
struct RadioPriority {
    /// So long before an identifier is due the core wakes up and the radio goes first; nothing of matching is begun then either.
    static let lead = Duration.milliseconds(20)
    /// A controller that takes longer is in trouble, and being quick does not help it.
    static let longest = Duration.milliseconds(250)

    private enum State: Equatable {
        case ordinary
        case first(since: BootInstant)
        /// It was first for as long as it may; the reason has to pass before it can be again.
        case spent
    }

    private var state = State.ordinary

    /// To be called before each wait, with when the identifier has to change and whether the controller owes an answer.
    mutating func look(rotationDue: Duration?, isUnderWay: Bool, at now: BootInstant) {
        let isNear = rotationDue.map { now.duration >= $0 - Self.lead } ?? false
        let hasReason = isNear || isUnderWay
        switch state {
        case .ordinary:
            if hasReason { state = .first(since: now) }
        case .first(let since):
            guard !hasReason || now.duration - since.duration >= Self.longest else { return }
            state = hasReason ? .spent : .ordinary
        case .spent:
            if !hasReason { state = .ordinary }
        }
    }

    /// Whether callers have to wait.
    var isFirst: Bool { if case .first = state { true } else { false } }

    /// When to look again at the latest.
    func due(rotationDue: Duration?) -> BootInstant? {
        switch state {
        case .ordinary: rotationDue.map { BootInstant($0 - Self.lead) }
        case .first(let since): since.advanced(by: Self.longest)
        case .spent: nil
        }
    }
}
