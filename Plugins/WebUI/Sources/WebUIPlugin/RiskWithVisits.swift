// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import WebPages

/// What `GET /risk` has beside the core's answer, since the core knows nothing of visits.
enum RiskWithVisits {
    /// The fields and their schemas.
    static let schemas: [(name: String, schema: JSON)] = [
        (
            "together",
            [
                "type": "string", "enum": .array(WholeRisk.allCases.map { .string($0.rawValue) }),
                "description":
                    "The wearer's risk from encounters and visits together, as the page shows it: the day's higher level counts. unjudged: the rules cannot judge some encounter or visit. unknown: also if only what visits add is not known.",
            ]
        ),
        (
            "visits",
            [
                "type": "string", "enum": .array(VisitWarnings.News.allCases.map { .string($0.rawValue) }),
                "description":
                    "Whether there is a warning about a visit that advises more than a low risk does: none, kept (seen), news (not seen), unknown (the plugin that keeps visits does not answer). Absent where visits cannot be entered. /visits/notices has the warnings.",
            ]
        ),
    ]

    /// The core's answer with these fields; as it is if it is none.
    static func joined(_ reply: JSON, _ visits: InterfaceClient.Answer?) -> JSON {
        guard var object = reply.object, let risk = (try? reply.decode(Risk1.RiskReply.self))?.risk else { return reply }
        let warnings = VisitWarnings(PageRoutes.venue(visits))
        object["together"] = .string(WholeRisk(risk, visits: warnings).rawValue)
        object["visits"] = warnings.map { .string($0.news.rawValue) }
        return .object(object)
    }
}
