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

    /// Creates warnings of these values, unchecked. Cannot fail.
    public init(_ news: News, days: [Int: Checkin1.Level] = [:], isCut: Bool = false, isLost: Bool = false) {
        self.news = news
        self.days = days
        self.isCut = isCut
        self.isLost = isLost
    }

    /// Whether there may be warnings that are not known: the plugin does not answer, or visits are lost. The risk is not called low then.
    public var isUnknown: Bool { news == .unknown || isLost }

    /// The warnings of an answer to `GetNotices`, of all its parts. Cannot fail.
    public init(_ reply: Checkin1.NoticesReply) {
        // Of more notices than these, one may advise more.
        let isMore = reply.more || reply.notices.contains { $0.level != .low }
        self.init(reply.news ? .news : isMore ? .kept : .none, isCut: reply.more, isLost: reply.lost)
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

/// What is said of the wearer's risk from encounters and from visits together: what the core says, unless visits raise it, or make it unknown.
public enum WholeRisk: String, Codable, Sendable, CaseIterable {
    /// Everything that is known is low.
    case low
    /// Encounters or visits are increased.
    case increased
    /// The rules cannot judge some encounter or visit, or there are more warnings about visits than could be read; and nothing is increased.
    case unjudged
    /// It is not known, also if only the part of the visits is not.
    case unknown
    /// As the core says it of encounters (`org.vigil.risk1`): too old, switched off, paused by the authority, or its service has ended.
    case outdated, inactive, paused, ended

    /// Joins both. `risk` is `nil` if the core's word is not known, and `visits` where visits cannot be entered. An authority that has ended
    /// or paused its warnings has done so for both. Cannot fail.
    public init(_ risk: Risk1.Risk?, visits: VisitWarnings?) {
        switch risk?.state {
        case .ended: self = .ended
        case .paused: self = .paused
        case .increased: self = .increased
        case _ where visits?.increasedDay != nil: self = .increased
        case _ where Self.isUnjudged(risk) || visits?.isUnjudged == true: self = .unjudged
        // Nor is it known then whether a visit has increased it.
        case .low: self = visits?.isUnknown == true ? .unknown : .low
        case .outdated: self = .outdated
        case .inactive: self = .inactive
        case .unknown, nil: self = .unknown
        }
    }

    /// Whether there are encounters that the authority's rules cannot judge.
    public static func isUnjudged(_ risk: Risk1.Risk?) -> Bool { risk?.state == .unknown && (risk?.unjudged ?? 0) > 0 }
}

extension Risk1.Risk {
    /// The level of each day with encounters that were judged, by the day (days since 1970, UTC): of several authorities the one counts that warns.
    /// `nil` for a day whose encounters the rules give no level.
    public var levels: [Int: Risk1.Level?] {
        Dictionary(
            (days + (sources ?? []).flatMap(\.days)).map { ($0.day, $0.verdict.level) },
            uniquingKeysWith: { first, second in second == .increased ? second : first ?? second })
    }
}
