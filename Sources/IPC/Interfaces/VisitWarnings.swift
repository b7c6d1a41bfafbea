// SPDX-License-Identifier: Apache-2.0

/// Warnings about the wearer's visits, as far as they count for the risk: the day's higher level counts, of encounters and visits, as in
/// the Corona-Warn-App. Warnings of systems without levels stand beside the risk.
public struct VisitWarnings: Sendable, Equatable {
    /// What is to be said beside the risk.
    public enum News: String, Sendable, CaseIterable {
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
    /// Whether earlier visits are lost, with what was known of warnings about them, and the wearer has not acknowledged that.
    public var isLost: Bool

    /// Whether there are visits about which not all warnings were known for two days.
    public var isBehind: Bool

    /// Creates warnings of these values, unchecked. Cannot fail.
    public init(
        _ news: News, days: [Int: Checkin1.Level] = [:], isCut: Bool = false, isLost: Bool = false, isBehind: Bool = false
    ) {
        self.news = news
        self.days = days
        self.isCut = isCut
        self.isLost = isLost
        self.isBehind = isBehind
    }

    /// Whether the warnings of today are not known: the plugin does not answer, or has not known all of them for two days.
    public var isIncomplete: Bool { news == .unknown || isBehind }

    /// Whether there may be warnings that are not known (``isIncomplete``), or visits are lost. The risk is not called low then.
    public var isUnknown: Bool { isIncomplete || isLost }

    /// The warnings of an answer to `GetNotices`, of all its parts. Cannot fail.
    public init(_ reply: Checkin1.NoticesReply) {
        // Of more notices than these, one may advise more.
        let isMore = reply.more || reply.notices.contains { $0.level != .low }
        self.init(
            reply.news ? .news : isMore ? .kept : .none, isCut: reply.more, isLost: reply.lost,
            isBehind: reply.followed.contains(where: \.behind))
        for notice in reply.notices {
            guard let level = notice.level else { continue }
            days[notice.day] = [days[notice.day], level].compactMap { $0 }.max { $0.rank < $1.rank }
        }
    }

    /// The latest day, in days since 1970, with increased risk from visits; `nil` if there is none.
    public var increasedDay: Int? { days.filter { $0.value == .increased }.keys.max() }

    /// Whether a warning cannot be judged by the rules, or was not read because there were too many. The risk is not called low then.
    public var isUnjudged: Bool { isCut || days.values.contains(.unknown) }

    /// The higher level of a day, of its encounters and its visits; `unknown` if a part of it is not known and the rest is not increased, `nil`
    /// if there is neither. `encounters` is `nil` for a day without any, or whose encounters have no level; `areKnown` says whether such a day has none
    /// that could count.
    public func level(of day: Int, encounters: Risk1.Level?, areKnown: Bool) -> Checkin1.Level? {
        let visits = days[day]
        if encounters == .increased || visits == .increased { return .increased }
        if visits == .unknown || isCut || isUnknown { return .unknown }
        if visits == .low, encounters == nil, !areKnown { return .unknown }
        return encounters == .low || visits == .low ? .low : nil
    }
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
