// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// The statement of the first page, which follows from the core's answers about the device and the risk, and from warnings about
/// visits.
public enum TodayState: String, Sendable, CaseIterable {
    /// The statement about the risk: low, increased, not known, out of date, not worked out because the authority
    /// has paused all warnings, or not worked out any more because its service has ended.
    case low, increased, unknown, outdated, paused, ended
    /// The wearer has met a person who has warned others, or was at a place with one, and the authority's rules cannot judge that.
    case unjudged
    /// The wearer has switched the device off.
    case off
    /// The device does nothing: the time is not known, the controller has trouble, or the program is about to end.
    case timeUnknown, radioTrouble, stopping
    /// A device in a place: it works, is switched off, or has trouble.
    case placeActive, placeOff, placeTrouble

    /// Derives the state from the core's answers; cannot fail. On a person's device the risk comes first: the
    /// service has ended, warnings are paused, the risk is increased, or encounters or visits cannot be judged; then what
    /// keeps the device from working; then other statements about the risk: low, outdated, ``off`` if the core
    /// calls it inactive, and ``unknown`` if there is none, or if it is low and it is not known whether there are warnings about
    /// visits. In a place only `status` counts. `risk` is `nil` in a place, and if it cannot be read; `visits` where visits cannot
    /// be entered.
    public init(status: Exposure1.Status, risk: Risk1.Risk?, visits: VisitWarnings? = nil) {
        if status.role == .place {
            self = status.state == .active ? .placeActive : status.state == .disabled ? .placeOff : .placeTrouble
            return
        }
        let whole = WholeRisk(risk, visits: visits)
        switch whole {
        case .ended: self = .ended
        case .paused: self = .paused
        case .increased: self = .increased
        case .unjudged: self = .unjudged
        case .low, .outdated, .inactive, .unknown:
            switch status.state {
            case .disabled: self = .off
            case .stopping: self = .stopping
            case .timeUnknown: self = .timeUnknown
            case .radioTrouble: self = .radioTrouble
            case .active:
                switch whole {
                case .low: self = .low
                case .outdated: self = .outdated
                case .inactive: self = .off
                default: self = .unknown
                }
            }
        }
    }

    /// Its colour and shape; the word stands beside them.
    var look: (class: String, icon: Icon) {
        switch self {
        case .low, .placeActive: ("calm", .check)
        case .increased: ("warm", .warning)
        case .unknown, .timeUnknown: ("still", .question)
        case .unjudged: ("heed", .question)
        case .outdated: ("heed", .clock)
        case .radioTrouble, .placeTrouble: ("heed", .radio)
        case .off, .paused, .placeOff: ("still", .pause)
        case .ended, .stopping: ("still", .stop)
        }
    }
}
