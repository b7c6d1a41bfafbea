// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Synchronization
import Verification

/// Answers `POST /v3/register`: 200 or 400 with an empty body, both after the same time, so that an answer tells nobody
/// whether a device was registered.
struct RegistrationRoute {
    static let path = "/v3/register"
    /// No answer leaves earlier; as the submission's (our own choice).
    static let slotMilliseconds = 100.0
    private static let type = "application/x-protobuf"

    /// How many may wait to be written; whoever comes then is told 503, and has to come again. Each holds a connection, which
    /// everybody else needs, too. Our own bound.
    static let waitingLimit = 64

    private let writer: RegistrationWriter
    private let queue = Queue()

    /// On the server's thread only.
    private final class Queue { var count = 0 }

    /// `authority` is the handler's own. After every `interval` registrations the oldest of more than `count` are forgotten.
    init(
        _ authority: HealthAuthority, keeping count: Int64 = HealthAuthority.maximumRegistrations,
        every interval: Int = 10_000
    ) { writer = RegistrationWriter(authority, keeping: count, every: interval) }

    /// A refusal before the body; `nil` when the body is to be read.
    func refusal(_ request: HTTPRequest) -> HTTPRefusal? {
        guard request.method == "POST" else {
            var response = HTTPResponse.text(405, "devices register with POST")
            response.headers.append(("Allow", "POST"))
            return HTTPRefusal(response: response)
        }
        let type = request.headers["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == Self.type else {
            return HTTPRefusal(response: .text(415, "a registration has the type \(Self.type)"))
        }
        return nil
    }

    /// Writing waits for the disk, and for whoever else writes: not on the thread that answers everybody.
    func outcome(_ body: [UInt8], now: Int64) -> HTTPOutcome {
        let start = MonotonicClock.milliseconds()
        guard let message = PushRegistrationMessage(decoding: body) else { return .answer(refuse()) }
        guard queue.count < Self.waitingLimit else { return .answer(Self.empty(503)) }
        queue.count += 1
        let (writer, queue, isWritten) = (writer, queue, Flag())
        return .calculation(
            HTTPCalculation(isUrgent: false) {
                if writer.write(message, now: now) { isWritten.set() }
            } finish: { _ in
                queue.count -= 1
                var response = Self.empty(isWritten.isSet ? 200 : 503)
                // Filled up, not added: a registration takes as long as writing it, a refusal nothing.
                response.delayMilliseconds = max(0, Self.slotMilliseconds - (MonotonicClock.milliseconds() - start))
                return response
            })
    }

    /// What is no registration.
    func refuse() -> HTTPResponse { Self.empty(400) }

    private static func empty(_ status: UInt32) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: [("Cache-Control", "no-store")], body: .bytes([]))
        response.delayMilliseconds = slotMilliseconds
        return response
    }
}

/// Whether a registration is on the disk: set on one thread, read on another.
private final class Flag: Sendable {
    private let value = Atomic(false)

    func set() { value.store(true, ordering: .releasing) }
    var isSet: Bool { value.load(ordering: .acquiring) }
}

/// Writes registrations, each durable when ``write(_:now:)`` returns.
///
/// Unchecked: only the server's thread for calculations uses the authority, for one registration after the other.
private final class RegistrationWriter: @unchecked Sendable {
    private let authority: HealthAuthority
    private let count: Int64
    private let interval: Int
    /// Registrations since older ones were last forgotten.
    private var written = 0

    init(_ authority: HealthAuthority, keeping count: Int64, every interval: Int) {
        self.authority = authority
        self.count = count
        self.interval = interval
    }

    /// `false` if it could not be written.
    func write(_ message: PushRegistrationMessage, now: Int64) -> Bool {
        do throws(AuthorityError) {
            try authority.register(message, now: now)
        } catch { return false }
        written += 1
        // Between two publications, too: whoever registers proves nothing. Where that fails the next one tries again.
        if written >= interval, (try? authority.trimRegistrations(now: now, keeping: count)) != nil { written = 0 }
        return true
    }
}
