// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import JSON
import ProcessLink
import TimeTrust
import Trust
import VarlinkSocket

/// `org.vigil.trust1`.
extension CoreInterfaces {
    func trust(_ method: Trust1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .takeSuccession:
            let offer = try call.decode(Trust1.TakeSuccessionCall.self)
            call.reply(
                Trust1.TakeSuccessionReply(
                    changed: try service.takeSuccession(offer.document, source: offer.source, by: caller, at: clock())))
        case .takeConfiguration: try takeConfiguration(call, caller)
        case .keepConfiguration: try keepConfiguration(call, caller)
        case .getConfiguration:
            guard let object = supervisor?.configuration() else {
                return refuse(call, "notPossible", "Nothing is known of a configuration: start this core by `vigil run`.")
            }
            let now = clock().nanoseconds / 1_000_000_000
            call.reply(
                Trust1.ConfigurationReply(
                    version: object["version"]?.int, trial: object["trial"]?.int,
                    secondsLeft: object["until"]?.int.map { max(0, $0 - now) }, takenBack: object["takenBack"]?.int,
                    reason: object["reason"]?.string, refused: refusedConfiguration?.version,
                    refusedReason: refusedConfiguration?.reason))
        case .getSigners:
            let source = try call.decode(Trust1.GetSignersCall.self).source
            guard let reply = service.signers(of: source, at: clock()) else { throw Self.invalid("source") }
            call.reply(reply)
        }
    }
}

extension CoreInterfaces {
    /// Judges who signed it, by the keys that count now, and whether its time is over. The rest is the supervisor's, which verifies the signature once more.
    private func takeConfiguration(_ call: IncomingCall, _ caller: Caller) throws {
        let file = Array(try call.decode(Trust1.TakeConfigurationCall.self).document.utf8)
        guard let supervisor else {
            return refuse(
                call, "notPossible",
                "This core runs without a supervisor, which applies configurations: start it by `vigil run`.")
        }
        guard file.count <= SignedConfiguration.maximumFileByteCount else {
            return refuse(
                call, "tooLarge", "A configuration may have \(SignedConfiguration.maximumFileByteCount) bytes as a file.")
        }
        let signed: SignedConfiguration
        do throws(TrustError) { signed = try SignedConfiguration(file: file) } catch {
            return refuseBrought(call, error.code.rawValue, "\(error)")
        }
        let time = service.earliestTime(at: clock())
        guard signed.isSigned(by: service.trust, at: time) else {
            return refuseBrought(
                call, "notSigned", "No key of this device's operator that counts now has signed the configuration.")
        }
        let document = try? JSON(parsing: signed.document, maximumDepth: 16)
        let version = document?["version"]?.int
        let was = supervisor.configuration()
        // What was taken in time is kept in time, and stays.
        let isTaken = version != nil && (was?["trial"]?.int == version || was?["version"]?.int == version)
        if !isTaken, let until = document?["until"]?.int, let time, time > until {
            return refuseBrought(
                call, "expired", "The time in which this configuration could be taken is over; sign a new one.", version)
        }
        if !isTaken, let version, let problem = Self.ahead(version, service.likelyTime(at: clock())) {
            return refuseBrought(call, problem.rule, problem.reason, version)
        }
        // Only a program that fetched it shows by it that the network carries.
        let isByPerson = caller.isBoundToSessions || caller.presence == Caller.console
        supervisor.order(.configure(isByPerson: isByPerson), body: file, at: clock().duration) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .done:
                let state = supervisor.configuration()
                refusedConfiguration = nil
                if state != was, let version {
                    let word =
                        state?["trial"]?.int == version
                        ? "tried" : state?["version"]?.int == version ? "kept" : "takenBack"
                    service.auditWriter.note(
                        .configurationTaken, caller, at: clock(),
                        ["version": "\(version)", "state": word])
                }
                // The system may have refused it by now.
                if let version, state?["takenBack"]?.int == version, state?["trial"] == nil {
                    let reason = state?["reason"]?.string ?? "it did not hold"
                    return refuse(call, "notPossible", "The configuration \(version) was taken back, because \(reason).")
                }
                call.reply(Trust1.TakeConfigurationReply(onTrial: state?["trial"] != nil))
            case .unfit(let problems): refuseBrought(call, "notPossible", problems.joined(separator: "; "), version)
            case .notPossible(let reason):
                let isOnTrial = version != nil && supervisor.configuration()?["trial"]?.int == version
                refuseBrought(call, isOnTrial ? "stillOnTrial" : "notPossible", reason, version)
            case .noSuchPlugin: refuseBrought(call, "notPossible", "The supervisor knows no such plugin.", version)
            }
        }
    }

    /// A person keeps what is on trial by saying so, and which: also on a board that cannot fetch.
    private func keepConfiguration(_ call: IncomingCall, _ caller: Caller) throws {
        let version = try call.decode(Trust1.KeepConfigurationCall.self).version
        guard let supervisor else {
            return refuse(
                call, "notPossible",
                "This core runs without a supervisor, which keeps configurations: start it by `vigil run`.")
        }
        guard caller.isBoundToSessions || caller.presence == Caller.console else {
            return refuse(
                call, "notPossible", "Only a person keeps a configuration by saying so; a program brings it once more.")
        }
        supervisor.order(.keepConfiguration(version: version), at: clock().duration) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .done:
                service.auditWriter.note(
                    .configurationTaken, caller, at: clock(), ["version": "\(version)", "state": "keptByPerson"])
                call.reply(Nothing())
            case .unfit(let problems): refuse(call, "notPossible", problems.joined(separator: "; "))
            case .notPossible(let reason): refuse(call, "notPossible", reason)
            case .noSuchPlugin: refuse(call, "notPossible", "The supervisor knows no such plugin.")
            }
        }
    }

    /// What is wrong with a number of the future: it would shut out all that are signed in the right way.
    private static func ahead(_ version: Int64, _ time: Int64?) -> (rule: String, reason: String)? {
        guard let time else {
            return (
                "timeUnknown",
                "This device does not know the time, so it cannot tell a version that is too high; it takes the configuration when it does."
            )
        }
        let limit = time.addingReportingOverflow(SignedConfiguration.secondsAhead).partialValue
        guard version > limit else { return nil }
        return (
            "versionTooHigh",
            "Version \(version) is more than a day above the present time in Unix seconds, so all later versions would be shut out by it. Sign the configuration with at most \(limit)."
        )
    }

    /// Refuses what was brought, and remembers why until something is taken: for `GetConfiguration`. `version` only of what the operator has signed.
    private func refuseBrought(_ call: IncomingCall, _ rule: String, _ reason: String, _ version: Int64? = nil) {
        refusedConfiguration = (version, String(reason.prefix(600)))
        refuse(call, rule, reason)
    }

    private func refuse(_ call: IncomingCall, _ rule: String, _ reason: String) {
        call.fail(
            "\(Trust1.name).ConfigurationRefused", parameters: ["rule": .string(rule), "reason": .string(reason)])
    }
}

extension Trust1.Signer {
    init(_ key: TrustedKey, inForce: Bool) {
        self.init(
            role: Trust1.Role(key.role), name: "\(key.name)", publicHalf: Base64.string(key.key.subjectPublicKeyInfo),
            validUntil: key.validUntil, spare: key.isSpare, inForce: inForce)
    }
}

extension Trust1.Role {
    init(_ role: KeyRole) {
        self =
            switch role {
            case .export: .export
            case .config: .config
            case .time: .time
            case .plugin: .plugin
            case .firmware: .firmware
            case .operator: .operator
            }
    }
}
