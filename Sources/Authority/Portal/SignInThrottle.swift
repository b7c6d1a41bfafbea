// SPDX-License-Identifier: Apache-2.0

import SignInPace

/// Slows down attempts to guess passwords, without a way to lock a user out (docs/decisions/0035).
///
/// Failures are counted for each user and party. A browser that the user signed in with before, which proves this
/// with a cookie, has a count of its own, or shares it with another browser of the same user; strangers have one for each
/// source address. All sources that try one name share two budgets, and those of all names share two more, because
/// each try costs the machine a fraction of a second; the source with the fewest failures comes first. Known browsers
/// come before strangers, as long as their user's share of that lasts. So a stranger who tries a name slows down himself, not
/// the user. Unknown names are treated like known ones. Nothing is kept when the process ends.
public struct SignInThrottle: Sendable {
    /// A party whose failures are counted together.
    public enum Party: Hashable, Sendable {
        /// A browser that the user has not signed in with. `source` is the request's origin as stated by the web server in
        /// front: an IPv4 address, 16 hexadecimal digits for the /64 network of an IPv6 address, or empty if nothing is
        /// stated. `user` is the normalised name that was typed; empty if it breaks the rules for names.
        case stranger(user: String, source: String)
        /// A browser that the user has signed in with before, by the number in its cookie, which other
        /// browsers of the user may have, too.
        case browser(user: String, number: Int)
    }

    /// Names, known browsers, and users' shares, that are remembered; strangers cannot fill the memory.
    static let nameLimit = 4_096

    private struct Name {
        var pace: StrangerPace<String>
        var last: Int64
    }

    private var names: [String: Name] = [:]
    private var all: StrangerPace<String>
    private var browsers: [Party: PartyThrottle] = [:]
    /// Known browsers with a try that is being looked at: one at a time, or many at once would all be judged before one of them counts.
    private var underWay: Set<Party> = []
    /// What is left of each user's share.
    private var shares: [String: TokenBucket] = [:]
    /// How many tries from a user's known browsers come before strangers' tries: so many at once, and one more after so many seconds. Our own choice:
    /// nobody signs in more often in a morning, and each try keeps all who wait at a new browser waiting for a share of a second.
    static let share = (most: 10, seconds: 20)

    /// Creates a throttle that knows of no failures, so that nobody waits.
    public init() {
        var rules = StrangerPace<String>.Rules()
        rules.freshTries = 1
        // As many sources at once as the first budget of a name is for, so that the first wrong try of each is over at once and none of them competes
        // with somebody new after it. In any hour at most 60 + 600 + 10 + 514 = 1,184.
        rules.fresh = (most: 60, seconds: 6)
        rules.rest = (most: 10, seconds: 7)
        all = StrangerPace(rules)
    }

    private static var rulesOfName: StrangerPace<String>.Rules {
        var rules = StrangerPace<String>.Rules()
        rules.mostSources = 64
        return rules
    }

    /// Returns the whole seconds to wait before a try at `now` (Unix seconds); 0 if it may be made now. A known browser
    /// waits for at most 60 seconds, or for one second while another try of its own is being checked. Each call keeps a
    /// stranger's place in the queue. When the result is 0, the caller that makes the try calls ``begin(_:now:)`` at the
    /// same moment. Cannot fail.
    public mutating func wait(_ party: Party, now: Int64) -> Int64 {
        let moment = Duration.seconds(now)
        guard case .stranger(let user, let source) = party else {
            return Int64(browsers[party]?.wait(at: moment)?.wholeSeconds ?? (underWay.contains(party) ? 1 : 0))
        }
        if let wait = names[user]?.pace.wait(source, at: moment) { return Int64(wait.wholeSeconds) }
        return Int64(all.wait(source, at: moment)?.wholeSeconds ?? 0)
    }

    /// Notes that a try is made at `now` (Unix seconds). The caller must report its outcome with ``failed(_:now:)``,
    /// ``succeeded(_:)`` or ``withdrawn(_:)``; until then a known browser waits, and a stranger's try counts as wrong. When
    /// 4,096 names are remembered, a new one replaces the name that was tried least recently. Returns whether the try comes
    /// before those that do not, which is so for known browsers while their user's share lasts. Cannot fail.
    @discardableResult
    public mutating func begin(_ party: Party, now: Int64) -> Bool {
        let (user, source): (String, String)
        switch party {
        case .browser(let known, _):
            underWay.insert(party)
            return takeShare(known, now: now)
        case .stranger(let name, let origin): (user, source) = (name, origin)
        }
        all.begin(source, at: .seconds(now))
        if names[user] == nil, names.count >= Self.nameLimit,
            let oldest = names.min(by: { $0.value.last < $1.value.last })?.key
        {
            names[oldest] = nil
        }
        names[user, default: Name(pace: StrangerPace(Self.rulesOfName), last: now)].last = now
        names[user]?.pace.begin(source, at: .seconds(now))
        return false
    }

    private mutating func takeShare(_ user: String, now: Int64) -> Bool {
        // Only names of users get here, so this is for an office of thousands.
        if shares[user] == nil, shares.count >= Self.nameLimit { shares = [:] }
        var share = shares[user] ?? TokenBucket(most: Self.share.most, span: .seconds(Self.share.seconds))
        let hasOne = share.count(at: .seconds(now)) > 0
        if hasOne { share.take(at: .seconds(now)) }
        shares[user] = share
        return hasOne
    }

    /// Notes at `now` (Unix seconds) that the password was wrong. When failures of 4,096 known browsers are remembered,
    /// those of all are forgotten before a further browser is added. Cannot fail.
    public mutating func failed(_ party: Party, now: Int64) {
        guard case .stranger(let user, let source) = party else {
            underWay.remove(party)
            if browsers[party] == nil, browsers.count >= Self.nameLimit { browsers = [:] }
            browsers[party, default: PartyThrottle()].failed(at: .seconds(now))
            return
        }
        // One office may have one address.
        all.failed(source, at: .seconds(now), isSlowed: false)
        names[user]?.pace.failed(source, at: .seconds(now))
    }

    /// Notes that the password was not compared because of an error of ours: the try does not count, and its share of the
    /// budgets is given back. Cannot fail; an unknown name is ignored.
    public mutating func withdrawn(_ party: Party) {
        guard case .stranger(let user, let source) = party else {
            underWay.remove(party)
            return
        }
        all.withdrawn(source)
        names[user]?.pace.withdrawn(source)
    }

    /// Notes that the password was right: the failures of this party under this name are forgotten, and the try's share of
    /// the budgets is given back. Failures of the same source in the budgets that all names share are kept. Cannot fail.
    public mutating func succeeded(_ party: Party) {
        guard case .stranger(let user, let source) = party else {
            underWay.remove(party)
            browsers[party] = nil
            return
        }
        all.withdrawn(source)
        names[user]?.pace.succeeded(source)
    }
}
