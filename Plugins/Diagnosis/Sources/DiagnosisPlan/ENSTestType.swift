// SPDX-License-Identifier: Apache-2.0

/// The type of test that a code of an exposure-notifications-verification-server stands for; it becomes the report type of
/// the keys (specification ens 2, 6).
public enum ENSTestType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A laboratory has confirmed the test as positive.
    case confirmed
    /// A doctor has diagnosed the disease, without a test that confirms it.
    case likely
    /// The test was negative: it revises keys that were published as likely, or as the person's own report.
    case negative
    /// The person reports the test themselves, and nobody confirms it.
    case userReport = "user-report"

    /// Reads the server's word in any case; `nil` if the word is unknown.
    public init?(_ text: String) { self.init(rawValue: text.lowercased()) }

    /// Returns the types that a list in `accept` stands for, in the order of the cases. `likely` and `userReport`
    /// include `confirmed`; `negative` includes `confirmed` and `likely`. All types for an empty list; `nil` if
    /// servers do not know one of the words.
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

    /// Returns the server's decision about a key that was published as `self` and comes again as `next` (ens 6.2).
    /// `revised` is the type that the key was revised to in between; `nil` if it was not revised.
    public func revision(revisedTo revised: ENSTestType?, to next: ENSTestType) -> ENSRevision.Outcome {
        ENSRevision.outcome(of: self, revisedTo: revised, to: next)
    }
}

/// The rules by which a key server changes a key that it already has (specification ens 6.2; exposure-notifications-server
/// `Revise`).
public enum ENSRevision {
    /// The outcomes for a key that comes again. Raw values of errors are the server's words.
    public enum Outcome: String, Sendable, Hashable {
        /// The key's type is changed, and cannot be changed again.
        case revised
        /// The key stays as it is, because it has this type already, as its first one or after a revision.
        case unchanged
        /// The server refuses the change, because the first type cannot become the new one.
        case invalidTransition = "invalid_report_type_transition"
        /// The server refuses the change, because the key was revised before.
        case alreadyRevised = "key_already_revised"
    }

    /// Returns the server's decision about a key that was published as `first` and comes again as `next`.
    /// - Parameters:
    ///   - first: The type at first; `nil` for a key without a type, which may change as a likely one may, but
    ///     never counts as unchanged unless `revised` is `next`.
    ///   - revised: The type that the key was revised to in between; `nil` if it was not revised.
    ///   - next: The type with which the key comes again.
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
