// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPService
import JSON

/// The internal address: the routes of ``InternalHTTP``, metrics, and results for a verification server that runs apart.
final class PartnerHTTP: HTTPHandler {
    /// Ours: **tr**'s `/api/v1/app/result` asks by the registered hash, which the verification server does not keep.
    static let resultPath = "/internal/v1/result"

    private let others: InternalHTTP
    private let verification: VerificationServer?
    private let results: TestResultServer?
    private let secret: VerificationSecret?
    private let metrics: ServiceMetrics
    private let now: () -> Int64
    private var hourly = HourlyMetrics()

    init(
        _ others: InternalHTTP, verification: VerificationServer?, results: TestResultServer?, secret: VerificationSecret?,
        metrics: ServiceMetrics, now: @escaping () -> Int64
    ) {
        self.others = others
        self.verification = verification
        self.results = results
        self.secret = secret
        self.metrics = metrics
        self.now = now
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        if request.path == MetricsText.path { return MetricsText.refusal(request).map { .failure($0) } ?? .success(0) }
        guard request.path == Self.resultPath, results != nil, let secret else { return others.begin(request) }
        if let status = RequestGate.refusal(request, type: "application/json", maximumBytes: VerificationHTTP.maximumBytes)
        {
            return .failure(HTTPRefusal(response: .text(status, "\(VerificationError(.malformedRequest))")))
        }
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix),
            secret.isHexadecimal(header.dropFirst(prefix.count))
        else {
            var answer = HTTPResponse.text(401, "\(VerificationError(.notAuthorised))")
            answer.headers.append(("WWW-Authenticate", "Bearer"))
            return .failure(HTTPRefusal(response: answer))
        }
        return .success(VerificationHTTP.maximumBytes)
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do throws(VerificationError) {
            switch request.path {
            case MetricsText.path:
                let slow = try hourly.families(now: now()) { () throws(VerificationError) in metrics.acts + (try gauges()) }
                return MetricsText.answer(metrics.families + slow)
            case Self.resultPath: return try result(request)
            default: return others.answer(request)
            }
        } catch {
            let status: UInt32 = error.code == .malformedRequest ? 400 : error.code == .storageInUse ? 503 : 500
            return .text(status, "\(error)")
        }
    }

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { others.refuseTooLarge(request) }

    private func gauges() throws(VerificationError) -> [MetricFamily] {
        var families: [MetricFamily] = []
        if let verification {
            let counts = try verification.store.counts(now: now())
            families += [
                MetricFamily("vigil_registrations", .gauge, "Registrations that are kept.", counts.registrations),
                MetricFamily(
                    "vigil_registrations_with_tan", .gauge, "Registrations that had their TAN.", counts.registrationsWithTAN
                ),
                MetricFamily("vigil_open_teletans", .gauge, "TeleTANs that are good and not used.", counts.teleTANs),
                MetricFamily("vigil_open_tans", .gauge, "TANs that are good and not used.", counts.tans),
            ]
        }
        if let results {
            families.append(MetricFamily("vigil_results", .gauge, "Test results that are kept.", try results.count()))
        }
        return families
    }

    /// `{"test": 64 digits}`, the identity as it is stored.
    private func result(_ request: HTTPRequest) throws(VerificationError) -> HTTPResponse {
        guard let results else { return .text(404, "nothing is answered here") }
        let object = try RequestGate.members(request.body, known: ["test"])
        guard let bytes = Hex.bytes(try RequestGate.text(object, "test")), bytes.count == SHA256.byteCount else {
            throw VerificationError(.malformedRequest, "test")
        }
        let result = try results.result(of: TestIdentity(stored: bytes), now: now())
        var members: JSON.Object = ["testResult": .int(result.code)]
        members["sc"] = result.sampleTime.map { .int($0) }
        return HTTPResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(JSON.object(members).bytes))
    }
}
