// SPDX-License-Identifier: Apache-2.0

public import Trust

/// A form in which an authority publishes its rules. It decides how they are signed, and which of two is the newer one. Raw
/// values are stable: they are in profiles and settings.
public enum RuleForm: String, Sendable, Hashable, CaseIterable {
    /// Vigil's own document and export.sig. Its version decides.
    case vigil
    /// The Corona-Warn-App's configuration for Android, of either generation: export.bin and export.sig. Neither has a version or a date; the
    /// version of the app that it calls the latest never falls.
    case cwa
    /// The Corona-Warn-App's configuration for iOS; otherwise as ``cwa``.
    case cwaIOS
    /// NHS COVID-19's exposure configuration and the two headers that sign it. The signed date decides.
    case nhs
    /// SwissCovid's configuration and the token that signs it. The token's date decides.
    case swissCovid
    /// Vigil's own document or EN Express's settings, out of the profile that the operator signed. Nobody can bring another.
    case profile

    /// The form of that name, spelled exactly, as profiles and commands write it. Throws `unknownForm`, with the names that there are, for another.
    public init(named name: String) throws(RiskConfigurationError) {
        guard let form = RuleForm(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw RiskConfigurationError(.unknownForm, "there are \(names)")
        }
        self = form
    }
}

/// The authority whose rules a board follows for one source: how they are published, who may sign them, and which country
/// they must be for.
public struct RuleAuthority: Sendable, Hashable {
    /// The form in which its rules are published and signed.
    public var form: RuleForm
    /// The authority's keys; those of role `config` sign rules. Keys of other authorities have no place in it.
    public var trust: TrustStore
    /// Two capital letters, such as DE, unchecked; a Corona-Warn-App configuration that names countries must name it. `nil` is any.
    public var country: String?

    /// An authority of these parts, unchecked; `country` is `nil` for forms that have none.
    public init(form: RuleForm, trust: TrustStore, country: String? = nil) {
        self.form = form
        self.trust = trust
        self.country = country
    }

    /// Bytes of the longest proof that is looked at, inclusive: export.sig, the two header lines, or the token. Our own
    /// bound.
    public static let maximumProofByteCount = 4_096
}

/// Where a document stands among those of its authority.
enum RuleOrder: Hashable, Sendable {
    case version(Int64)
    /// Unix seconds.
    case signed(Int64)
    /// The generation of the message, then the version of the app that it calls the latest.
    case app([Int64])
    /// There is only one.
    case only

    func isBefore(_ other: RuleOrder) -> Bool {
        switch (self, other) {
        case (.version(let left), .version(let right)), (.signed(let left), .signed(let right)): left < right
        case (.app(let left), .app(let right)): left.lexicographicallyPrecedes(right)
        default: false
        }
    }

    /// In words of what is compared.
    var text: String {
        switch self {
        case .version(let version): "version \(version)"
        case .signed(let seconds): "signed at \(seconds) (Unix seconds)"
        case .app(let numbers):
            "generation \(numbers[0]), app \(numbers.dropFirst().map(String.init).joined(separator: "."))"
        case .only: "the profile's"
        }
    }
}
