// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces
import JSON
import Ledger
import ProcessLink
import TimeTrust
import VarlinkSocket

/// `org.vigil.technician1`: what the technician sees and does. The core reads what the supervisor has written down, and asks it for the rest.
extension CoreInterfaces {
    func technician(_ method: Technician1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        guard let supervisor = supervisor else {
            return notPossible(
                call, "This core runs without a supervisor, so there is nothing to look after: start it by `vigil run`.")
        }
        let now = clock()
        switch method {
        case .getProcesses: try processes(call, supervisor, caller, at: now)
        case .getPlugin:
            let name = try call.decode(Technician1.NameCall.self).name
            guard let plugin = supervisor.plugin(name) else { return noSuchPlugin(call, name) }
            guard plugin.bytes.count <= Self.largestReply else {
                return notPossible(call, "\(name) says too much about itself for a page; `vigil plugin check` shows it.")
            }
            call.reply(plugin)
        case .getLog: try log(call, supervisor)
        case .getNetwork:
            guard var network = supervisor.network() else { return notPossible(call, Self.notThere) }
            if let until = network["confirmBy"]?.int {
                network["secondsToRollBack"] = .int(max(0, until - now.nanoseconds / 1_000_000_000))
            }
            network["confirmBy"] = nil
            call.reply(JSON.object(network))
        case .restartPlugin:
            let name = try call.decode(Technician1.NameCall.self).name
            guard isName(name, call) else { return }
            order(.restart(plugin: name), supervisor, call, caller, .pluginRestarted, ["plugin": name], plugin: name)
        case .setEnabled:
            let wish = try call.decode(Technician1.EnabledCall.self)
            guard isName(wish.name, call) else { return }
            // Whoever did that would have no way back.
            guard wish.enabled || wish.name != caller.name else {
                return notPossible(
                    call,
                    "\(wish.name) is what this was asked through, and could not be enabled from here again; use `vigil plugin disable`."
                )
            }
            order(
                .setEnabled(plugin: wish.name, wish.enabled), supervisor, call, caller,
                wish.enabled ? .pluginEnabled : .pluginDisabled, ["plugin": wish.name], plugin: wish.name)
        case .setSettings: try set(call, supervisor, caller)
        case .applyNetwork:
            let wish = try call.decode(Technician1.ApplyNetworkCall.self)
            let network = NetworkWish(
                interface: wish.network.interface, isManual: wish.network.method == .manual,
                addresses: wish.network.addresses, gateway: wish.network.gateway, nameServers: wish.network.nameServers)
            let problems = Self.problems(in: network)
            guard problems.isEmpty else { return unfit(call, problems) }
            order(
                .tryNetwork(network, seconds: wish.seconds), supervisor, call, caller, .networkTried,
                ["interface": network.interface, "method": wish.network.method.rawValue, "seconds": "\(wish.seconds)"])
        case .confirmNetwork: order(.keepNetwork, supervisor, call, caller, .networkConfirmed)
        case .reboot: order(.reboot, supervisor, call, caller, .rebooted)
        }
    }

    /// Bytes of a reply that is not in pages: with room for what goes round it in a message.
    private static let largestReply = 64_000
    private static let notThere = "The supervisor has not written down what it knows; look into its log."

    // MARK: Reading

    private func processes(
        _ call: IncomingCall, _ supervisor: SupervisorClient, _ caller: Caller, at now: BootInstant
    ) throws {
        let told: ProcessLine.Reader =
            service.role == .person && caller.presence != Caller.console ? .other(caller.name) : .everything
        guard let (board, lines) = supervisor.processes() else { return notPossible(call, Self.notThere) }
        let seconds = now.nanoseconds / 1_000_000_000
        // Read when its page is wanted: the core never has more than a page to do at once.
        var rest = lines[...]
        var waiting: JSON?
        func next() -> (JSON, Bool) {
            var page: [JSON] = []
            var size = board.members.isEmpty ? 0 : JSON.object(board).bytes.count
            while waiting != nil || !rest.isEmpty {
                let process = waiting ?? rest.popFirst().flatMap { ProcessLine.told($0, to: told, at: seconds) }
                waiting = nil
                guard let process else { continue }
                size += process.bytes.count + 1
                guard size <= Self.pageByteCount || page.isEmpty else {
                    waiting = process
                    break
                }
                page.append(process)
            }
            var reply = board
            reply["processes"] = .array(page)
            return (.object(reply), rest.isEmpty && waiting == nil)
        }
        call.stream { next() }
    }

    private func log(_ call: IncomingCall, _ supervisor: SupervisorClient) throws {
        let wish = try call.decode(Technician1.LogCall.self)
        var filter = SupervisorLog.Filter(process: wish.process)
        if let level = wish.level {
            guard let known = KeptLine.Level(rawValue: level) else { throw Self.invalid("level") }
            filter.level = known
        }
        var after = max(0, wish.after ?? 0)
        guard call.wantsMore else {
            // One page: whoever wants what follows asks for what comes after its last line.
            while true {
                let part = supervisor.log.read(after: after, filter)
                if !part.lines.isEmpty || part.isEnd {
                    call.reply(Self.reply(part))
                    return
                }
                after = part.last
            }
        }
        call.stream {
            let part = supervisor.log.read(after: after, filter)
            after = part.last
            return (try JSON(encoding: Self.reply(part)), part.isEnd)
        }
    }

    private static func reply(_ part: SupervisorLog.Part) -> Technician1.LogReply {
        Technician1.LogReply(
            lines: part.lines.map {
                .init(number: $0.number, time: $0.time, process: $0.process, level: $0.level.rawValue, text: $0.text)
            }, droppedCount: part.droppedCount)
    }

    // MARK: Doing

    private func set(_ call: IncomingCall, _ supervisor: SupervisorClient, _ caller: Caller) throws {
        let wish = try call.decode(Technician1.SettingsCall.self)
        guard isName(wish.name, call) else { return }
        guard wish.settings.utf8.count <= SupervisorRequest.maximumByteCount else {
            return unfit(call, ["settings: at most \(SupervisorRequest.maximumByteCount) bytes"])
        }
        guard case .object(let object)? = try? JSON(parsing: Array(wish.settings.utf8), maximumDepth: 16) else {
            return unfit(call, ["settings: must be the text of a JSON object"])
        }
        // Names only: a value may be a secret.
        let names = object.members.map(\.name).joined(separator: " ")
        order(
            .setSettings(plugin: wish.name), supervisor, call, caller, .pluginSet,
            ["plugin": wish.name, "settings": ForeignText.line(names)], plugin: wish.name, body: JSON.object(object).bytes)
    }

    /// Has it done, enters it in the audit log and answers. Nothing is lost when the caller does not wait for the answer.
    private func order(
        _ action: SupervisorRequest.Action, _ supervisor: SupervisorClient, _ call: IncomingCall, _ caller: Caller,
        _ kind: AuditKind,
        _ details: [String: String] = [:], plugin: String = "", body: [UInt8]? = nil
    ) {
        supervisor.order(action, body: body, at: clock().duration) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .done:
                service.auditWriter.note(kind, caller, at: clock(), details)
                call.reply(Nothing())
            case .noSuchPlugin: noSuchPlugin(call, plugin)
            case .unfit(let problems): unfit(call, problems)
            case .notPossible(let reason): notPossible(call, reason)
            }
        }
    }

    /// Names become names of files, and values of messages.
    private func isName(_ name: String, _ call: IncomingCall) -> Bool {
        let isFine =
            (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2F }
        if !isFine { noSuchPlugin(call, name) }
        return isFine
    }

    /// What would not even fit a message; the rest is the supervisor's to judge.
    private static func problems(in wish: NetworkWish) -> [String] {
        func isWord(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
        }
        var problems: [String] = []
        if !isWord(wish.interface) { problems.append("network.interface: is no name of an interface") }
        if wish.addresses.count > 8 || wish.nameServers.count > 8 { problems.append("network: has too many addresses") }
        for (index, text) in wish.addresses.prefix(8).enumerated() where !isWord(text) {
            problems.append(
                "network.addresses[\(index)]: write an address and the length of its network, such as 192.0.2.7/24")
        }
        if let gateway = wish.gateway, !isWord(gateway) { problems.append("network.gateway: write an address") }
        for (index, text) in wish.nameServers.prefix(8).enumerated() where !isWord(text) {
            problems.append("network.nameServers[\(index)]: write an address, such as 192.0.2.53")
        }
        return problems
    }

    private func noSuchPlugin(_ call: IncomingCall, _ name: String) {
        call.fail("\(Technician1.name).NoSuchPlugin", parameters: ["name": .string(ForeignText.line(name))])
    }

    private func unfit(_ call: IncomingCall, _ problems: [String]) {
        call.fail("\(Technician1.name).Unfit", parameters: ["problems": .array(problems.map { .string($0) })])
    }

    private func notPossible(_ call: IncomingCall, _ reason: String) {
        call.fail("\(Technician1.name).NotPossible", parameters: ["reason": .string(reason)])
    }
}
