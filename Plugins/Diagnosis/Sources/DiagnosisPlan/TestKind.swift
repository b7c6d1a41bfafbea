// SPDX-License-Identifier: Apache-2.0

/// Kinds of tests that can be registered.
public enum TestKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A PCR test of a laboratory; also what a teleTAN stands for.
    case pcr
    /// A rapid antigen test, whose result comes within minutes.
    case rapidAntigen
    /// A rapid PCR test, whose result comes within minutes.
    case rapidPCR

    /// Whether results come within minutes and the verification server answers with codes 5 to 9.
    public var isRapid: Bool { self != .pcr }
}
