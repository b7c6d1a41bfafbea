// SPDX-License-Identifier: Apache-2.0

import AppConfig
public import Trust

/// A form in which an authority publishes its rules. It determines how they are signed, and which of two documents is
/// newer. The raw values are stable: they are used in profiles and settings.
public enum RuleForm: String, Sendable, Hashable, CaseIterable {
    /// Vigil's own document with export.sig; the version determines the order.
    case vigil
    /// The Corona-Warn-App's configuration for Android, of either generation, with export.sig. It has no version or
    /// date; the order follows the version of the latest app that it names, which never falls. A `ConfigurationNumber`, as `vigil-authority` gives it, goes before
    /// that, and one without follows none with a number.
    case cwa
    /// The Corona-Warn-App's configuration for iOS; otherwise the same as ``cwa``.
    case cwaIOS
    /// NHS COVID-19's exposure configuration with the two headers that sign it; the signed date determines the order.
    case nhs
    /// SwissCovid's configuration with the token that signs it; the token's date determines the order.
    case swissCovid
    /// Vigil's own document or EN Express's settings, from the profile that the operator signed; other documents are
    /// refused.
    case profile

    /// Creates the form with exactly this name, as used in profiles and commands. Throws `unknownForm`, with the
    /// known names, for another.
    public init(named name: String) throws(RiskConfigurationError) {
        guard let form = RuleForm(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw RiskConfigurationError(.unknownForm, "there are \(names)")
        }
        self = form
    }
}

/// The authority whose rules a board follows for one source: the form of its rules, who may sign them, and the
/// country for which they must be.
public struct RuleAuthority: Sendable, Hashable {
    /// The form in which its rules are published and signed.
    public var form: RuleForm
    /// The authority's keys, of which those of role `config` sign rules. Keys of other authorities must not be in it.
    public var trust: TrustStore
    /// The country, as two capital letters such as DE, not checked; a Corona-Warn-App configuration that names
    /// countries must name it. `nil` accepts any country.
    public var country: String?

    /// Creates an authority from these parts, which are not checked; `country` is `nil` for forms that have none.
    public init(form: RuleForm, trust: TrustStore, country: String? = nil) {
        self.form = form
        self.trust = trust
        self.country = country
    }

    /// The maximum size of a proof of origin in bytes, inclusive: export.sig, the two header lines, or the token. The
    /// number is this project's own.
    public static let maximumProofByteCount = 4_096
}

/// Where a document stands among those of its authority.
enum RuleOrder: Hashable, Sendable {
    case version(Int64)
    /// Unix seconds.
    case signed(Int64)
    /// The number, if there is one; then the generation of the message and the version of the app that it calls the latest.
    case app([Int64], number: ConfigurationNumber?)
    /// There is only one.
    case only

    func isBefore(_ other: RuleOrder) -> Bool {
        switch (self, other) {
        case (.version(let left), .version(let right)), (.signed(let left), .signed(let right)): left < right
        case (.app(let left, let number), .app(let right, let other)):
            number == other ? left.lexicographicallyPrecedes(right) : (number?.value ?? 0) < (other?.value ?? 0)
        default: false
        }
    }

    /// The number of a Corona-Warn-App's; `nil` without one, and for other forms.
    var number: ConfigurationNumber? { if case .app(_, let number) = self { number } else { nil } }

    /// In words of what is compared.
    var text: String {
        switch self {
        case .version(let version): "version \(version)"
        case .signed(let seconds): "signed at \(seconds) (Unix seconds)"
        case .app(_, let number?): "number \(number.value)"
        case .app(let numbers, nil):
            "generation \(numbers[0]), app \(numbers.dropFirst().map(String.init).joined(separator: "."))"
        case .only: "the profile's"
        }
    }
}
