// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import IPNetwork
import Socks

/// The way to the first of several addresses that answers: one after the other, the next one beside those that keep silent
/// (in the spirit of RFC 8305).
struct Dial {
    struct Attempt {
        let descriptor: Int32
        let watch: EventLoop.Watch
    }

    let destination: Destination
    /// What judges every address.
    let rule: AllowRule
    private(set) var waiting: ArraySlice<Candidate>
    var attempts: [Attempt] = []
    /// When the next address has its turn though the others have not failed.
    var next: Duration
    /// Why the last address did not do; the operator's rule rather than the network's trouble.
    private(set) var failure: Refusal

    init(_ candidates: [Candidate], to destination: Destination, under rule: AllowRule, at now: Duration) {
        self.destination = destination
        self.rule = rule
        waiting = Self.alternating(candidates)[...]
        next = now
        failure = Refusal(.nameNotFound, destination)
    }

    /// The next address that may be tried.
    mutating func takeNext() -> Candidate? {
        while let candidate = waiting.popFirst() {
            do throws(Refusal) {
                try rule.judge(candidate.address)
                // As the machine's network is now: it may have changed since the name was looked up.
                if !rule.mayBePrivate, OwnNetwork.current().contains(candidate.address) || candidate.isThisMachine {
                    throw Refusal(.privateAddress, destination, range: .ownNetwork)
                }
                return candidate
            } catch {
                note(error)
            }
        }
        return nil
    }

    mutating func note(_ refusal: Refusal) {
        guard failure.rule != .privateAddress else { return }
        failure = refusal
    }

    /// The families in turn, beginning with the one the resolver put first (RFC 8305, section 4).
    static func alternating(_ candidates: [Candidate]) -> [Candidate] {
        guard let first = candidates.first?.address.version else { return [] }
        var preferred = candidates.filter { $0.address.version == first }[...]
        var other = candidates.filter { $0.address.version != first }[...]
        var result: [Candidate] = []
        while let candidate = preferred.popFirst() {
            result.append(candidate)
            if let candidate = other.popFirst() { result.append(candidate) }
        }
        return result + other
    }
}
