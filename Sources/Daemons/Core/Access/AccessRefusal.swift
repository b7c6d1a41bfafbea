// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The reason why somebody is not let in, or not let do something: the errors of `org.vigil.access1`, whatever was called.
public enum AccessRefusal: Error, Sendable, Equatable {
    /// The secret is wrong, too many were, or others are signing in: seconds until the next try is looked at, 0 for now, and an English sentence.
    case refused(wait: Int, String)
    /// The call needs a session, and there is none: nobody has signed in, or the session has ended.
    case notSignedIn
    /// The session's role may not do it: the role that is needed, `nil` if that is no single one, and a sentence.
    case wrongRole(needed: Access1.Role?, String)
    /// What was sent cannot be used, such as a secret that is too short, or makes no sense for this caller or device: a
    /// sentence.
    case unusable(String)
    /// The disk refused, and nothing was changed: a sentence.
    case storage(String)

    /// The sentence.
    var reason: String {
        switch self {
        case .refused(_, let reason), .wrongRole(_, let reason), .unusable(let reason), .storage(let reason): reason
        case .notSignedIn: "Nobody has signed in."
        }
    }

    static let wrongSecret = AccessRefusal.refused(
        wait: 0,
        "The secret is not right. It is on the card that came with the device, unless it was changed; the operator can make a new one at the console (vigil ctl access make)."
    )

    static func tooEarly(_ wait: Int) -> AccessRefusal {
        .refused(wait: wait, "There were too many wrong secrets. Wait \(wait) s, then try again.")
    }

    static let busy = AccessRefusal.refused(
        wait: 1, "Others are signing in for this role at this moment. Wait a second, then try again.")
}
