// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
package import HTTPService
import JSON

/// Answers the three routes that boards use (`cwa-protocols` section 4): turns one request into one answer, without
/// a socket of its own.
///
/// A fake request is read like a real one, gets a made-up answer (a random token or TAN, or a positive result of
/// now) after a delay drawn like that of real ones, and touches no storage.
package final class VerificationHTTP: HTTPHandler {
    /// The most bytes that a body may have: 10,000 (**ver** `RequestSizeLimitFilter`).
    package static let maximumBytes = 10_000
    /// The name of the header with a UUID that names a request so that it can be repeated (our own extension). Fake
    /// requests carry one too.
    package static let requestHeader = "vigil-request"

    private enum Route: String, CaseIterable {
        case registration = "/version/v1/registrationToken"
        case result = "/version/v1/testresult"
        case tan = "/version/v1/tan"
    }

    /// The paths of all routes, for tests and tools.
    package static var paths: [String] { Route.allCases.map(\.rawValue) }

    /// The server that answers; used on this handler's thread only.
    package let server: VerificationServer
    private var delays: [Route: FakeDelay] = [:]
    private let now: () -> Int64
    private let milliseconds: () -> Double
    private var generator: any RandomNumberGenerator
    private let slotMilliseconds: Double

    /// Creates a handler for `server`. `now` returns Unix seconds, `milliseconds` a clock that never goes back. No answer
    /// leaves earlier than `slotMilliseconds` after its request is complete, so that real answers, fakes and refusals leave
    /// together (our own choice; what takes longer still shows).
    package init(
        server: VerificationServer, now: @escaping () -> Int64,
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
    /// have: 10,000. Otherwise the failure is an answer with status 404 for another path, or 406 for a
    /// `Content-Length` more than 1 MiB above the limit; all answers but 404 have one length. Other faults are
    /// answered by ``answer(_:)``, as late as any request.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard Route(rawValue: request.path) != nil else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        guard !RequestGate.isBoundless(request, maximumBytes: Self.maximumBytes) else {
            return .failure(
                HTTPRefusal(response: UniformAnswer.refusal(406, .malformedRequest, using: &generator)))
        }
        // What else is wrong with it is said when all of it is there, and then as late as everything else.
        return .success(Self.maximumBytes)
    }

    /// Returns the answer to a body that is too large, with status 406 unless another fault comes first.
    package func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: true) }

    private static func isFake(_ request: HTTPRequest) -> Bool? {
        switch request.headers["cwa-fake"] {
        case "0": false
        case "1": true
        default: nil
        }
    }

    /// Returns the answer to a real or fake request, with a delay that makes both look alike. The header `cwa-fake`
    /// must be 0 or 1. Never throws: a refusal has the status of ``status(of:)``, or 400, 404, 405, 406 or 415 for
    /// a request that breaks the protocol.
    package func answer(_ request: HTTPRequest) -> HTTPResponse { answer(request, isTooLarge: false) }

    private func answer(_ request: HTTPRequest, isTooLarge: Bool) -> HTTPResponse {
        let start = milliseconds()
        var answer = promptAnswer(request, isTooLarge: isTooLarge, start: start)
        answer.delayMilliseconds = max(answer.delayMilliseconds, slotMilliseconds - (milliseconds() - start))
        return answer
    }

    private func promptAnswer(_ request: HTTPRequest, isTooLarge: Bool, start: Double) -> HTTPResponse {
        guard let route = Route(rawValue: request.path) else { return .text(404, "nothing is answered here") }
        let gate = RequestGate.refusal(request, type: "application/json", maximumBytes: Self.maximumBytes)
        if let status = gate ?? (isTooLarge ? 406 : nil) { return malformed(route, status) }
        guard let isFake = Self.isFake(request) else { return malformed(route) }
        let wanted: Call
        do throws(VerificationError) { wanted = try call(route, request) } catch { return malformed(route) }
        do throws(VerificationError) {
            guard !isFake else { return fake(route) }
            let (status, members) = try real(wanted)
            let answer = UniformAnswer.json(status, members, using: &generator)
            delays[route, default: FakeDelay()].record(milliseconds: milliseconds() - start)
            return answer
        } catch {
            return UniformAnswer.refusal(Self.status(of: error.code), error.code, using: &generator)
        }
    }

    /// Returns the HTTP status of a refusal by the table of `cwa-protocols` section 4: 400 or 403 for a fault of the
    /// request, and 500 for any other code. 410 for `teleTANExpired` and 503 for `storageInUse` and `full` are our own
    /// choice.
    package static func status(of code: VerificationError.Code) -> UInt32 {
        switch code {
        case .malformedRequest, .keyAlreadyUsed, .unknownTeleTAN, .unknownToken, .notPositive, .tanAlreadyIssued: 400
        case .birthMismatch: 403
        case .teleTANExpired: 410
        case .storageInUse, .full: 503
        default: 500
        }
    }

    private enum Call {
        case register(VerificationServer.Key, request: String?)
        case result(token: String)
        case tan(token: String, request: String?, remainder: String?)
    }

    private func call(_ route: Route, _ request: HTTPRequest) throws(VerificationError) -> Call {
        let name = request.headers[Self.requestHeader]
        guard name.map({ RandomUUID.bytes($0) != nil }) ?? true else {
            throw VerificationError(.malformedRequest, Self.requestHeader)
        }
        if route == .registration {
            let object = try RequestGate.members(request.body, known: ["key", "keyType", "keyDob", "requestPadding"])
            _ = try RequestGate.optionalText(object, "requestPadding")
            let key = try VerificationServer.key(
                RequestGate.text(object, "key"), type: RequestGate.text(object, "keyType"),
                birth: RequestGate.optionalText(object, "keyDob"))
            return .register(key, request: name)
        }
        let object = try RequestGate.members(
            request.body,
            known: route == .tan
                ? ["registrationToken", "remainder", "requestPadding"] : ["registrationToken", "requestPadding"])
        _ = try RequestGate.optionalText(object, "requestPadding")
        let token = try RequestGate.text(object, "registrationToken")
        guard RandomUUID.bytes(token) != nil else { throw VerificationError(.malformedRequest, "registrationToken") }
        guard route == .tan else { return .result(token: token) }
        let remainder = try RequestGate.optionalText(object, "remainder")
        guard remainder.map({ RandomUUID.bytes($0) != nil }) ?? true else {
            throw VerificationError(.malformedRequest, "remainder")
        }
        return .tan(token: token, request: name, remainder: remainder)
    }

    private func real(_ call: Call) throws(VerificationError) -> (UInt32, JSON.Object) {
        switch call {
        case .register(let key, let request):
            return (201, ["registrationToken": .string(try server.register(key, request: request, now: now()))])
        case .result(let token):
            let result = try server.result(token: token, now: now())
            var members: JSON.Object = ["testResult": .int(result.code)]
            members["sc"] = result.sampleTime.map { .int($0) }
            return (200, members)
        case .tan(let token, let request, let remainder):
            let tan = try server.tan(token: token, request: request, remainder: remainder, now: now())
            return (201, ["tan": .string(tan)])
        }
    }

    /// Nothing was looked up for it: it waits as a fake does.
    private func malformed(_ route: Route, _ status: UInt32 = 400) -> HTTPResponse {
        var answer = UniformAnswer.refusal(status, .malformedRequest, using: &generator)
        answer.delayMilliseconds = wait(of: route)
        return answer
    }

    private func wait(of route: Route) -> Double { Double((delays[route] ?? FakeDelay()).draw(using: &generator)) }

    private func fake(_ route: Route) -> HTTPResponse {
        let identifier = JSON.string(RandomUUID.text(using: &generator))
        var answer =
            switch route {
            case .registration: UniformAnswer.json(201, ["registrationToken": identifier], using: &generator)
            case .result: UniformAnswer.json(200, ["testResult": 2, "sc": .int(now())], using: &generator)
            case .tan: UniformAnswer.json(201, ["tan": identifier], using: &generator)
            }
        answer.delayMilliseconds = wait(of: route)
        return answer
    }
}

/// A clock that cannot be set.
package enum MonotonicClock {
    /// Returns the milliseconds, with fractions, since an unspecified moment in the past. Cannot fail.
    package static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}
