// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import DiagnosisPlan
package import Interfaces
package import PresenceTracing

/// The sealed reports that the plugin with the visits gives for a warning, and what is noted of them. What is in them only
/// somebody can read who has the code of the place.
package struct GivenVisits: Sendable {
    /// The reports, in the random order in which they came.
    package let reports: [ProtectedReport]
    /// How many visits they are of, and the name of these.
    package let note: VisitsInWarning

    /// No visit goes along, for this reason.
    package static func nothing(_ absence: VisitsInWarning.Absence) -> GivenVisits {
        GivenVisits(reports: [], note: .none(absence))
    }

    private init(reports: [ProtectedReport], note: VisitsInWarning) {
        self.reports = reports
        self.note = note
    }

    /// Reads a reply. Returns `nil` for one that cannot be right: more than `most` reports, one that is none or there twice,
    /// none but a name, another name than the one that was asked for, or fewer reports than visits.
    package init?(_ reply: Checkin1.ReportsReply, most: Int, name: Int64) {
        guard !reply.reports.isEmpty else {
            guard reply.visits == 0, reply.batch == nil else { return nil }
            self = .nothing(.noneCounts)
            return
        }
        let reports = reply.reports.prefix(most).compactMap { text in
            Base64.bytes(text).flatMap { try? ProtectedReport(decoding: $0) }
        }
        guard reply.reports.count <= most, reports.count == reply.reports.count, Set(reports).count == reports.count,
            reply.visits <= reports.count, reply.batch == name,
            let note = VisitsInWarning(count: reply.visits, batch: name)
        else { return nil }
        self.init(reports: reports, note: note)
    }
}

extension VisitsInWarning {
    /// An English sentence for the wearer.
    func sentence(isSent: Bool) -> String {
        switch count {
        case 0:
            isSent
                ? "No visit went along with it."
                : "No visit goes along with it\(absence.map { ": \($0.reason)" } ?? ".")"
        case 1: isSent ? "One visit went along with it." : "One visit goes along with it."
        default: isSent ? "\(count) visits went along with it." : "\(count) visits go along with it."
        }
    }
}

extension VisitsInWarning.Absence {
    /// The rest of an English sentence for the wearer, with what to do.
    fileprivate var reason: String {
        switch self {
        case .noneCounts:
            "none is left that you let be published and that counts by the health authority's rules. If you left one out that should go along, let it be published, take the warning back and agree once more."
        case .underWay:
            "each visit goes along with one warning, and another one of yours that waits has visits. If these should go along with this one, take both back and agree to this one once more."
        case .tooMany:
            "of your earlier warnings with visits so many are less than 15 days old, or wait, that this device could not note one more. Your keys are sent all the same."
        case .unanswered:
            "the diary of visits did not answer, or could not hand any out. If one should go along, take the warning back and agree once more."
        case .noRoom: "your keys leave no room for visits. They are sent all the same."
        }
    }
}
