// SPDX-License-Identifier: Apache-2.0

import CivilTime
package import HTTPService
import JSON

/// The routes of the health office, the submission server and the laboratories. Each asks for a secret of its own,
/// in 64 hexadecimal digits after `Authorization: Bearer`, and they must be on an address that boards do not reach.
package final class InternalHTTP: HTTPHandler {
    /// The secrets that callers must present; a route whose secret is `nil` is refused with status 401.
    package struct Secrets: Sendable {
        /// The secret of the health office's portal, for teleTANs and the handles of warnings.
        package var portal: VerificationSecret?
        /// The secret of the submission server, for confirming TANs.
        package var submission: VerificationSecret?
        /// The secret of the laboratories, for reporting results.
        package var laboratory: VerificationSecret?

        /// Creates a set of secrets, which should differ from each other.
        package init(
            portal: VerificationSecret? = nil, submission: VerificationSecret? = nil, laboratory: VerificationSecret? = nil
        ) {
            self.portal = portal
            self.submission = submission
            self.laboratory = laboratory
        }
    }

    private enum Route: String, CaseIterable {
        case verify = "/version/v1/tan/verify"
        case teleTAN = "/version/v1/tan/teletan"
        case warning = "/version/v1/warning"
        case results = "/api/v1/lab/results"
        case rapidResults = "/api/v1/quicktest/results"
    }

    /// The paths of all routes, for tests and tools.
    package static var paths: [String] { Route.allCases.map(\.rawValue) }

    /// Bytes of a laboratory's batch at most; about 10,000 results.
    static let maximumBatchBytes = 1 << 20
    static let maximumReports = 10_000
    static let typeHeader = "x-cwa-teletan-type"

    private let verification: VerificationServer?
    private let results: TestResultServer?
    private let secrets: Secrets
    private let now: () -> Int64

    /// Creates a handler for the two servers. A server that is elsewhere is `nil`, and its routes are answered with 404.
    /// `now` returns Unix seconds.
    package init(
        verification: VerificationServer?, results: TestResultServer?, secrets: Secrets, now: @escaping () -> Int64
    ) {
        self.verification = verification
        self.results = results
        self.secrets = secrets
        self.now = now
    }

    /// Checks path, method, headers and secret of a request. Returns the number of bytes that the body may have: 1 MiB for
    /// results, otherwise 10,000. Otherwise the failure is an answer with status 400, 401, 404, 405, 406 or 415.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard let route = Route(rawValue: request.path), isHere(route) else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        let limit = route == .results || route == .rapidResults ? Self.maximumBatchBytes : VerificationHTTP.maximumBytes
        var judged = request
        // A teleTAN is asked for without a body, and what is not there has no type.
        if route == .teleTAN, judged.headers["content-type"] == nil, (judged.headers["content-length"] ?? "0") == "0" {
            judged.headers["content-type"] = "application/json"
        }
        if let status = RequestGate.refusal(judged, type: "application/json", maximumBytes: limit) {
            var answer = HTTPResponse.text(status, "\(VerificationError(.malformedRequest))")
            if status == 405 { answer.headers.append(("Allow", "POST")) }
            return .failure(HTTPRefusal(response: answer))
        }
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix),
            secret(of: route)?.isHexadecimal(header.dropFirst(prefix.count)) == true
        else {
            var answer = HTTPResponse.text(401, "\(VerificationError(.notAuthorised))")
            answer.headers.append(("WWW-Authenticate", "Bearer"))
            return .failure(HTTPRefusal(response: answer))
        }
        return .success(limit)
    }

    private func isHere(_ route: Route) -> Bool {
        switch route {
        case .verify, .teleTAN, .warning: verification != nil
        case .results, .rapidResults: results != nil
        }
    }

    private func secret(of route: Route) -> VerificationSecret? {
        switch route {
        case .verify: secrets.submission
        case .teleTAN, .warning: secrets.portal
        case .results, .rapidResults: secrets.laboratory
        }
    }

    /// Returns the answer: JSON, or no body with status 204 for results that were taken. A batch has 1 to 10,000
    /// results (our own choice) with codes 1 to 9 (5 to 9 for rapid tests, **tr** `TestResult`), and sample times
    /// from 60 days before now to a day after; a batch with a fault is refused as a whole. A refusal has the status
    /// of ``status(of:)`` and a sentence, which holds no key, TAN or test.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        do throws(VerificationError) {
            switch Route(rawValue: request.path) {
            case .verify: return try verify(request)
            case .teleTAN: return try teleTAN(request)
            case .warning: return try warning(request)
            case .results: return try take(request, isRapid: false)
            case .rapidResults: return try take(request, isRapid: true)
            case nil: return .text(404, "nothing is answered here")
            }
        } catch {
            return .text(Self.status(of: error.code), "\(error)")
        }
    }

    /// Returns the HTTP status of a refusal: 400, 401, 404 or 429 for a fault of the request, 503 for `storageInUse` and
    /// `full`, and 500 for any other code.
    package static func status(of code: VerificationError.Code) -> UInt32 {
        switch code {
        case .malformedRequest: 400
        case .notAuthorised: 401
        case .invalidTAN: 404
        case .teleTANRateExceeded: 429
        case .storageInUse, .full: 503
        default: 500
        }
    }

    /// `{"tan", "request"?, "type"?}`: `request` names the question, so that it may be asked again; a TAN of another type than `type` is
    /// refused and not used up.
    private func verify(_ request: HTTPRequest) throws(VerificationError) -> HTTPResponse {
        guard let verification else { return .text(404, "nothing is answered here") }
        let object = try RequestGate.members(request.body, known: ["tan", "request", "type"])
        let named = try RequestGate.optionalText(object, "type")
        let wanted = named.flatMap(WarningType.init)
        guard named == nil || wanted != nil else { throw VerificationError(.malformedRequest, "type") }
        let tan = try RequestGate.text(object, "tan")
        let request = try RequestGate.optionalText(object, "request").map { Array($0.utf8) }
        let type = try verification.confirmTAN(tan, type: wanted, request: request, now: now())
        // Without a name for the question the TAN is gone, and what came with it.
        let warning = request == nil ? nil : try verification.warning(ofTAN: tan)
        return HTTPResponse(
            status: 200,
            headers: [
                ("X-CWA-TELETAN-TYPE", type.rawValue), ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
            ], body: .bytes((["warning": warning.map { .string($0.hexadecimal) } ?? .null] as JSON).bytes))
    }

    /// `{"code"}`: a test's code or a teleTAN; `{"warnings"}`: the handles of what may have been warned with it.
    private func warning(_ request: HTTPRequest) throws(VerificationError) -> HTTPResponse {
        guard let verification else { return .text(404, "nothing is answered here") }
        let object = try RequestGate.members(request.body, known: ["code"])
        let handles = try verification.warningHandles(try RequestGate.text(object, "code"))
        let list: JSON = .array(handles.map { .string($0.hexadecimal) })
        return HTTPResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes((["warnings": list] as JSON).bytes))
    }

    private func teleTAN(_ request: HTTPRequest) throws(VerificationError) -> HTTPResponse {
        guard let verification else { return .text(404, "nothing is answered here") }
        _ = try RequestGate.members(request.body.isEmpty ? Array("{}".utf8) : request.body, known: [])
        guard let type = WarningType(rawValue: request.headers[Self.typeHeader] ?? WarningType.test.rawValue),
            type.hasTeleTANs
        else {
            throw VerificationError(.malformedRequest, Self.typeHeader)
        }
        let text = try verification.issueTeleTAN(type, now: now())
        return HTTPResponse(
            status: 201, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(
                (["value": .string(text), "validSeconds": .int(verification.rules.teleTANSeconds(type))] as JSON).bytes))
    }

    /// `{"testResults": [{"id", "result", "sc"?}], "labId"?}`; nothing of a batch with a fault is taken.
    private func take(_ request: HTTPRequest, isRapid: Bool) throws(VerificationError) -> HTTPResponse {
        guard let results else { return .text(404, "nothing is answered here") }
        let object = try RequestGate.members(request.body, known: ["testResults", "labId"], maximumDepth: 4)
        _ = try RequestGate.optionalText(object, "labId")
        guard let elements = object["testResults"]?.array, (1...Self.maximumReports).contains(elements.count) else {
            throw VerificationError(.malformedRequest, "testResults")
        }
        let time = now()
        var reports: [TestResultServer.Report] = []
        for (index, element) in elements.enumerated() {
            let place = "testResults[\(index)]"
            guard let members = element.object, members.members.allSatisfy({ ["id", "result", "sc"].contains($0.name) }),
                let identifier = members["id"]?.string,
                let test = isRapid ? TestIdentity(rapidKey: identifier) : TestIdentity(birthKey: identifier)
            else { throw VerificationError(.malformedRequest, place) }
            var sampleTime: Int64?
            if let value = members["sc"], value != .null {
                guard let seconds = value.int, (time - 60 * UTCDay.seconds...time + UTCDay.seconds).contains(seconds) else {
                    throw VerificationError(.malformedRequest, "\(place).sc")
                }
                sampleTime = seconds
            }
            // 1...9 (**tr** `TestResult`), rapid ones 5...9.
            guard let code = members["result"]?.int, (isRapid ? 5...9 : 1...9).contains(code),
                let result = TestResult(code: code, sampleTime: sampleTime)
            else { throw VerificationError(.malformedRequest, "\(place).result") }
            reports.append(TestResultServer.Report(test, result))
        }
        _ = try results.take(reports, now: time)
        return HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")])
    }
}
