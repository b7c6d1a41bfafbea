// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import JSON
public import PresenceTracing
public import VenueNotices

/// A notice to the wearer about a visit. It never prints its content.
public struct VisitNotice: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The content of the notice, by system.
    public enum Content: Sendable, Hashable {
        /// The Corona-Warn-App's level: the higher of the verdicts on the visit and on its day. It is `nothing` only if it
        /// was read so from the disk.
        case level(PresenceRisk.Verdict)
        /// SwissCovid's message, which the health authority wrote. It is foreign text: show it with `ForeignText`.
        case message(String)
        /// The NHS's advice for visitors of the venue.
        case advice(RiskyVenue.Advice)
    }

    /// The number of the notice, from 1. It is never used again, unless the stored diary could not be read: then numbers
    /// begin again.
    public let number: Int
    /// The visit's number in the diary.
    public let visit: Int
    /// The UTC day that the notice is about, in days since 1970.
    public let day: Int
    /// The content; a level of the Corona-Warn-App may fall with each judgement.
    public internal(set) var content: Content
    /// Whether the wearer has seen the notice. One whose level rises is replaced by a new one.
    public internal(set) var wasSeen: Bool

    /// The number of the notice, without its content.
    public var description: String { "notice \(number)" }
    /// A mirror without children, so that a dump does not show the content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VisitNotice {
    var json: JSON {
        var object: JSON.Object = [
            "number": .int(Int64(number)), "visit": .int(Int64(visit)), "day": .int(Int64(day)), "seen": .bool(wasSeen),
        ]
        switch content {
        case .level(.level(.increased)): object["level"] = "increased"
        case .level(.level(.low)): object["level"] = "low"
        case .level(.nothing): object["level"] = "nothing"
        case .level(.unknown): object["level"] = "unknown"
        case .message(let text): object["message"] = .string(text)
        case .advice(let advice): object["advice"] = .string(advice.rawValue)
        }
        return .object(object)
    }

    init?(_ json: JSON) {
        let numbers = 1...Int64(Int32.max)
        guard let number = json["number"]?.int, numbers.contains(number), let visit = json["visit"]?.int,
            numbers.contains(visit), let day = json["day"]?.int, (0...4_000_000).contains(day),
            let wasSeen = json["seen"]?.bool
        else { return nil }
        let content: Content? =
            switch json["level"]?.string {
            case "increased"?: .level(.level(.increased))
            case "low"?: .level(.level(.low))
            case "nothing"?: .level(.nothing)
            case "unknown"?: .level(.unknown)
            case .some: nil
            case nil:
                json["message"]?.string.map(Content.message)
                    ?? json["advice"]?.string.flatMap(RiskyVenue.Advice.init(rawValue:)).map(Content.advice)
            }
        guard let content else { return nil }
        self.init(number: Int(number), visit: Int(visit), day: Int(day), content: content, wasSeen: wasSeen)
    }
}
