// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import WakePlan

/// Whether a wake is of use, and the registration that goes with it.
extension Wake {
    /// Under which name the registration outlasts restarts.
    static let registrationName = "registration"

    private struct Status: Decodable {
        struct Inner: Decodable { var enabled: Bool }
        var status: Inner
    }

    /// Asks the core and the check-ins how things are.
    func observe() {
        guard settings.profile == .checkIns else {
            nextFacts = nil
            return
        }
        // Until the answers are there.
        nextFacts = host.loop.now + .seconds(settings.factsSeconds)
        host.call(Exposure1.Method.getStatus, as: Status.self, timeout: Self.callTimeout) { [unowned self] outcome in
            guard let status = try? outcome.get() else { return askAgain() }
            host.call(
                Checkin1.Method.getRegistrationFacts, as: Checkin1.RegistrationFactsReply.self, timeout: Self.callTimeout
            ) { [unowned self] outcome in
                guard let facts = try? outcome.get() else { return askAgain() }
                take(
                    RegistrationPlan.Facts(
                        enActive: status.status.enabled, hasCheckIns: facts.hasCheckIns, inIsolation: facts.inIsolation))
            }
        }
    }

    private func askAgain() {
        host.log.warning("whether wakes are wanted cannot be found out: the core or the check-ins do not answer")
        nextFacts = host.loop.now + min(Self.factsAgain, .seconds(settings.factsSeconds))
        work()
    }

    private func take(_ facts: RegistrationPlan.Facts) {
        // The settings may have changed meanwhile.
        guard settings.profile == .checkIns else { return }
        want(facts.isWanted)
        if !settings.registrationURL.isEmpty {
            let before = registration.record
            registration.observe(facts, at: host.loop.now, unix: Self.unix())
            if registration.record != before { keep() }
        }
        work()
    }

    /// Sends what is due, beside the loop.
    func register() {
        guard !isRegistering else { return }
        let before = registration.record
        guard let message = registration.due(at: host.loop.now, using: &random) else { return }
        // On the disk before it is sent, or nobody could take it back.
        if registration.record != before, !keep() {
            registration.answered(false, at: host.loop.now, unix: Self.unix())
            return
        }
        isRegistering = true
        let (sender, url) = (sender, settings.registrationURL)
        let word = message.pushToken.isEmpty ? "deregistration" : "registration"
        host.work({ _ in try sender.send(message, to: url) }) { [unowned self] outcome in
            isRegistering = false
            var isAccepted = false
            switch outcome {
            case .success:
                isAccepted = true
                host.log.info("\(word) accepted")
            case .failure(let error):
                host.log.warning("\(word) failed; it is tried again", metadata: ["error": "\(error)"])
            }
            registration.answered(isAccepted, at: host.loop.now, unix: Self.unix())
            keep()
            work()
        }
    }

    /// Whether it is on the disk.
    @discardableResult
    private func keep() -> Bool {
        do {
            let storage = try host.storage()
            if let record = registration.record {
                try storage.set(record, for: Self.registrationName)
            } else {
                try storage.remove(Self.registrationName)
            }
            return true
        } catch {
            host.log.error("the registration cannot be stored", metadata: ["error": "\(error)"])
            return false
        }
    }
}
