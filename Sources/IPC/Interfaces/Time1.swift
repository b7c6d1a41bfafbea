// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.time1`. The interface's text explains each of them.
public enum Time1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.time1"

    /// Reply of `MakeChallenge`: a new nonce for a question to the authority.
    public struct NonceReply: Codable, Sendable {
        /// The nonce, 32 hexadecimal digits. It is valid for one answer by the same caller, for 20 minutes, until
        /// the core restarts, and as long as the caller has made at most seven later ones.
        public var challenge: String

        /// Creates the reply of the core to `MakeChallenge`. No value is checked.
        public init(challenge: String) { self.challenge = challenge }
    }

    /// Parameters of `TakeSignedTime`: the authority's answer. Refused with `AnswerRefused` if it is malformed, answers no
    /// open question, is not signed by a time key in force, or contradicts what is certain.
    public struct TakeCall: Codable, Sendable {
        /// The complete document with its signature: six lines (docs/time.md).
        public var document: String

        /// Creates the parameters of a call of `TakeSignedTime`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(document: String) { self.document = document }
    }

    /// Reply of `TakeSignedTime`: the answer was accepted.
    public struct TakeReply: Codable, Sendable {
        /// The trust in the time after the answer.
        public var state: Exposure1.TimeState
        /// A sentence in English about the state of the time, with advice.
        public var sentence: String

        /// Creates the reply of the core to `TakeSignedTime`. No value is checked.
        public init(state: Exposure1.TimeState, sentence: String) {
            self.state = state
            self.sentence = sentence
        }
    }
}
