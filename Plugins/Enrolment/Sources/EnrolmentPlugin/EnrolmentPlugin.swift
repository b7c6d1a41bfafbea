// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import CivilTime
import Cryptography
import Enrolment
import HTTPClient
import Interfaces
import Logging
public import PluginKit

/// The plugin for enrolment (docs/enrolment.md): asks the core for the time, does what `BoardEnrolment` finds to be done, says in one line of the log how it
/// stands, and is started again when there is more to do. Used only on its host's loop.
public final class EnrolmentPlugin: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = EnrolmentSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// The file of the claim in the plugin's lasting folder, where the supervisor puts it.
    static let claimFile = "enrolment-claim"
    /// The folder in it for name, key and certificate.
    static let folder = "identity"
    /// The value of the plugin's store that counts failures in a row.
    static let failuresKey = "failures"
    /// How long it stays when nobody needs it.
    private static let grace = Duration.seconds(5)
    static let patience = Duration.seconds(20)

    let host: Host<Settings>
    let store: KeyValueStore
    private let cancellation = HTTPCancellation()
    /// Whether no run is under way.
    private(set) var isResting = true
    private var timer: PluginLoop.Timer?

    /// Sets up the plugin on its loop. Throws ``StorageError`` if what it keeps cannot be opened.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        store = try host.storage(limit: 4_096)
        host.onStart = { [unowned self] in run() }
        host.onSettings = { [unowned self] _ in run() }
        host.onStop = { [unowned self] in cancellation.cancel() }
        host.exitsWhenIdle(after: Self.grace)
    }

    /// Does what is to be done now; nothing while that is under way.
    func run() {
        guard isResting, !host.isStopping else { return }
        isResting = false
        timer?.cancel()
        host.call(Device1.Method.getTime, as: Device1.TimeReply.self, timeout: Self.patience) { [unowned self] reply in
            switch reply {
            case .success(let reply):
                let time = reply.time
                enrol(now: time.state == .untrusted ? nil : time.now.map { $0 / 1_000 })
            case .failure(let error):
                host.log.warning("the core does not say what time it is; it is asked again: \(error)")
                rest(for: EnrolmentPace.firstWait)
            }
        }
    }

    // MARK: A run

    private struct Result: Sendable {
        var outcome: Swift.Result<BoardEnrolment.Outcome, EnrolmentError>
        var certificate: DeviceCertificate?
    }

    private func enrol(now: Int64?) {
        let order: EnrolmentOrder
        let job: @Sendable () -> Result
        do {
            order = try host.settings.order()
            job = try makeJob(order, now)
        } catch {
            host.log.error("\(error)")
            return rest(for: EnrolmentPace.longWait)
        }
        host.work { _ in
            job()
        } then: { [unowned self] result in
            guard !host.isStopping, let result = try? result.get() else { return rest(for: EnrolmentPace.firstWait) }
            end(result, order, now)
        }
    }

    /// What jobs on the worker thread use: the board on its disk, and who carries.
    func means(
        _ order: EnrolmentOrder
    ) throws -> (
        board: @Sendable () throws(EnrolmentError) -> BoardEnrolment, carrier: ESTCarrier
    ) {
        guard let state = host.state else { throw EnrolmentError(.storage, "the plugin has no folder for what lasts") }
        let seal = try host.seal()
        let configuration = HTTPConfiguration(
            socksProxy: host.socks, authorityFile: try host.authorityFile(order.anchor), userAgent: "")
        return (
            { () throws(EnrolmentError) in
                try BoardEnrolment(
                    order: order, claim: "\(state)/\(Self.claimFile)", folder: "\(state)/\(Self.folder)", seal: seal)
            }, ESTCarrier(configuration: configuration, cancellation: cancellation)
        )
    }

    /// The steps, for the worker thread.
    private func makeJob(_ order: EnrolmentOrder, _ now: Int64?) throws -> @Sendable () -> Result {
        let (open, carrier) = try means(order)
        return {
            do throws(EnrolmentError) {
                let board = try open()
                do throws(EnrolmentError) {
                    let outcome = try board.run(now: now, carrier: carrier)
                    return Result(outcome: .success(outcome), certificate: try board.certificate())
                } catch { return Result(outcome: .failure(error), certificate: try? board.certificate()) }
            } catch { return Result(outcome: .failure(error)) }
        }
    }

    private func end(_ result: Result, _ order: EnrolmentOrder, _ now: Int64?) {
        host.reportCertificates("enrolment", pem: result.certificate?.pem ?? "")
        switch result.outcome {
        case .success(.enrolled(let until)):
            note(failures: 0)
            host.log.notice("\(Self.enrolled(order.name, result.certificate))")
            enterEvidenceKey(order, now ?? until, rest: EnrolmentPace.rest(until: until, now: now ?? until))
        case .success(.waitsForTime): fail(EnrolmentError(.noTime), order, nil)
        case .failure(let error): fail(error, order, result.certificate)
        }
    }

    private func fail(_ error: EnrolmentError, _ order: EnrolmentOrder, _ certificate: DeviceCertificate?) {
        let failures = (store.value(Self.failuresKey) as Int? ?? 0) + 1
        note(failures: failures)
        let wait = EnrolmentPace.wait(after: error, failures: failures, name: order.name)
        let held = certificate.map { "; \(Self.enrolled(order.name, $0))" } ?? ""
        host.log.warning("\(error)\(held); next in \(wait) s")
        rest(for: wait)
    }

    private static func enrolled(_ name: BoardName, _ certificate: DeviceCertificate?) -> String {
        let end = certificate.map { " until \(UTCDay.text(time: UInt64(clamping: $0.validity.notAfter)))" } ?? ""
        return "\(name) is enrolled\(end)"
    }

    /// Counts failures in a row. One that the disk does not take makes only the next wait shorter.
    private func note(failures: Int) {
        guard store.value(Self.failuresKey) as Int? ?? 0 != failures else { return }
        do { try store.set(min(failures, 1_000), for: Self.failuresKey) } catch {
            host.log.warning("how often it failed cannot be stored: \(error)")
        }
    }

    func rest(for seconds: Int64) {
        isResting = true
        host.startsAgainAfter = .seconds(seconds)
        // It may still be up by then.
        timer = host.loop.after(.seconds(seconds)) { [unowned self] in run() }
    }
}
