// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import PluginManifest
import ProcessLink
import Supervision

/// What the core asks for on behalf of a technician (`org.vigil.technician1`). Who may was decided in the core; here it is decided what is
/// possible. Only the core's messages come here.
extension Supervisor {
    /// Does it, or says why not. The answer may come later.
    func obey(_ order: SupervisorRequest, at moment: Duration) {
        let number = order.number
        switch order.action {
        case .restart(let plugin): tellCore(number, restart(plugin, at: moment))
        case .setEnabled(let plugin, let isEnabled): tellCore(number, setEnabled(plugin, isEnabled))
        case .setSettings(let plugin):
            // Taken in any case: what nobody takes would stay.
            let body = body(of: number)
            tellCore(number, setSettings(plugin, body))
        case .configure(let isByPerson):
            takeConfiguration(number, body(of: number), isByPerson: isByPerson, at: moment)
        case .keepConfiguration(let version):
            let outcome = keepConfiguration(version, at: moment)
            writeConfiguration()
            tellCore(number, outcome)
        case .reboot:
            guard configuration.restart != nil else {
                return tellCore(
                    number,
                    .notPossible(
                        "This board is not configured to be restarted from its page: set \"reboot\": true in vigil.json, or switch it off and on."
                    ))
            }
            tellCore(number, .done)
            log.notice("the board is restarted, as asked")
            wantedOfMachine = .restart
            stop()
        case .tryNetwork(let wish, let seconds):
            if let onTrial { return tellCore(number, onTrial) }
            guard let network else { return tellCore(number, .notPossible(Self.noNetwork)) }
            network.apply(wish, seconds: seconds, at: moment) { [weak self] in self?.tellCore(number, $0) }
            writeNetwork()
        case .keepNetwork:
            guard let network else { return tellCore(number, .notPossible(Self.noNetwork)) }
            let outcome = network.confirm(at: moment)
            writeNetwork()
            tellCore(number, outcome)
        }
    }

    /// What the core has left for its order; removed in any case.
    private func body(of number: UInt32) -> [UInt8]? {
        Folders.takeLeft(
            "\(number)", in: SupervisorRequest.folder, inside: coreRun, of: geteuid() == 0 ? users.core : geteuid(),
            limit: SupervisorRequest.maximumByteCount)
    }

    /// While a configuration is on trial nobody else changes what it may have to take back; `nil` otherwise.
    private var onTrial: SupervisorAnswer.Outcome? {
        trial.version.map {
            .notPossible("The fleet's configuration \($0) is on trial. Try again when it is kept or taken back.")
        }
    }

    static let noNetwork =
        "This board's network is not configured to be changed from its page: name the folder and the interfaces as \"network\" in vigil.json."

    func tellCore(_ number: UInt32, _ outcome: SupervisorAnswer.Outcome) {
        // One that it does not take is lost: the beacon is worth more than an answer, and the core waits for none for ever.
        processes["core"]?.run?.control?.send(SupervisorAnswer(number: number, outcome: outcome).message)
    }

    /// `nil` for a plugin that is installed.
    private func refusal(of name: String) -> SupervisorAnswer.Outcome? {
        if ["core", "egress"].contains(name) {
            return .notPossible("\(name) belongs to the board and not to its plugins: the supervisor looks after it.")
        }
        return files.set?.decision(for: name) == nil ? .noSuchPlugin : nil
    }

    private func restart(_ name: String, at moment: Duration) -> SupervisorAnswer.Outcome {
        if let refusal = refusal(of: name) { return refusal }
        guard let process = processes[name], process.effectiveGrants != nil else {
            let reason = processes[name]?.reason ?? ""
            return .notPossible(
                "\(name) may not run\(reason.isEmpty ? "" : ": \(reason)"). Enable it, or mend what is wrong first.")
        }
        restartAsAsked(process, at: moment)
        return .done
    }

    private func setEnabled(_ name: String, _ isEnabled: Bool) -> SupervisorAnswer.Outcome {
        if let onTrial { return onTrial }
        if let refusal = refusal(of: name) { return refusal }
        return changing(name, { $0["enabled"] = .bool(isEnabled) }) { file, _ in
            guard isEnabled, let decision = self.judged(file).decision(for: name), !decision.problems.isEmpty else {
                return
            }
            throw Unfit(problems: decision.problems.map { "\($0)" })
        }
    }

    private func setSettings(_ name: String, _ body: [UInt8]?) -> SupervisorAnswer.Outcome {
        if let onTrial { return onTrial }
        if let refusal = refusal(of: name) { return refusal }
        guard let body, case .object(let given)? = try? JSON(parsing: body, maximumDepth: 16) else {
            return .unfit(["settings: must be a JSON object of at most \(SupervisorRequest.maximumByteCount) bytes"])
        }
        guard let decision = files.set?.decision(for: name), let manifest = decision.manifest else {
            return .notPossible("\(name) has no manifest that can be read, so nobody knows its settings.")
        }
        var operators: [String] = []
        var before = JSON.Object()
        return changing(
            name,
            { entry in
                var settings = entry["settings"]?.object ?? JSON.Object()
                before = settings
                for member in given.members {
                    let value: JSON? = if case .null = member.value { .none } else { .some(member.value) }
                    let property = manifest.settings.properties.first { $0.name == member.name }
                    // A page may send back what it was given.
                    if let property, property.isOperators,
                        (value ?? property.standard) != (settings[member.name] ?? property.standard)
                    {
                        operators.append(member.name)
                    }
                    settings[member.name] = value
                }
                entry["settings"] = .object(settings)
            }
        ) { _, entry in
            guard operators.isEmpty else {
                throw Unfit(problems: operators.map { "settings.\($0): only the operator changes it, in grants.json" })
            }
            do throws(Refusal) { _ = try manifest.settings.filled(entry["settings"] ?? .empty) } catch {
                // Whoever sets up what does not run yet may do so piece by piece: only what is given now has to fit.
                let mustBeWhole = decision.state == .allowed
                let mine = error.problems.filter { problem in
                    mustBeWhole || problem.path == "settings"
                        || given.members.contains { member in
                            member.value != .null && Self.isPath(problem.path, ofSetting: member.name)
                        }
                }
                if !mine.isEmpty { throw Unfit(problems: mine.map { "\($0.path): \($0.text)" }) }
            }
            try self.keepSettings(
                of: name, manifest.settings, before: before, after: entry["settings"]?.object ?? JSON.Object())
        }
    }

    /// Whether a problem's path is the setting's or leads into it.
    static func isPath(_ path: String, ofSetting name: String) -> Bool {
        // Names that no setting can have are quoted.
        if path.hasPrefix("settings[") { return true }
        let own = "settings.\(name)"
        guard path.hasPrefix(own) else { return false }
        let rest = path.utf8.dropFirst(own.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: "[")
    }

    private struct Unfit: Error { let problems: [String] }

    private func changing(
        _ name: String, _ change: (inout JSON.Object) -> Void, judge: (GrantsFile, JSON.Object) throws -> Void
    ) -> SupervisorAnswer.Outcome {
        let store = GrantsStore(path: configuration.grants, lockFolder: configuration.pluginFolders.last)
        do { try store.change(name, change, judge: judge) } catch let unfit as Unfit {
            return .unfit(unfit.problems)
        } catch let failure as GrantsStore.Failure {
            log.warning("grants are not changed: \(failure.reason)", metadata: ["plugin": "\(name)"])
            return .notPossible(failure.reason)
        } catch {
            return .notPossible("\(error)")
        }
        reload(isFirst: false)
        return .done
    }
}
