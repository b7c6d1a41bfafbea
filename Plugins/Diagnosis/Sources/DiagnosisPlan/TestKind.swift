// SPDX-License-Identifier: Apache-2.0

/// The kinds of tests that can be registered.
public enum TestKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A laboratory's PCR test; a teleTAN stands for one, too.
    case pcr
    /// A rapid antigen test, whose result comes within minutes.
    case rapidAntigen
    /// A rapid PCR test, whose result comes within minutes.
    case rapidPCR

    /// Whether results come within minutes, and the verification server reports them with codes 5 to 9.
    public var isRapid: Bool { self != .pcr }
}
