// SPDX-License-Identifier: Apache-2.0

public import AuthorityProfile
import JSON
public import KeyExport
public import RiskConfiguration
public import Trust

/// A health authority as this device follows it: the keys that it trusts, the region, and the way in which its rules
/// arrive. Sources know nothing of each other.
public struct AuthoritySource: Sendable, Hashable {
    /// The ways in which the rules of a source come to the device.
    public enum Rules: Sendable, Hashable {
        /// The authority publishes and signs the rules; any caller may bring them.
        case signed(RuleAuthority)
        /// The operator has written the rules into the profile; others are refused.
        case fixed(RiskConfiguration)
        /// There are no rules, so nothing of the source is judged.
        case none
    }

    /// The name of the source whose keys are given on the command line; no profile may have it.
    public static let standardName = AuthorityProfile.reservedName
    /// The most sources of a device: 16, as many as a match and the account of freshness can distinguish.
    public static let most = 16

    /// The name of the source's profile, ``standardName``, or `unreadable-NUMBER`; two sources must not have the same,
    /// which is not checked here.
    public let name: String
    /// The names for people, by language (`de`); empty for the standard source, and for one that ``isUnreadable``.
    public let titles: [String: String]
    /// Whether the authority has ended its service, as the operator states in the profile; `false` for the standard source.
    public let isSwitchedOff: Bool
    /// The way in which the rules of this source come to the device.
    public let rules: Rules
    /// Whether its profile has faults, so that nothing of the source can be used until the operator corrects them.
    public let isUnreadable: Bool
    /// The rule by which files count as this source's, from their signers. An empty name means the standard source, whose
    /// statements are named after the signing key's identifier alone.
    public let export: ExportAuthority
    /// The ids of all keys that sign or have signed its files: by them its statements are called.
    let statements: Set<String>

    /// Creates the source whose keys are given on the command line, judged by `policy`; its name is ``standardName``.
    /// Cannot fail.
    public init(standard trust: TrustStore, policy: SignaturePolicy) {
        name = Self.standardName
        titles = [:]
        isSwitchedOff = false
        isUnreadable = false
        rules = .signed(RuleAuthority(form: .vigil, trust: trust))
        export = ExportAuthority(trust: trust, policy: policy)
        statements = Self.statements(trust)
    }

    /// Creates the source that a profile without faults describes. The profile is not checked here.
    public init(_ profile: AuthorityProfile) { self.init(profile, isUnreadable: false) }

    private init(_ profile: AuthorityProfile, isUnreadable: Bool) {
        self.isUnreadable = isUnreadable
        name = profile.name
        titles = profile.title
        isSwitchedOff = profile.status == .switchedOff
        let trust = profile.trust
        rules =
            switch profile.rules {
            case nil: .none
            case let rules? where rules.form == .profile: rules.document.map(Rules.fixed) ?? .none
            case let rules?: .signed(RuleAuthority(form: rules.form, trust: trust, country: rules.country))
            }
        // The Corona-Warn-App takes a signature by any of its keys, whatever it calls itself; everybody else goes by the name.
        export = ExportAuthority(
            name: profile.name, trust: trust, policy: profile.distribution?.kind == .cwa ? .anyKey : .namedKeys,
            region: profile.region)
        statements = Self.statements(trust)
    }

    private init(_ other: AuthoritySource, trust: TrustStore, statements: Set<String>) {
        name = other.name
        titles = other.titles
        isSwitchedOff = other.isSwitchedOff
        isUnreadable = other.isUnreadable
        if case .signed(let rules) = other.rules {
            self.rules = .signed(RuleAuthority(form: rules.form, trust: trust, country: rules.country))
        } else {
            rules = other.rules
        }
        export = ExportAuthority(
            name: other.export.name, trust: trust, policy: other.export.policy, region: other.export.region)
        self.statements = statements
    }

    /// The same with other keys. `statements` has the ids of those it had before, too.
    func following(_ trust: TrustStore, statements: Set<String>) -> AuthoritySource {
        AuthoritySource(self, trust: trust, statements: statements)
    }

    private static func statements(_ trust: TrustStore) -> Set<String> {
        Set(trust.keys.filter { $0.role == .export }.map(\.name.id))
    }

    /// Makes the source of a profile that has faults: it has the profile's name, if that can be read in `bytes`, otherwise
    /// `unreadable-NUMBER` with this `number`, and believes nobody. So the person is told that what it says is not known,
    /// and nothing that it has said before is anybody else's. Cannot fail.
    public init(unreadable bytes: [UInt8], number: Int) {
        let stated = (try? JSON(parsing: bytes, maximumDepth: 24))?["name"]?.string
        let name = stated.flatMap { AuthorityProfile.isName($0) ? $0 : nil } ?? "unreadable-\(number)"
        self.init(AuthorityProfile(name: name, title: [:]), isUnreadable: true)
    }

    /// Whether the source is the one whose keys are given on the command line.
    public var isStandard: Bool { export.name.isEmpty }

    /// In an English sentence: who.
    var words: String { titles["en"] ?? (isStandard ? "the health authority" : name) }
    /// In an English sentence: by what.
    var rulesInWords: String { isStandard ? "the health authority's rules" : "the rules of \(words)" }
}

/// Whose a statement is, by what it is called. Statements are called by the id of the signing key alone where the standard source has it, or
/// where they are older than profiles; by name and id otherwise.
struct StatementOwners {
    struct Owner: Equatable {
        /// Which of the sources.
        let index: Int
        /// What the statement is called within it.
        let id: String
    }

    private let standard: Int?
    private let named: [String: Int]
    private let standardIds: Set<String>
    private let idsOfNamed: [(index: Int, ids: Set<String>)]
    private let count: Int

    init(_ sources: [AuthoritySource]) {
        standard = sources.firstIndex(where: \.isStandard)
        standardIds = sources.first(where: \.isStandard)?.statements ?? []
        named = Dictionary(
            sources.enumerated().filter { !$0.element.isStandard }.map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        idsOfNamed = sources.enumerated().filter { !$0.element.isStandard }.map { ($0.offset, $0.element.statements) }
        count = sources.count
    }

    /// `nil` for what a source has said that is not followed any more.
    func owner(of statement: String) -> Owner? {
        if let (name, id) = Self.parts(statement), !standardIds.contains(statement) {
            return named[name].map { Owner(index: $0, id: id) }
        }
        if let standard, standardIds.contains(statement) { return Owner(index: standard, id: statement) }
        // From before its authority had a profile.
        if let other = idsOfNamed.first(where: { $0.ids.contains(statement) }) {
            return Owner(index: other.index, id: statement)
        }
        if let standard { return Owner(index: standard, id: statement) }
        return count == 1 ? Owner(index: 0, id: statement) : nil
    }

    /// The name of a source that is not followed any more and has said this.
    func stranger(of statement: String) -> String? {
        guard owner(of: statement) == nil else { return nil }
        return Self.parts(statement)?.name ?? AuthoritySource.standardName
    }

    /// `NAME/ID`, if it can be one.
    private static func parts(_ statement: String) -> (name: String, id: String)? {
        guard let slash = statement.firstIndex(of: "/") else { return nil }
        let name = String(statement[..<slash])
        guard AuthorityProfile.isName(name) else { return nil }
        return (name, String(statement[statement.index(after: slash)...]))
    }
}
