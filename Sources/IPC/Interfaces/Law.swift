// SPDX-License-Identifier: Apache-2.0

/// The annotations of a method in its interface's text: `# @roles`, `# @results`, `# @consents` and `# @exclusive`. They
/// say who may call the method, and what the caller learns. Generated for every method (`make generate`); written nowhere
/// else (docs/decisions/0038-one-law.md).
public struct Law: Sendable, Hashable {
    /// The kind of person who stands before the device.
    public enum Holder: String, Sendable, CaseIterable {
        /// `nobody`: somebody who has not signed in; `wearer`, `technicianReadOnly`, `technician`: somebody who has, as in
        /// ``Access1/Role``.
        case nobody, wearer, technicianReadOnly, technician

        /// The holder with this role; `nobody` without one. Nothing is refused.
        public init(_ role: Access1.Role?) {
            switch role {
            case nil: self = .nobody
            case .wearer: self = .wearer
            case .technicianReadOnly: self = .technicianReadOnly
            case .technician: self = .technician
            }
        }
    }

    /// The part of the results of matching that a method's answers tell. It decides how often a caller that was granted the
    /// method may provide files.
    public enum Results: Int, Sendable, CaseIterable, Comparable {
        /// No results of matching at all.
        case nothing
        /// First-generation results: a summary of all matches.
        case summaries
        /// Exposure windows, daily summaries, or the risk that follows from them.
        case windows

        /// Orders by the amount that is told: true if `right` tells more.
        public static func < (left: Results, right: Results) -> Bool { left.rawValue < right.rawValue }
    }

    /// The holders who may call it among those who sign in or could. Empty for methods that people cannot call: they are
    /// bound by grants alone.
    public let roles: Set<Holder>
    /// The part of the results of matching that the method's answers tell.
    public let results: Results
    /// Whether it is about a consent or what one permits: who was granted it takes part in consents, and may hear of them.
    public let isAboutConsents: Bool
    /// Whether only one caller of a board may be granted it.
    public let isExclusive: Bool

    /// Made by the generated property `law` of each interface's `Method`, of the text's annotations. Nothing is checked here: the
    /// generator has.
    public init(
        _ roles: Set<Holder>, _ results: Results, isAboutConsents: Bool = false, isExclusive: Bool = false
    ) {
        self.roles = roles
        self.results = results
        self.isAboutConsents = isAboutConsents
        self.isExclusive = isExclusive
    }

    /// The roles that may call it once they have signed in; empty without any.
    public var signedIn: [Access1.Role] { Access1.Role.allCases.filter { roles.contains(Holder($0)) } }
}
