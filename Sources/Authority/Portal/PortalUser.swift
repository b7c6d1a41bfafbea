// SPDX-License-Identifier: Apache-2.0

public import Verification

/// The role of a user, named after the teleTANs that the user may issue. Raw values are those of the database and
/// of the command line.
public enum PortalRole: String, Sendable, CaseIterable {
    /// The user issues teleTANs for a positive test.
    case tests
    /// The user issues teleTANs for an event that the health office warns about.
    case events
    /// The user issues teleTANs of both kinds.
    case both

    /// Whether the user may look for warnings, and propose, confirm or drop that a warning is taken back: `true` for
    /// `tests` and `both`, who may issue teleTANs for tests.
    public var mayTakeBack: Bool { self != .events }

    /// The kinds of teleTANs that the user may issue, one or two, the more common first; never ``WarningType/remainder``.
    public var kinds: [WarningType] {
        switch self {
        case .tests: [.test]
        case .events: [.event]
        case .both: [.test, .event]
        }
    }
}

/// A user who may sign in; the password's hash is not part of it.
public struct PortalUser: Hashable, Sendable {
    /// The name that the user signs in with, in the form of ``normalized(_:)``.
    public let name: String
    /// The role of the user, which says which teleTANs the user may issue, and whether the user may take warnings
    /// back.
    public let role: PortalRole
    /// The time at which the user was added, in Unix seconds.
    public let added: Int64
    /// The time at which the password was last set, in Unix seconds; equal to ``added`` at first.
    public let passwordSet: Int64

    /// Returns the stored form of a name: the text in lower case. Returns `nil` unless that has 1 to 64 of a-z, 0-9, dot,
    /// hyphen and underscore.
    public static func normalized(_ text: some StringProtocol) -> String? {
        let name = text.lowercased()
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else { return nil }
        return name
    }
}
