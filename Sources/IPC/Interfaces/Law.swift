// SPDX-License-Identifier: Apache-2.0

/// The annotations of a method in its interface's text: `# @roles`, `# @place`, `# @results`, `# @consents`, `# @exclusive` and `# @fleet`.
/// They determine who may call the method, what the caller learns, and who may grant it. Generated for every method (`make generate`) and not
/// written anywhere else (docs/decisions/0038-one-law.md).
public struct Law: Sendable, Hashable {
    /// The kind of person who uses the device.
    public enum Holder: String, Sendable, CaseIterable {
        /// `nobody`: a person who has not signed in; `wearer`, `technicianReadOnly`, `technician`: a person who has signed
        /// in with this ``Access1/Role``.
        case nobody, wearer, technicianReadOnly, technician

        /// Creates the holder with this role; `nobody` for `nil`. Cannot fail.
        public init(_ role: Access1.Role?) {
            switch role {
            case nil: self = .nobody
            case .wearer: self = .wearer
            case .technicianReadOnly: self = .technicianReadOnly
            case .technician: self = .technician
            }
        }
    }

    /// The results of matching that a method's answers reveal. They determine how often a caller to whom the method is
    /// granted may provide files.
    public enum Results: Int, Sendable, CaseIterable, Comparable {
        /// No results of matching.
        case nothing
        /// The results of the first generation: a summary of all matches.
        case summaries
        /// Exposure windows, daily summaries, or the risk that is calculated from them.
        case windows

        /// Returns whether `right` reveals more than `left`.
        public static func < (left: Results, right: Results) -> Bool { left.rawValue < right.rawValue }
    }

    /// The people who may call the method, signed in or not. Empty for a method that people cannot call and for which only
    /// grants count.
    public let roles: Set<Holder>
    /// The people who may call the method besides ``roles`` where the device stands in a place, which has no wearer. Only methods of the core have any.
    public let inPlaces: Set<Holder>
    /// The results of matching that the method's answers reveal.
    public let results: Results
    /// Whether the method is about a consent or an act that needs one. A caller to whom it is granted takes part in
    /// consents, and may learn of them.
    public let isAboutConsents: Bool
    /// Whether the method may be granted to only one caller of a board.
    public let isExclusive: Bool
    /// Whether a fleet's configuration may give the method to a plugin that does not have it. Otherwise only a card grants it.
    public let isForFleets: Bool

    /// Creates a law. Called by the generated property `law` of each interface's `Method`, with the annotations of the
    /// text, which the generator has checked.
    public init(
        _ roles: Set<Holder>, _ results: Results, inPlaces: Set<Holder> = [], isAboutConsents: Bool = false,
        isExclusive: Bool = false, isForFleets: Bool = false
    ) {
        self.roles = roles
        self.inPlaces = inPlaces
        self.results = results
        self.isAboutConsents = isAboutConsents
        self.isExclusive = isExclusive
        self.isForFleets = isForFleets
    }

    /// Returns the people who may call the method on a device of a person or, if `isPlace`, of a place.
    public func holders(isPlace: Bool) -> Set<Holder> { isPlace ? roles.union(inPlaces) : roles }

    /// The roles that may call the method after signing in, on a device of a person or of a place; may be empty.
    public var signedIn: [Access1.Role] {
        Access1.Role.allCases.filter { holders(isPlace: true).contains(Holder($0)) }
    }
}
