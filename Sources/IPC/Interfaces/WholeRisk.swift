// SPDX-License-Identifier: Apache-2.0

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
