// SPDX-License-Identifier: Apache-2.0

import Portal
import Testing

/// Who tries passwords is slowed down; nobody is locked out.
@Suite struct ThrottleTests {
    /// Whatever was tried before, by whomever, a user's own browser never waits for it, and a stranger who knows the password waits a
    /// minute at most.
    @Test func nobodyIsLockedOut() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var throttle = SignInThrottle()
            var now: Int64 = 1_000_000
            for _ in 0..<Int.random(in: 1...400, using: &generator) {
                now += Int64.random(in: 0...5, using: &generator)
                let user = ["anna", "berta", ""].randomElement(using: &generator) ?? ""
                let party = SignInThrottle.Party.stranger(user: user)
                if throttle.wait(party, now: now) == 0 { throttle.begin(party, now: now) }
            }
            #expect(throttle.wait(.browser(user: "anna", number: "1"), now: now) == 0)
            #expect((0...60).contains(throttle.wait(.stranger(user: "anna"), now: now)))
            #expect(throttle.wait(.stranger(user: "anna"), now: now + 60) == 0)
        }
    }

    @Test func guessesOfOneNameAreFew() {
        var throttle = SignInThrottle()
        let party = SignInThrottle.Party.stranger(user: "anna")
        var tries = 0
        for now in Int64(0)..<86_400 where throttle.wait(party, now: now) == 0 {
            throttle.begin(party, now: now)
            tries += 1
        }
        // Five, then pauses of 1 to 32 seconds, then one a minute.
        #expect((1_430...1_460).contains(tries))
    }

    /// All names together: what hashing costs is bounded.
    @Test func guessesOfManyNamesAreFewToo() {
        var throttle = SignInThrottle()
        var tries = 0
        for now in Int64(0)..<3_600 {
            for index in 0..<10 {
                let party = SignInThrottle.Party.stranger(user: "\(now) \(index)")
                guard throttle.wait(party, now: now) == 0 else { continue }
                throttle.begin(party, now: now)
                tries += 1
            }
        }
        #expect((1_200...1_225).contains(tries))
    }

    @Test func namesThatDoNotExistAreSlowedLikeThoseThatDo() {
        var throttle = SignInThrottle()
        for _ in 0..<8 {
            throttle.begin(.stranger(user: "anna"), now: 100)
            throttle.begin(.stranger(user: "nobody"), now: 100)
        }
        #expect(throttle.wait(.stranger(user: "anna"), now: 100) == throttle.wait(.stranger(user: "nobody"), now: 100))
        #expect(throttle.wait(.stranger(user: "anna"), now: 100) > 0)
        throttle.succeeded(.stranger(user: "anna"))
        #expect(throttle.wait(.stranger(user: "anna"), now: 130) == 0)
    }

    /// A clock that is set back must not lock anybody out for long.
    @Test func aClockSetBackLocksNobodyOut() {
        var throttle = SignInThrottle()
        for _ in 0..<30 { throttle.begin(.stranger(user: "anna"), now: 1_000_000) }
        #expect(throttle.wait(.stranger(user: "anna"), now: 5_000) <= 60)
    }
}
