// SPDX-License-Identifier: Apache-2.0

/// A verification server's word about a test (specification cwa-protocols 4): codes 0 to 4, and 5 to 9 for rapid tests.
public struct TestResult: Sendable, Hashable, CustomStringConvertible {
    /// The meanings of the codes, in the order of the codes.
    public enum Meaning: UInt8, Sendable, Hashable, CaseIterable {
        /// There is no result yet: the sample is with the laboratory.
        case pending = 0
        /// The virus was not found; no warning may follow.
        case negative = 1
        /// The virus was found: a warning may follow.
        case positive = 2
        /// The sample could not be judged.
        case invalid = 3
        /// The result was fetched or is too old: the server keeps it no longer.
        case redeemed = 4
    }

    /// The meaning of the code, the same for rapid tests and others.
    public let meaning: Meaning
    /// Whether the server called it a rapid test's.
    public let isRapid: Bool

    /// A result of this meaning; every meaning is possible for both kinds of tests.
    ///
    /// - Parameter isRapid: Whether the server called it a rapid test's.
    public init(_ meaning: Meaning, isRapid: Bool = false) {
        self.meaning = meaning
        self.isRapid = isRapid
    }

    /// The result of a server's code, 0 to 9; `nil` for any other.
    public init?(code: Int64) {
        guard (0...9).contains(code), let meaning = Meaning(rawValue: UInt8(code % 5)) else { return nil }
        self.init(meaning, isRapid: code >= 5)
    }

    /// The server's code: 0 to 4, and 5 to 9 for rapid tests.
    public var code: UInt8 { meaning.rawValue + (isRapid ? 5 : 0) }

    /// Whether nothing else will come, so that asking ends: always, except while pending.
    public var isFinal: Bool { meaning != .pending }

    /// Whether a warning may follow: only after a positive result.
    public var allowsWarning: Bool { meaning == .positive }

    /// The words `a test result`, and nothing of the result: logs are not the place to learn it.
    public var description: String { "a test result" }
}
