// SPDX-License-Identifier: Apache-2.0

package import HTTPService

/// Answers `POST /version/v1/diagnosis-keys` (`cwa-protocols` section 5): turns one request into one answer,
/// without a socket of its own. Every answer to this path has an empty body and headers of one length; 404 for
/// another path has a sentence.
package final class SubmissionHTTP: HTTPHandler {
    /// The only path that is answered (cwa-server).
    package static let path = "/version/v1/diagnosis-keys"

    private let server: SubmissionServer
    private let now: () -> Int64
    private let milliseconds: () -> Double
    private var delay = FakeDelay()
    private var generator: any RandomNumberGenerator
    private let slotMilliseconds: Double

    /// Creates a handler for `server`. `now` returns Unix seconds, `milliseconds` a clock that never goes back. No answer
    /// leaves earlier than `slotMilliseconds` after its request is complete, so that real submissions, fakes and refusals
    /// leave together (our own choice; what takes longer still shows).
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

    /// Checks the path of a request, and that its size is limited. Returns the number of bytes that the body may
    /// have: 100 KiB. Otherwise the failure is an answer with status 404 for another path, or 400 for a
    /// `Content-Length` more than 1 MiB above the limit. Other faults are answered by ``answer(_:)``, as late as
    /// any submission.
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

    /// Returns the answer to a body that is too large, with status 400 unless another fault comes first.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: true) }

    /// Any number but 0 is fake.
    private static func isFake(_ request: HTTPRequest) -> Bool? {
        guard let text = request.headers["cwa-fake"], let number = Int(text) else { return nil }
        return number != 0
    }

    /// Returns the answer to a real or fake submission, with a delay that makes both look alike. The header
    /// `cwa-fake` must be a whole number, 0 for a real submission; the TAN is in `cwa-authorization`, and a filled
    /// `cwa-otp` is refused. Never throws: a refusal has the status of ``status(of:)``, or 400, 403, 405, 406
    /// (chunked transfer) or 415 for a request that is not a submission.
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

    /// Returns the HTTP status of a refusal: 400 for a malformed body or a broken rule, 403 for an invalid TAN, 503 for
    /// ``VerificationError/Code/tooManyUploads``, and 500 for any other code. After 500 and 503 the same bytes may be sent again.
    package static func status(of code: VerificationError.Code) -> UInt32 {
        switch code {
        case .malformedRequest, .invalidSubmission: 400
        case .invalidTAN: 403
        case .tooManyUploads: 503
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
