// SPDX-License-Identifier: Apache-2.0

/// A document that a health authority signs and the core follows. It is carried as it was published; only the core looks at what is in it.
public enum CarriedDocument: String, Sendable, CaseIterable {
    /// The rules for judging encounters.
    case rules
    /// What people should read.
    case content

    /// What people call it.
    public var title: String {
        switch self {
        case .rules: "the health authority's rules"
        case .content: "the health authority's content"
        }
    }

    /// Whether an authority may publish none.
    public var isOptional: Bool { self == .content }

    /// The longest document that a message to the core can carry beside its signatures (64 KiB in all, in Base64).
    public static let maximumByteCount = 40 << 10
    /// The most signatures that the core looks at.
    public static let maximumSignatureByteCount = 4 << 10
    /// The largest archive that is fetched: both, and what the archive needs for itself.
    public static let maximumArchiveByteCount = 48 << 10
}
