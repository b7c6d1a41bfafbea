// SPDX-License-Identifier: Apache-2.0

import Interfaces
import WebPages

/// The parts of pages that are kept current while they are open: by the names that pages give them.
enum LivePlace: String, CaseIterable {
    case today, proof, sync, radio, overview, calibration

    /// Who may see it; `nil` for everybody.
    var roles: [Access1.Role]? {
        switch self {
        case .today: nil
        case .proof: PageRoutes.wearer
        case .sync, .radio, .overview, .calibration: PageRoutes.technicians
        }
    }

    /// Whether it changes without anybody saying so.
    var isPolled: Bool {
        switch self {
        case .today, .sync: false
        case .proof, .radio, .overview, .calibration: true
        }
    }
}

/// Draws them.
struct Fragments {
    let routes: PageRoutes

    /// The markup, as whoever has the page open would get it; `nil` when it cannot be had now.
    func draw(_ place: LivePlace, _ visitor: Visitor, then: @escaping ([UInt8]?) -> Void) {
        routes.renderer.render(visitor, questions(place, visitor)) { replies, context in
            guard let context else { return then(nil) }
            then(Self.markup(place, visitor, replies, context))
        }
    }

    private func questions(_ place: LivePlace, _ visitor: Visitor) -> [String: InterfaceClient.Question] {
        switch place {
        case .today: routes.todayQuestions(visitor.role)
        case .proof, .radio: ["radio": PageRoutes.radio]
        case .sync: ["sync": PageRoutes.freshness]
        case .overview: PageRoutes.checks
        case .calibration: ["measurement": PageRoutes.question(Device1.Method.getMeasurement)]
        }
    }

    private static func markup(
        _ place: LivePlace, _ visitor: Visitor, _ replies: Replies, _ context: PageContext
    ) -> [UInt8]? {
        switch place {
        case .today:
            guard let model = try? PageRoutes.today(replies), model.status.role == .place || visitor.role == .wearer else {
                return nil
            }
            return WearerPages.todayFragment(model, context)
        case .proof:
            return WearerPages.proofFragment(radio: replies.get("radio", as: Device1.RadioReply.self)?.radio, context)
        case .radio: return TechnicianPages.radioFragment(replies.get("radio", as: Device1.RadioReply.self)?.radio, context)
        case .sync:
            return TechnicianPages.syncFragment(replies.get("sync", as: Sync1.FreshnessReply.self)?.freshness, context)
        case .overview: return TechnicianPages.overviewFragment(PageRoutes.inputs(replies, context), context)
        case .calibration: return TechnicianPages.calibrationFragment(replies.get("measurement"), context)
        }
    }
}
