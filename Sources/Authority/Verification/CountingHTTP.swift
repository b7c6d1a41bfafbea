// SPDX-License-Identifier: Apache-2.0

import HTTPService

/// Counts another handler's answers by status, and has its counters copied after each.
final class CountingHTTP: HTTPHandler {
    private let handler: any HTTPHandler
    private let name: String
    private let metrics: ServiceMetrics
    private let copy: () -> Void

    init(_ handler: any HTTPHandler, _ name: String, _ metrics: ServiceMetrics, copy: @escaping () -> Void) {
        self.handler = handler
        self.name = name
        self.metrics = metrics
        self.copy = copy
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        let decision = handler.begin(request)
        if case .failure(let refusal) = decision { metrics.count(name, refusal.response.status) }
        return decision
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let answer = handler.answer(request)
        metrics.count(name, answer.status)
        copy()
        return answer
    }

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        let answer = handler.refuseTooLarge(request)
        metrics.count(name, answer.status)
        return answer
    }
}
