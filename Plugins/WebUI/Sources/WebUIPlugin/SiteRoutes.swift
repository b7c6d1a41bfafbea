// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import PluginKit

/// What is neither a page nor `/api/v1`.
struct SiteRoutes {
    private let shell: Shell
    private let events: EventHub

    init(_ shell: Shell, _ events: EventHub) {
        self.shell = shell
        self.events = events
    }

    var all: [Route] {
        [
            Route(
                "/healthz",
                ["GET": Route.Deed(kind: .plain, roles: nil, wantsRole: false) { [shell] in Self.health($0, shell) }]),
            Route(
                "/metrics",
                ["GET": Route.Deed(kind: .api, roles: [.viewer, .keeper]) { [shell] in Self.metrics($0, shell) }]),
            Route(
                "/events",
                [
                    "GET": Route.Deed(kind: .plain, roles: nil, isAttended: false) { [shell, events] in
                        Self.listen($0, shell, events)
                    }
                ]),
        ]
    }

    /// Whether the core answers, whatever it says.
    private static func health(_ visit: Visit, _ shell: Shell) {
        shell.asker.ask(.init(Exposure1.Method.getStatus), session: nil, role: nil, timeout: .seconds(3)) { answer in
            let isWell =
                switch answer {
                case .success: true
                case .failure(let error): error.code == .refused
                }
            var answer = Shell.asset(
                isWell ? "ok\n" : "the core does not answer\n", type: "text/plain", caching: "no-store")
            if !isWell { answer.status = 503 }
            visit.exchange.send(answer)
        }
    }

    private static func listen(_ visit: Visit, _ shell: Shell, _ events: EventHub) {
        let places = EventHub.places(visit)
        // A browser that brings a session that has ended has a page open that should not be.
        let hasEnded = visit.role == nil && Visit.cookie(.session, visit.request) != nil && EventHub.wantsMore(visit)
        guard !places.isEmpty || hasEnded else {
            return visit.exchange.send(Problem(403, "noPlaces", "Nothing of that is for you; sign in first.").response)
        }
        var looker = visit.looker(shell)
        looker.isAttended = false
        guard let stream = visit.exchange.stream(SafetyHeaderNames.forStreams) else {
            return visit.exchange.send(
                Problem(503, "tooManyStreams", "Close another window.", headers: [("Retry-After", "30")]).response)
        }
        if hasEnded { EventHub.dismiss(stream) } else { events.add(stream, looker, places) }
    }

    private static func metrics(_ visit: Visit, _ shell: Shell) {
        shell.asker.gather(MetricSources.questions, session: visit.session, role: visit.role) { answers in
            let found = answers.compactMapValues { try? $0.get() }
            guard !found.isEmpty else {
                return visit.exchange.send(Problem(503, "unreachable", "The core does not answer.").response)
            }
            let text = MetricsText.text(MetricSources.families(found))
            visit.exchange.send(Shell.asset(text, type: "text/plain; version=0.0.4", caching: "no-store"))
        }
    }
}
