// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import ExposureRisk

/// The reason why a document is not used. Two errors are equal when their codes are.
public struct RiskConfigurationError: CodedError {
    /// The kind of error of a document. The raw values are stable: they appear in logs and answers.
    public enum Code: String, Sendable, CaseIterable {
        /// The document or its proof is larger than one of its kind can be.
        case tooLarge
        /// The document is not JSON or protobuf of its kind, for example because it is incomplete.
        case malformed
        /// The document can be read, but its values must not be used: see ``RiskConfigurationError/problems``.
        case invalid
        /// The document can be read, and its only problems are numbers that no authority can mean, such as a weight
        /// of 1e308.
        case outOfRange
        /// The mapping makes nobody infectious, so that no keys could be judged.
        case emptyMapping
        /// The document was not signed by a key that may sign configurations.
        case notSigned
        /// The document names a signing key that is not one of this authority's.
        case otherSigner
        /// The proof of its origin does not have the right form.
        case malformedProof
        /// The proof of its origin has expired.
        case expired
        /// The document is for other countries than this board's.
        case otherRegion
        /// There is no form of that name.
        case unknownForm
        /// The rules come with the operator's profile; other rules are refused, whoever signed them.
        case notCarried
        /// The number, version, signed date or app version of the document is lower than that of the one already accepted; an
        /// old document may have been replayed.
        case older
        /// The version or signed date of the document is that of the one already accepted, but its content differs.
        case contradiction
        /// The number of the document is more than a day above the present time, or the time is not known.
        case ofTheFuture
        /// The stored document cannot be read.
        case damaged

        /// Whether the proof of origin is missing, of another signer or malformed, so that the document may be
        /// another authority's. `false` for ``expired``.
        public var isOfProof: Bool { self == .notSigned || self == .otherSigner || self == .malformedProof }
    }

    /// The maximum number of problems reported for one document; further ones are left out. The number is this
    /// project's own.
    public static let mostProblems = 100

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The problems with their paths, at most ``mostProblems``, for ``Code/malformed``, ``Code/invalid`` and
    /// ``Code/outOfRange``; empty for other codes.
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

    /// A text for logs, answers and operators that states the refusal, its reason and the next step; the problems
    /// of an invalid document follow, one on each line. It may quote the document, made printable.
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
        case .ofTheFuture:
            "the risk configuration is not believed yet, and the one before it stays in force: \(detail)"
        case .damaged: "the stored risk configuration cannot be used: \(detail); fetch it again"
        }
    }

    private func told(_ sentence: String) -> String { ([sentence] + problems.map { "  \($0)" }).joined(separator: "\n") }
}
