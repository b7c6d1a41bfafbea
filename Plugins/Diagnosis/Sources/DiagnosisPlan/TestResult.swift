// SPDX-License-Identifier: Apache-2.0

/// A test's result as a verification server reports it (specification cwa-protocols 4): codes 0 to 4, and 5 to 9 for rapid
/// tests.
public struct TestResult: Sendable, Hashable, CustomStringConvertible {
    /// The meanings of the codes, in the order of the codes.
    public enum Meaning: UInt8, Sendable, Hashable, CaseIterable {
        /// There is no result yet: the laboratory has not finished.
        case pending = 0
        /// The virus was not found; no warning may follow.
        case negative = 1
        /// The virus was found: a warning may follow.
        case positive = 2
        /// The sample could not be evaluated.
        case invalid = 3
        /// The result was fetched before or is too old: the server does not store it any more.
        case redeemed = 4
    }

    /// The meaning of the code, the same for rapid tests and others.
    public let meaning: Meaning
    /// Whether the server reported the result as that of a rapid test.
    public let isRapid: Bool

    /// Creates a result of this meaning; every meaning is possible for both kinds of tests.
    ///
    /// - Parameter isRapid: Whether it is the result of a rapid test.
    public init(_ meaning: Meaning, isRapid: Bool = false) {
        self.meaning = meaning
        self.isRapid = isRapid
    }

    /// Reads a server's code, 0 to 9; `nil` for any other number.
    public init?(code: Int64) {
        guard (0...9).contains(code), let meaning = Meaning(rawValue: UInt8(code % 5)) else { return nil }
        self.init(meaning, isRapid: code >= 5)
    }

    /// The server's code: 0 to 4, and 5 to 9 for rapid tests.
    public var code: UInt8 { meaning.rawValue + (isRapid ? 5 : 0) }

    /// Whether the result will not change, so that the server need not be asked again; `false` only while it is pending.
    public var isFinal: Bool { meaning != .pending }

    /// Whether a warning may follow: `true` only for a positive result.
    public var allowsWarning: Bool { meaning == .positive }

    /// The words `a test result`, without the result, because it does not belong in logs.
    public var description: String { "a test result" }
}
