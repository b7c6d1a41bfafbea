// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import PluginKit

/// What is neither a page nor `/api/v1`.
struct SiteRoutes {
    private let router: RequestRouter
    private let events: EventHub

    init(_ router: RequestRouter, _ events: EventHub) {
        self.router = router
        self.events = events
    }

    var all: [Route] {
        [
            Route(
                "/healthz",
                ["GET": Route.Action(kind: .plain, roles: nil, wantsRole: false) { [router] in Self.health($0, router) }]),
            Route(
                "/metrics",
                [
                    "GET": Route.Action(kind: .api, roles: [.technicianReadOnly, .technician]) { [router] in
                        Self.metrics($0, router)
                    }
                ]),
            Route(
                "/events",
                [
                    "GET": Route.Action(kind: .plain, roles: nil, isAttended: false) { [router, events] in
                        Self.listen($0, router, events)
                    }
                ]),
        ]
    }

    /// Whether the core answers, whatever it says.
    private static func health(_ incoming: IncomingRequest, _ router: RequestRouter) {
        router.client.ask(.init(Exposure1.Method.getStatus), session: nil, role: nil, timeout: .seconds(3)) { answer in
            let isWell =
                switch answer {
                case .success: true
                case .failure(let error): error.code == .refused
                }
            var answer = RequestRouter.asset(
                isWell ? "ok\n" : "the core does not answer\n", type: "text/plain", caching: "no-store")
            if !isWell { answer.status = 503 }
            incoming.exchange.send(answer)
        }
    }

    private static func listen(_ incoming: IncomingRequest, _ router: RequestRouter, _ events: EventHub) {
        let places = EventHub.places(incoming)
        // A browser that brings a session that has ended has a page open that should not be.
        let hasEnded =
            incoming.role == nil && IncomingRequest.cookie(.session, incoming.request) != nil
            && EventHub.wantsMore(incoming)
        guard !places.isEmpty || hasEnded else {
            return incoming.exchange.send(Problem(403, "noPlaces", "Nothing of that is for you; sign in first.").response)
        }
        var visitor = incoming.visitor(router)
        visitor.isAttended = false
        guard let stream = incoming.exchange.stream(SafetyHeaderNames.forStreams, toStranger: incoming.role == nil)
        else {
            return incoming.exchange.send(
                Problem(503, "tooManyStreams", "Close another window.", headers: [("Retry-After", "30")]).response)
        }
        if hasEnded { EventHub.dismiss(stream) } else { events.add(stream, visitor, places) }
    }

    private static func metrics(_ incoming: IncomingRequest, _ router: RequestRouter) {
        router.client.gather(MetricSources.questions, session: incoming.session, role: incoming.role) { answers in
            let found = answers.compactMapValues { try? $0.get() }
            guard !found.isEmpty else {
                return incoming.exchange.send(Problem(503, "unreachable", "The core does not answer.").response)
            }
            let text = MetricsText.text(MetricSources.families(found))
            incoming.exchange.send(RequestRouter.asset(text, type: "text/plain; version=0.0.4", caching: "no-store"))
        }
    }
}
