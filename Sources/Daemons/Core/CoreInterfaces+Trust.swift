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
        case .getConfiguration:
            guard let object = supervisor?.configuration() else {
                return refuse(call, "notPossible", "Nothing is known of a configuration: start this core by `vigil run`.")
            }
            let now = clock().nanoseconds / 1_000_000_000
            call.reply(
                Trust1.ConfigurationReply(
                    version: object["version"]?.int, trial: object["trial"]?.int,
                    secondsLeft: object["until"]?.int.map { max(0, $0 - now) }, takenBack: object["takenBack"]?.int,
                    reason: object["reason"]?.string))
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
            return refuse(call, error.code.rawValue, "\(error)")
        }
        let time = service.earliestTime(at: clock())
        guard signed.isSigned(by: service.trust, at: time) else {
            return refuse(
                call, "notSigned", "No key of this device's operator that counts now has signed the configuration.")
        }
        let document = try? JSON(parsing: signed.document, maximumDepth: 16)
        let version = document?["version"]?.int
        let was = supervisor.configuration()
        // What was taken in time is kept in time, and stays.
        let isTaken = version != nil && (was?["trial"]?.int == version || was?["version"]?.int == version)
        if !isTaken, let until = document?["until"]?.int, let time, time > until {
            return refuse(call, "expired", "The time in which this configuration could be taken is over; sign a new one.")
        }
        supervisor.order(.configure, body: file, at: clock().duration) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .done:
                let state = supervisor.configuration()
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
            case .unfit(let problems): refuse(call, "notPossible", problems.joined(separator: "; "))
            case .notPossible(let reason): refuse(call, "notPossible", reason)
            case .noSuchPlugin: refuse(call, "notPossible", "The supervisor knows no such plugin.")
            }
        }
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
