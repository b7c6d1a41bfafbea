// SPDX-License-Identifier: Apache-2.0

public import Verification

/// The kind of teleTANs that a user may issue. Raw values are those of the database and of the command line.
public enum PortalRole: String, Sendable, CaseIterable {
    /// TeleTANs for a positive test.
    case tests
    /// TeleTANs for an event that the health office warns about.
    case events
    /// TeleTANs of both kinds.
    case both

    /// Whether the user may look for warnings, and propose, confirm and drop that one is taken back: true for `tests`
    /// and `both`, who may issue teleTANs for tests.
    public var mayTakeBack: Bool { self != .events }

    /// The kinds of teleTANs that the user may issue, one or two, the usual one first; never ``WarningType/remainder``.
    public var kinds: [WarningType] {
        switch self {
        case .tests: [.test]
        case .events: [.event]
        case .both: [.test, .event]
        }
    }
}

/// A user who may sign in, without the password's hash.
public struct PortalUser: Hashable, Sendable {
    /// The name that the user signs in with, as ``normalized(_:)`` makes it.
    public let name: String
    /// The kind of teleTANs that the user may issue.
    public let role: PortalRole
    /// The time when the user was added, Unix seconds.
    public let added: Int64
    /// The time when the password was set last, Unix seconds; at first that of ``added``.
    public let passwordSet: Int64

    /// The name as it is stored: small letters, whatever was typed. `nil` unless it has 1 to 64 of a-z, 0-9, dot,
    /// hyphen and underscore then.
    public static func normalized(_ text: some StringProtocol) -> String? {
        let name = text.lowercased()
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else { return nil }
        return name
    }
}
