// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The reason why a caller may not sign in or make a call: the errors of `org.vigil.access1`, which any method may return.
public enum AccessRefusal: Error, Sendable, Equatable {
    /// The secret is wrong, too many wrong ones were tried, or others are signing in: the number of seconds until the next
    /// try, 0 if it may come at once, and an English sentence.
    case refused(wait: Int, String)
    /// The call needs a session, and there is none: the caller has not signed in, or the session has ended.
    case notSignedIn
    /// The session's role does not permit the call: the role that does, `nil` if there is no single one, and an English
    /// sentence.
    case wrongRole(needed: Access1.Role?, String)
    /// The call's values cannot be used, for example a secret that is too short, or do not fit this caller or device: an
    /// English sentence.
    case unusable(String)
    /// The disk refused, and nothing was changed: an English sentence.
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
