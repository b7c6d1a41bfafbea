// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SignInPace

/// Whose wrong secrets are counted together.
enum SignInParty: Hashable {
    /// Somebody who has shown nothing, from where the page says. The page may say anything: what all strangers may try is bounded without it.
    case stranger(source: String)
    /// A browser that signed in to the role before.
    case browser(number: String)
    /// Who has signed in, and asks for something that wants the secret once more.
    case session(digest: [UInt8])

    var isKnown: Bool { if case .stranger = self { false } else { true } }
}

/// Wrong secrets of one role, by party. Forgets with the process.
struct SignInCounts {
    /// Known parties that are remembered; each has known the secret once.
    private static let mostKnown = 64

    private var strangers = StrangerPace<String>()
    private var known: [SignInParty: PartyThrottle] = [:]

    /// Seconds until the party's next try is looked at, rounded up; `nil` if it is now.
    mutating func wait(_ party: SignInParty, at now: Duration) -> Int? {
        guard case .stranger(let source) = party else { return known[party]?.wait(at: now)?.wholeSeconds }
        return strangers.wait(source, at: now)?.wholeSeconds
    }

    /// The same for a try that has begun: whether its party was wrong meanwhile.
    func waitOfItsOwn(_ party: SignInParty, at now: Duration) -> Int? {
        guard case .stranger(let source) = party else { return known[party]?.wait(at: now)?.wholeSeconds }
        return strangers.waitOfItsOwn(source, at: now)?.wholeSeconds
    }

    mutating func begin(_ party: SignInParty, at now: Duration) {
        if case .stranger(let source) = party { strangers.begin(source, at: now) }
    }

    mutating func failed(_ party: SignInParty, at now: Duration) {
        guard case .stranger(let source) = party else {
            if known[party] == nil, known.count >= Self.mostKnown {
                known = known.filter { $0.value.wait(at: now) != nil }
                if known.count >= Self.mostKnown, let any = known.keys.first { known[any] = nil }
            }
            known[party, default: PartyThrottle()].failed(at: now)
            return
        }
        strangers.failed(source, at: now)
    }

    mutating func succeeded(_ party: SignInParty) {
        if case .stranger(let source) = party { strangers.succeeded(source) } else { known[party] = nil }
    }

    mutating func withdrawn(_ party: SignInParty) {
        if case .stranger(let source) = party { strangers.withdrawn(source) }
    }
}
