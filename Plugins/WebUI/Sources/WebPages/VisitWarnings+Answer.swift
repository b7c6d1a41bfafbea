// SPDX-License-Identifier: Apache-2.0

public import Interfaces

extension VisitWarnings {
    /// The warnings of an answer to `GetNotices`, of all its parts; `nil` where visits cannot be entered.
    public init?(_ answer: VenueAnswer<Checkin1.NoticesReply>) {
        switch answer {
        case .reply(let reply): self.init(reply)
        case .silent: self.init(.unknown)
        case .notThere, .otherRole: return nil
        }
    }
}
