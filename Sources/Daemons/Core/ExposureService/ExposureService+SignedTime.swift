// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import Interfaces
public import TimeTrust
import Trust

/// The questions to the authority that are open. In memory only: an answer to a question of before a restart proves nothing about now.
struct OpenNonces {
    /// Of one caller. Its own before them are forgotten, and nobody else's: whoever asks without end gains nothing and holds nothing up.
    static let limit = 8
    /// As long as a round trip may take (`TrustedTime`'s limit).
    static let lifetime = Duration.seconds(20 * 60)

    /// By the names of callers: each answers its own questions.
    private var open: [String: [(nonce: [UInt8], made: BootInstant)]] = [:]

    mutating func make(
        for caller: String, _ generator: inout some RandomNumberGenerator, at now: BootInstant
    ) -> [UInt8] {
        let nonce = (0..<SignedTime.nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        open[caller, default: []].append((nonce, now))
        if open[caller, default: []].count > Self.limit { open[caller]?.removeFirst() }
        return nonce
    }

    /// When `nonce` was made, if `caller` asked for it and it is still good at `now`.
    func made(_ nonce: [UInt8], for caller: String, at now: BootInstant) -> BootInstant? {
        open[caller]?.first { $0.nonce == nonce && now.duration - $0.made.duration <= Self.lifetime }?.made
    }

    mutating func spend(_ nonce: [UInt8], of caller: String) { open[caller]?.removeAll { $0.nonce == nonce } }

    /// Of a caller that is no more.
    mutating func forget(_ caller: String) { open[caller] = nil }
}

extension ExposureService {
    /// Makes a question for the authority, 32 hexadecimal digits. The last eight questions of each caller are open, for 20
    /// minutes each; cannot fail.
    public func makeNonce(for caller: Caller, at now: BootInstant) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.string(nonces.make(for: caller.name, &generator, at: now))
    }

    /// Takes the authority's answer to a question of the same caller. The time at which it arrives here counts: a slow
    /// courier makes the answer less exact, but not wrong.
    ///
    /// - Throws: ``Refusal`` if `document` is not a signed time, answers no open question, is not signed by a time key in
    ///   force, or contradicts what is known; the clock then stays as it was.
    public func takeSignedTime(
        _ document: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Time1.TakeReply {
        let answer: SignedTime
        do throws(TrustError) { answer = try SignedTime(parsing: document) } catch {
            throw .answerRefused(
                "malformed", "This is no signed time: \(error). See whether the address is the authority's.")
        }
        guard let made = nonces.made(answer.nonce, for: caller.name, at: now) else {
            throw .answerRefused(
                "unknownNonce",
                "This answers no question that is open: ask anew and hand the answer in within 20 minutes.")
        }
        // The validity of keys is judged by what is certain; without that, as of always.
        let certain = beacon.present(at: now).earliest?.seconds
        guard answer.isSigned(by: trust, at: certain) else {
            throw .answerRefused(
                "badSignature",
                "No time key in force made this signature: see whether the keys on this device are the authority's.")
        }
        nonces.spend(answer.nonce, of: caller.name)
        let time = UnixTime(milliseconds: answer.milliseconds)
        beacon.heard(
            TrustedTime.SignedReading(
                time: time, uncertainty: .milliseconds(min(answer.uncertainty, 1 << 40)), sent: made, received: now),
            at: now)
        let present = beacon.present(at: now)
        if let contradiction = present.contradiction, contradiction.source == .signed {
            throw .answerRefused("notBelieved", contradiction.sentence)
        }
        announce(.timeChanged)
        let known = self.time(at: now)
        return Time1.TakeReply(state: known.state, sentence: known.sentence)
    }
}
