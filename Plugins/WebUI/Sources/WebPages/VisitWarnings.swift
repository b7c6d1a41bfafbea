// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Warnings about the wearer's visits, as far as they count for the risk: the day's higher level counts, of encounters and visits, as in
/// the Corona-Warn-App. Warnings of systems without levels stand beside the risk.
public struct VisitWarnings: Sendable, Equatable {
    /// What `/` says beside the risk.
    public enum News: Sendable {
        /// There is none that advises more than a low risk does.
        case none
        /// There is one that advises more than a low risk does, and the wearer has acknowledged all.
        case kept
        /// There is one that the wearer has not acknowledged.
        case news
        /// The plugin that keeps visits does not answer.
        case unknown
    }

    /// Whether there is something to look at.
    public var news: News
    /// The highest level of each day with a warning that has one, by the day (days since 1970, UTC): increased goes before
    /// unknown, and that before low. Empty if the plugin does not answer.
    public var days: [Int: Checkin1.Level]
    /// Whether there are warnings that are not in ``days``, because there were too many.
    public var isCut: Bool

    /// Creates warnings of these values, unchecked. Cannot fail.
    public init(_ news: News, days: [Int: Checkin1.Level] = [:], isCut: Bool = false) {
        self.news = news
        self.days = days
        self.isCut = isCut
    }

    /// The warnings of an answer to `GetNotices`, of all its parts; `nil` where visits cannot be entered.
    public init?(_ answer: VenueAnswer<Checkin1.NoticesReply>) {
        switch answer {
        case .reply(let reply):
            // Of more notices than these, one may advise more.
            let isMore = reply.more || reply.notices.contains { $0.level != .low }
            self.init(reply.news ? .news : isMore ? .kept : .none, isCut: reply.more)
            for notice in reply.notices {
                guard let level = notice.level else { continue }
                days[notice.day] = [days[notice.day], level].compactMap { $0 }.max { $0.rank < $1.rank }
            }
        case .silent: self.init(.unknown)
        case .notThere, .otherRole: return nil
        }
    }

    /// The latest day, in days since 1970, with increased risk from visits; `nil` if there is none.
    var increasedDay: Int? { days.filter { $0.value == .increased }.keys.max() }

    /// Whether a warning cannot be judged by the rules, or was not read because there were too many. The risk is not called low then.
    var isUnjudged: Bool { isCut || days.values.contains(.unknown) }
}

extension Checkin1.Level {
    fileprivate var rank: Int {
        switch self {
        case .low: 0
        case .unknown: 1
        case .increased: 2
        }
    }
}
