// SPDX-License-Identifier: Apache-2.0

package import DiagnosisPlan
import Glibc
package import HTTPClient
package import Logging
package import PluginKit

/// Plays one slot on the worker thread: exchanges at fixed times, genuine where there is something to do, and fake
/// otherwise. From outside, all slots look the same (docs/warn-others.md).
package struct SlotPlayer: @unchecked Sendable {
    // One thread at a time uses it: the worker's.
    private let client: () throws -> HTTPClient
    private let store: TestStore
    private let settings: DiagnosisSettings
    private let verification: String
    private let submission: String
    /// The way to the authority's servers.
    package let way: WarningWay
    private let log: Logger
    /// The clock by which steps begin.
    package var clock: SlotClock

    /// The number of seconds before its beginning at which a step is prepared. A genuine step is first written to disk, and
    /// slow memory may take seconds for that when it is busy.
    package static let preparation: Int64 = 5
    /// The number of seconds before its beginning at which a step is prepared; only tests set less than the standard, to
    /// show why it is needed.
    package var preparation = SlotPlayer.preparation

    /// How often a wait looks whether it was cancelled.
    private static let look = Duration.milliseconds(50)

    /// Creates a player of slots.
    /// - Parameter client: Makes the HTTP client of one slot.
    /// - Throws: `DiagnosisSettings.Fault` if `settings` cannot be used.
    package init(
        store: TestStore, settings: DiagnosisSettings, log: Logger, clock: SlotClock = .life,
        client: @escaping () throws -> HTTPClient
    ) throws {
        self.store = store
        self.settings = settings
        self.log = log
        self.clock = clock
        self.client = client
        way = try settings.warningWay()
        verification = try settings.base(.verification)
        submission = try settings.base(.submission)
    }

    /// A genuine step on disk, ready to be sent.
    private struct Prepared {
        let call: Playbook.Call
        let test: RegisteredTest
        let request: ExchangeRequest
    }

    /// Plays one slot: its first exchange begins ``preparation`` seconds after the call, the others after it by
    /// ``Playbook/offset(_:)``, all by ``clock``. Begins by forgetting old tests and ending expired ones. Blocks
    /// until the slot is over.
    /// - Parameters:
    ///   - start: The time of the slot in Unix seconds of ``clock``, which decides the task and what has expired.
    ///   - cancellation: Ends the slot, also while it waits.
    ///   - transfer: Ends an exchange under way.
    /// - Throws: `CancellationError` if it was cancelled, and then the exchange under way is left as after a power
    ///   cut; the error of the store if it cannot be written, and of `client` if it makes no client.
    package func play(_ start: Int64, _ cancellation: Cancellation, _ transfer: HTTPCancellation) throws {
        var random = SystemRandomNumberGenerator()
        // On disk with the first step, which is prepared at once.
        try store.change(isLater: true) {
            $0.forget(before: start)
            $0.expire(before: start)
        }
        let task = store.registry.task(at: start, way.kind)
        let playbook = Playbook(task?.occasion ?? .nothing, way.kind)
        var run = PlaybookRun(playbook)
        // One connection for the slot, and none left of an earlier one: whether the plugin stayed in between, because its wearer used it, would
        // show in the handshake.
        var http: HTTPClient? = try client()
        let began = ContinuousClock.now + clock.duration(preparation)
        for offset in playbook.steps.indices.map(Playbook.offset) {
            try wait(until: began + clock.duration(offset - preparation), cancellation)
            guard let step = run.next() else { return }
            var prepared = try prepare(step, task, &run, &random)
            let imitation = way.fake(step.call, using: &random)
            do { try wait(until: began + clock.duration(offset), cancellation) } catch {
                // It has not left.
                if let prepared { _ = try? note(.unsent, of: prepared) } else { try? store.rewrite(isOfStep: true) }
                throw error
            }
            if let waiting = prepared, !isWanted(waiting) {
                // Withdrawn or forgotten meanwhile: the step looks as it would have.
                prepared = nil
                run.stepFailed()
            }
            let answer = send(prepared?.request ?? imitation, http, transfer)
            // The only reference: the connection ends now, before anything is verified or written, so that its end says nothing either.
            if run.position == playbook.steps.count { http = nil }
            try cancellation.check()
            guard let prepared else {
                try store.rewrite(isOfStep: true)
                continue
            }
            if try !note(outcome(answer, of: prepared.request), of: prepared) { run.stepFailed() }
        }
    }

    private func wait(until moment: ContinuousClock.Instant, _ cancellation: Cancellation) throws {
        while true {
            try cancellation.check()
            let left = moment - ContinuousClock.now
            guard left > .zero else { return }
            // A quarter of a minute between two exchanges, on a thread that has nothing else to do.
            let parts = min(left, Self.look).components
            usleep(UInt32(parts.attoseconds / 1_000_000_000_000) + 1)
        }
    }

    /// `nil` for a fake, and for what was withdrawn. The disk is written to once in any case.
    private func prepare(
        _ step: Playbook.Step, _ task: TestRegistry.Task?, _ run: inout PlaybookRun,
        _ random: inout SystemRandomNumberGenerator
    ) throws -> Prepared? {
        guard step.isGenuine, let number = task?.number else {
            try store.rewrite(isOfStep: true)
            return nil
        }
        do {
            return try store.change(isOfStep: true) { registry in
                let request = try registry.begin(step.call, number, way, using: &random)
                return registry.test(number).map { Prepared(call: step.call, test: $0, request: request) }
            }
        } catch let error as DiagnosisPlanError where error.code == .notWaiting {
            run.stepFailed()
            try store.rewrite(isOfStep: true)
            return nil
        }
    }

    private func isWanted(_ prepared: Prepared) -> Bool {
        guard let test = store.registry.test(prepared.test.number) else { return false }
        return test.registration == prepared.test.registration && test.warning == prepared.test.warning
            && test.remainder == prepared.test.remainder
    }

    /// Whether the next step may follow.
    private func note(_ outcome: TestRegistry.Outcome, of prepared: Prepared) throws -> Bool {
        let now = clock.now()
        return try store.change(isOfStep: true) {
            $0.finish(prepared.call, prepared.test.number, outcome, way, at: now)
        }
    }

    /// Makes one exchange on the calling thread, and returns its outcome, which is not noted in the registry;
    /// without an HTTP client it is ``TestRegistry/Outcome/unsent``. Blocks for at most ``Playbook/stepTimeout``
    /// seconds. Cannot fail: errors are outcomes.
    package func exchange(
        _ request: ExchangeRequest, _ http: HTTPClient?, _ transfer: HTTPCancellation
    ) -> TestRegistry.Outcome {
        outcome(send(request, http, transfer), of: request)
    }

    /// What came back. Takes as long for a fake as for what it stands in for. Which one it was is in no log.
    private func send(
        _ request: ExchangeRequest, _ http: HTTPClient?, _ transfer: HTTPCancellation
    ) -> Result<HTTPResponse, HTTPError>? {
        guard let http else { return nil }
        let base = request.server == .verification ? verification : submission
        let limits = HTTPLimits(
            connectSeconds: Int(Playbook.stepTimeout), totalSeconds: Int(Playbook.stepTimeout),
            slowSeconds: Int(Playbook.stepTimeout),
            maximumBodyBytes: way.kind == .cwa ? VerificationAnswer.maximumBytes : ENSAnswer.maximumBytes,
            maximumRedirects: 0)
        var sent = HTTPRequest(
            base + request.path, method: request.method == .get ? .get : .post,
            headers: request.headers.map { ($0.name, $0.value) }, body: request.body, limits: limits)
        if way.kind != .cwa {
            // They say in the body why they refuse.
            sent.keepsRefusals = true
            sent.answerHeaders = [NHSSignature.headerName, NHSSignature.dateHeaderName]
        }
        do throws(HTTPError) { return .success(try http.send(sent, cancellation: transfer)) } catch {
            if error.status == nil { log.info("\(error)") }
            return .failure(error)
        }
    }

    private func outcome(_ answer: Result<HTTPResponse, HTTPError>?, of request: ExchangeRequest) -> TestRegistry.Outcome {
        switch answer {
        case nil: return .unsent
        case .success(let response)?: return judged(response, of: request)
        case .failure(let error)?:
            if let status = error.status { return .answered(status: status, body: []) }
            return error.code.isBeforeSending ? .unsent : .lost
        }
    }

    /// Nothing of an answer is read before its signature was verified, where there is one.
    private func judged(_ response: HTTPResponse, of request: ExchangeRequest) -> TestRegistry.Outcome {
        if case .nhs(let access) = way, let name = request.signedName, !Self.unsigned.contains(response.status) {
            let signature = NHSSignature(
                header: response.headers[NHSSignature.headerName], date: response.headers[NHSSignature.dateHeaderName])
            let isValid = signature?.isValid(
                name: name, method: request.method.rawValue, path: request.path, body: response.body, keys: access.keys)
            guard isValid == true else { return .notSigned }
        }
        if way.kind != .cwa, response.status == 429, let seconds = response.retryAfter { return .busy(seconds: seconds) }
        return .answered(status: response.status, body: response.body)
    }

    /// Refusals at the door and maintenance (specification rules-and-nhs 1).
    private static let unsigned: Set<Int> = [401, 403, 429, 500, 502, 503, 504]
}
