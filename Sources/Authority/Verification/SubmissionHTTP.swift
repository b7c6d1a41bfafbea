// SPDX-License-Identifier: Apache-2.0

package import HTTPService

/// `POST /version/v1/diagnosis-keys` (`cwa-protocols` section 5): a request to an answer, both values. Every answer of that path has an
/// empty body and headers of one length.
package final class SubmissionHTTP: HTTPHandler {
    /// The one path that is answered (cwa-server).
    package static let path = "/version/v1/diagnosis-keys"

    private let server: SubmissionServer
    private let now: () -> Int64
    private let milliseconds: () -> Double
    private var delay = FakeDelay()
    private var generator: any RandomNumberGenerator
    private let slotMilliseconds: Double

    /// `now` gives Unix seconds, `milliseconds` a clock that only goes forward. No answer of ``path`` leaves sooner than `slotMilliseconds` after its
    /// request is there, so that real ones, fakes and refusals leave together (ours; what takes longer still shows), but for those of
    /// ``begin(_:)``.
    package init(
        server: SubmissionServer, now: @escaping () -> Int64,
        milliseconds: @escaping () -> Double = MonotonicClock.milliseconds,
        slotMilliseconds: Double = 100, generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.server = server
        self.now = now
        self.milliseconds = milliseconds
        self.generator = generator
        self.slotMilliseconds = slotMilliseconds
    }

    /// The bytes that the body of a request to ``path`` may have, 100 KiB: what else is wrong with it, ``answer(_:)`` says. Otherwise an answer that
    /// leaves at once: 404 for another path, and 400 for a body whose announced length is so far beyond that not even its end is waited for.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == Self.path else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        guard !RequestGate.isBoundless(request, maximumBytes: SubmissionRules.maximumBytes) else {
            return .failure(HTTPRefusal(response: answer(400, .malformedRequest)))
        }
        // What else is wrong with it is said when all of it is there, and then as late as everything else.
        return .success(SubmissionRules.maximumBytes)
    }

    /// The answer 400 to a larger body.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: true) }

    /// Any number but 0 is fake.
    private static func isFake(_ request: HTTPRequest) -> Bool? {
        guard let text = request.headers["cwa-fake"], let number = Int(text) else { return nil }
        return number != 0
    }

    /// The answer to real and fake submissions; its delay makes them leave together. Never throws: refusals have the status of ``status(of:)``, or
    /// 405 for another method, 406 for a body in chunks, 400 for one that is too large, 415 for another type.
    package func answer(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: false) }

    private func answer(_ request: HTTPRequest, isTooLarge: Bool) -> HTTPResponse {
        let start = milliseconds()
        var answer = promptAnswer(request, isTooLarge: isTooLarge, start: start)
        answer.delayMilliseconds = max(answer.delayMilliseconds, slotMilliseconds - (milliseconds() - start))
        return answer
    }

    private func promptAnswer(_ request: HTTPRequest, isTooLarge: Bool, start: Double) -> HTTPResponse {
        let gate = RequestGate.refusal(
            request, type: "application/x-protobuf", maximumBytes: SubmissionRules.maximumBytes)
        if let status = gate ?? (isTooLarge ? 406 : nil) {
            // A body of more than 100 KB is a 400 here.
            let isSize = status == 406 && request.headers["transfer-encoding"] == nil
            return unjudged(isSize ? 400 : status, .malformedRequest)
        }
        guard let isFake = Self.isFake(request) else { return unjudged(400, .malformedRequest) }
        guard !isFake else { return unjudged(200, nil) }
        // Self-reports have no server here, so their credential is never valid.
        let hasOTP = request.headers["cwa-otp"].map { !$0.isEmpty } ?? false
        guard let tan = request.headers["cwa-authorization"], !tan.isEmpty, !hasOTP else {
            let hasTAN = request.headers["cwa-authorization"].map { !$0.isEmpty } ?? false
            return hasOTP && !hasTAN ? unjudged(403, .invalidTAN) : unjudged(400, .malformedRequest)
        }
        do throws(VerificationError) {
            let taken = try server.submit(request.body, tan: tan, now: now())
            delay.record(milliseconds: milliseconds() - start)
            return answer(200, nil, taken)
        } catch {
            return answer(Self.status(of: error.code), error.code)
        }
    }

    /// The HTTP status of a refusal. What is no fault of the request passes (500): the same bytes may be sent again.
    package static func status(of code: VerificationError.Code) -> UInt32 {
        switch code {
        case .malformedRequest, .invalidSubmission: 400
        case .invalidTAN: 403
        default: 500
        }
    }

    /// Nothing was looked up for it: fakes, and what is malformed, wait alike.
    private func unjudged(_ status: UInt32, _ code: VerificationError.Code?) -> HTTPResponse {
        var answer = answer(status, code)
        answer.delayMilliseconds = Double(delay.draw(using: &generator))
        return answer
    }

    private func answer(
        _ status: UInt32, _ code: VerificationError.Code?, _ taken: TakenSubmission = TakenSubmission(keys: 0)
    ) -> HTTPResponse {
        // Three digits in every answer, so that neither fakes nor submissions without check-ins differ in length.
        func digits(_ number: Int) -> String { String("\(1_000 + min(max(number, 0), 999))".dropFirst()) }
        let checkIns = [
            ("cwa-filtered-checkins", digits(taken.filteredCheckIns)), ("cwa-saved-checkins", digits(taken.checkIns)),
        ]
        return UniformAnswer.empty(status, headers: checkIns, code: code, using: &generator)
    }
}
