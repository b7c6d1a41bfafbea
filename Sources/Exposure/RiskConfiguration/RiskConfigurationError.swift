// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import ExposureRisk

/// The reason why a document is not used. Equal by code.
public struct RiskConfigurationError: CodedError {
    /// The kind of fault of a document. Raw values are stable: they appear in logs and answers.
    public enum Code: String, Sendable, CaseIterable {
        /// The document or its proof is larger than one of its kind can be.
        case tooLarge
        /// Not JSON or protobuf of that kind, such as half a document.
        case malformed
        /// The document can be read, but its values must not be used: see ``RiskConfigurationError/problems``.
        case invalid
        /// The document can be read, but has numbers that no authority can mean, such as a weight of 1e308, and no other problems.
        case outOfRange
        /// Its mapping makes nobody infectious, so that nobody's keys could be judged.
        case emptyMapping
        /// No key that may sign configurations signed it.
        case notSigned
        /// It says that a key signed it that is none of this authority's.
        case otherSigner
        /// The proof of its origin does not have the right form.
        case malformedProof
        /// The proof of its origin has expired.
        case expired
        /// It is for countries of which this board's is none.
        case otherRegion
        /// There is no form of that name.
        case unknownForm
        /// The rules come with the operator's profile; others are not taken, whoever signed them.
        case notCarried
        /// Its version, signed date or app is below the one that was taken already: an old document played back.
        case older
        /// Its version or signed date is the one that was taken already, and its content is not.
        case contradiction
        /// The stored document cannot be read.
        case damaged

        /// Whether the proof of its origin is missing, of another signer or not of the right form, so that it may be another authority's. False for
        /// ``expired``.
        public var isOfProof: Bool { self == .notSigned || self == .otherSigner || self == .malformedProof }
    }

    /// Most problems that are told of one document; further ones are left out. Our own bound.
    public static let mostProblems = 100

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The problems, with paths, at most ``mostProblems``; for ``Code/malformed``, ``Code/invalid`` and
    /// ``Code/outOfRange``, otherwise empty.
    public let problems: [RiskProblem]
    private let detail: String

    init(
        _ code: Code, _ detail: String = "", problems: [RiskProblem] = [], file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
        self.problems = problems
    }

    /// A text for logs, answers and operators: what happened, why, and what to do; an invalid document's problems follow,
    /// one on each line. May quote the document, made printable.
    public var description: String {
        switch code {
        case .tooLarge: "the risk configuration is too large: \(detail); publish a smaller one"
        case .malformed:
            told(
                "the risk configuration is not a whole document of its kind, and the one before it stays in force; fetch or publish it again:"
            )
        case .invalid: told("the risk configuration has faults, and the one before it stays in force; mend these:")
        case .outOfRange:
            told(
                "the risk configuration has numbers that cannot be meant, and the one before it stays in force; mend these:"
            )
        case .emptyMapping:
            "by the risk configuration's mapping nobody is infectious, so that nothing could be judged; the one before it stays in force; publish it with entries"
        case .notSigned:
            "no key that may sign configurations signed the risk configuration; provision the authority's key of role config"
        case .otherSigner:
            "the risk configuration is signed by a key of somebody else (\(detail)); fetch it from this authority, or provision that key"
        case .malformedProof:
            "what should prove whose the risk configuration is cannot be read: \(detail); see whether the address is this authority's"
        case .expired:
            "what proves whose the risk configuration is was valid until \(detail) (Unix seconds); fetch a new one"
        case .otherRegion:
            "the risk configuration is for other countries: \(detail); fetch this country's, or correct the profile"
        case .unknownForm: "there is no such form of risk configurations: \(detail)"
        case .notCarried:
            "this authority's rules come with the profile that the operator signed; put a new profile in place instead"
        case .older:
            "the risk configuration is older than the one in force: \(detail); publish it with a higher version or date"
        case .contradiction:
            "the risk configuration has the version or date of another one: \(detail); publish it with a higher one"
        case .damaged: "the stored risk configuration cannot be used: \(detail); fetch it again"
        }
    }

    private func told(_ sentence: String) -> String { ([sentence] + problems.map { "  \($0)" }).joined(separator: "\n") }
}
