// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
package import HTTPService

/// Answers `POST /v3/userupload` (spec checkin-and-nhs A.6): turns one request into one answer, without a socket of its
/// own. Every answer has an empty body and headers of one length.
///
/// The answer to anything that a device may have sent is held back until a fixed time has passed, and holds a connection
/// meanwhile; submissions of keys have the same few. So what no device sends is refused at once, which tells nothing of any
/// device, and no more than ``heldLimit`` answers are held at once.
package final class UserUploadHTTP: HTTPHandler {
    /// The only path that is answered.
    package static let path = "/v3/userupload"

    private let server: UserUploadServer
    private let now: () -> Int64
    private let milliseconds: () -> Double
    private var generator: any RandomNumberGenerator
    private let slotMilliseconds: Double
    /// When answers leave that are held back.
    private var held: [Double] = []

    /// The most answers that are held back at once: a quarter of the connections that a server takes (256). Our own bound:
    /// some 40 uploads a second.
    package static let heldLimit = 64
    /// What whoever comes then is told to wait, in seconds: longer than an answer is held back.
    private static let retrySeconds = 2

    /// Creates a handler for `server`. `now` returns Unix seconds, `milliseconds` a clock that never goes back. The answer
    /// to a body of the form that devices send leaves no earlier than `slotMilliseconds` after its request is complete, so
    /// that uploads, cover traffic and refusals leave together (SwissCovid's `requestTime` is 1,500).
    package init(
        server: UserUploadServer, now: @escaping () -> Int64,
        milliseconds: @escaping () -> Double = MonotonicClock.milliseconds, slotMilliseconds: Double = 1_500,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.server = server
        self.now = now
        self.milliseconds = milliseconds
        self.generator = generator
        self.slotMilliseconds = slotMilliseconds
    }

    /// Checks the path of a request, and that its size is limited, as ``SubmissionHTTP`` does. Returns the number of bytes
    /// that the body may have: 160 KiB.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard request.path == Self.path else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        guard !RequestGate.isBoundless(request, maximumBytes: UserUploadRules.maximumBytes) else {
            return .failure(HTTPRefusal(response: answer(400, .malformedRequest)))
        }
        return .success(UserUploadRules.maximumBytes)
    }

    /// Returns the answer to a body that is too large, with status 400 unless another fault comes first.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: true) }

    /// Returns the answer to an upload. Never throws: a refusal has the status of ``SubmissionHTTP/status(of:)``, or 400,
    /// 405, 406 (chunked transfer) or 415 for a request that is not an upload. While ``heldLimit`` answers are held back,
    /// the answer is 503 whatever the body is; nothing is taken, and no token is spent.
    package func answer(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: false) }

    private func answer(_ request: HTTPRequest, isTooLarge: Bool) -> HTTPResponse {
        let start = milliseconds()
        let gate = RequestGate.refusal(
            request, type: "application/x-protobuf", maximumBytes: UserUploadRules.maximumBytes)
        if let status = gate ?? (isTooLarge ? 406 : nil) {
            let isSize = status == 406 && request.headers["transfer-encoding"] == nil
            return answer(isSize ? 400 : status, .malformedRequest)
        }
        held.removeAll { $0 <= start }
        // Before anybody looks at the body: this tells nothing of it.
        guard held.count < Self.heldLimit else {
            return UniformAnswer.later(.tooManyUploads, retrySeconds: Self.retrySeconds, using: &generator)
        }
        let entries: [UserUpload.Entry]
        do throws(VerificationError) { entries = try server.genuine(request.body) } catch {
            return answer(SubmissionHTTP.status(of: error.code), error.code)
        }
        var answer = judged(entries, request)
        let end = milliseconds()
        answer.delayMilliseconds = max(0, slotMilliseconds - (end - start))
        held.append(end + answer.delayMilliseconds)
        return answer
    }

    private func judged(_ entries: [UserUpload.Entry], _ request: HTTPRequest) -> HTTPResponse {
        do throws(VerificationError) {
            _ = try server.take(entries, of: request.body, token: Self.token(request), now: now())
            return answer(200, nil)
        } catch {
            return answer(SubmissionHTTP.status(of: error.code), error.code)
        }
    }

    private static func token(_ request: HTTPRequest) -> String? {
        let prefix = "Bearer "
        guard let header = request.authorization, header.hasPrefix(prefix) else { return nil }
        return String(header.dropFirst(prefix.count))
    }

    private func answer(_ status: UInt32, _ code: VerificationError.Code?) -> HTTPResponse {
        // Without the list, which could be left out, Swift 6.3 does not compile this.
        UniformAnswer.empty(status, headers: [], code: code, using: &generator)
    }
}

/// Answers two paths on one address.
final class SubmissionRoutes: HTTPHandler {
    private let submission: SubmissionHTTP
    private let uploads: UserUploadHTTP

    init(submission: SubmissionHTTP, uploads: UserUploadHTTP) {
        self.submission = submission
        self.uploads = uploads
    }

    private func handler(_ request: HTTPRequest) -> any HTTPHandler {
        request.path == UserUploadHTTP.path ? uploads : submission
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> { handler(request).begin(request) }
    func answer(_ request: HTTPRequest) -> HTTPResponse { handler(request).answer(request) }
    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { handler(request).refuseTooLarge(request) }
}
