// SPDX-License-Identifier: Apache-2.0

/// The type of test that a code of an exposure-notifications-verification-server stands for, which becomes the keys' report
/// type (specification ens 2, 6).
public enum ENSTestType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A laboratory has confirmed the test as positive.
    case confirmed
    /// A doctor's diagnosis, without a test that confirms it.
    case likely
    /// The test was negative: keys that were published as likely, or by the person's own word, are revised by it.
    case negative
    /// The person reports the test without anybody who confirms it.
    case userReport = "user-report"

    /// Reads a server's word in any case; `nil` for a word that is none of these.
    public init?(_ text: String) { self.init(rawValue: text.lowercased()) }

    /// The types that a list in `accept` asks for, in the order of the cases: with some words others are meant too (`likely` means `confirmed`
    /// too). All for an empty list; `nil` if servers do not know a word of it.
    public static func accepted(_ words: [String]) -> [ENSTestType]? {
        if words.isEmpty { return [.confirmed, .likely, .negative, .userReport] }
        var types: Set<ENSTestType> = []
        for word in words {
            switch ENSTestType(word) {
            case .confirmed: types.insert(.confirmed)
            case .likely: types.formUnion([.confirmed, .likely])
            case .negative: types.formUnion([.confirmed, .likely, .negative])
            case .userReport: types.formUnion([.confirmed, .userReport])
            case nil: return nil
            }
        }
        return allCases.filter(types.contains)
    }

    /// The level that the key server writes for a key without one (KEY `internal/publish/model/exposure_model.go`).
    var defaultRisk: Int64 {
        switch self {
        case .confirmed: 2
        case .likely: 4
        case .negative: 6
        case .userReport: 0
        }
    }

    /// The outcome for a key that was published as `self`, perhaps revised to `revised`, when it comes again as `next` (ens
    /// 6.2). `revised` is `nil` for a key that was not revised.
    public func revision(revisedTo revised: ENSTestType?, to next: ENSTestType) -> ENSRevision.Outcome {
        ENSRevision.outcome(of: self, revisedTo: revised, to: next)
    }
}

/// The rules by which a key server changes a key that it has (specification ens 6.2; exposure-notifications-server
/// `Revise`).
public enum ENSRevision {
    /// The outcomes for a key that comes again. Raw values are the server's words for errors, where there are any.
    public enum Outcome: String, Sendable, Hashable {
        /// The key's type is changed, once and for all.
        case revised
        /// The key stays as it is: this is its first type, or the one that it was revised to.
        case unchanged
        /// The server refuses the change: the first type cannot become this one.
        case invalidTransition = "invalid_report_type_transition"
        /// The server refuses the change: the key was revised before.
        case alreadyRevised = "key_already_revised"
    }

    /// Returns the server's action for a key that was published as `first`, perhaps revised to `revised`, when it comes
    /// again as `next`.
    /// - Parameter first: `nil` for a key without a type, which counts as likely.
    public static func outcome(
        of first: ENSTestType?, revisedTo revised: ENSTestType?, to next: ENSTestType
    ) -> Outcome {
        if next == first || next == revised { return .unchanged }
        let before = first ?? .likely
        if revised != nil { return .alreadyRevised }
        let isAllowed: Bool =
            switch (before, next) {
            case (.likely, .confirmed), (.likely, .negative): true
            case (.userReport, .confirmed), (.userReport, .likely), (.userReport, .negative): true
            default: false
            }
        return isAllowed ? .revised : .invalidTransition
    }
}
