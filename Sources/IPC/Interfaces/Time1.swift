// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.time1`; the interface's text says what each part means.
public enum Time1 {
    public static let name = "org.vigil.time1"

    public struct NonceReply: Codable, Sendable {
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    public struct TakeCall: Codable, Sendable {
        public var document: String

        public init(document: String) { self.document = document }
    }

    public struct TakeReply: Codable, Sendable {
        public var state: Exposure1.TimeState
        public var sentence: String

        public init(state: Exposure1.TimeState, sentence: String) {
            self.state = state
            self.sentence = sentence
        }
    }
}
