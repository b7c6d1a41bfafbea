// SPDX-License-Identifier: Apache-2.0

/// A request from the core to the supervisor on behalf of a technician: the message `REQUEST` with a number by which the
/// answer is recognised. Only the core may send it (docs/supervisor.md).
public struct SupervisorRequest: Sendable, Hashable {
    /// The actions that the core can request. Names of plugins are not checked here.
    public enum Action: Sendable, Hashable {
        /// Restart the plugin.
        case restart(plugin: String)
        /// Enable or disable the plugin, for later starts of the board as well.
        case setEnabled(plugin: String, Bool)
        /// Change the settings of the plugin. They are in a file in ``SupervisorRequest/folder`` whose name is the number
        /// of the request, because they are larger than a message.
        case setSettings(plugin: String)
        /// Restart the board in an orderly way.
        case reboot
        /// Try network settings, which are rolled back after so many seconds unless they are kept. The supervisor
        /// accepts 30 to 600 seconds (`NetworkTrial.confirmationSeconds`).
        case tryNetwork(NetworkWish, seconds: Int64)
        /// Keep the network settings that are being tried.
        case keepNetwork
        /// Take a configuration of the board's fleet, whose signature the core has verified. It is in a file as settings are. `isByPerson`: a person has brought it, at the
        /// console or signed in, and no program that fetched it.
        case configure(isByPerson: Bool)
        /// Keep the version on trial, as a person says, though it has not come again.
        case keepConfiguration(version: Int64)
    }

    /// The verb of a message with a request.
    public static let verb = "REQUEST"
    /// The folder inside the core's run folder with the settings that belong to requests.
    public static let folder = "wishes"
    /// The largest size in bytes of a file with settings: one and a half times that of a plugin's settings. Our own bound.
    public static let maximumByteCount = 49_152

    /// The number by which the answer is recognised; chosen by the core, any 32 bits.
    public let number: UInt32
    /// The requested action.
    public let action: Action

    /// Creates a request. It is sent as ``message``.
    public init(number: UInt32, action: Action) {
        self.number = number
        self.action = action
    }

    /// The request as a message: verb, number and values. Cannot fail.
    public var message: ControlMessage {
        var values = ["number": "\(number)"]
        switch action {
        case .restart(let plugin): values.merge(["action": "restart", "plugin": plugin]) { $1 }
        case .setEnabled(let plugin, let value):
            values.merge(["action": "enable", "plugin": plugin, "value": value ? "1" : "0"]) { $1 }
        case .setSettings(let plugin): values.merge(["action": "set", "plugin": plugin]) { $1 }
        case .reboot: values["action"] = "reboot"
        case .tryNetwork(let wish, let seconds):
            values.merge(wish.values) { $1 }
            values.merge(["action": "try", "seconds": "\(seconds)"]) { $1 }
        case .keepNetwork: values["action"] = "confirm"
        case .configure(let isByPerson):
            values.merge(["action": "configure", "by": isByPerson ? "person" : "program"]) { $1 }
        case .keepConfiguration(let version): values.merge(["action": "keep", "version": "\(version)"]) { $1 }
        }
        return ControlMessage(Self.verb, values)
    }

    /// Reads a request from a message. Returns `nil` unless the message has the form of ``message``; values with
    /// other names are ignored, and neither names of plugins nor numbers of seconds are checked.
    public init?(_ message: ControlMessage) {
        let values = message.values
        guard message.verb == Self.verb, let number = values["number"].flatMap({ UInt32($0) }) else { return nil }
        self.number = number
        let plugin = values["plugin"]
        switch (values["action"], plugin) {
        case ("restart", let plugin?): action = .restart(plugin: plugin)
        case ("enable", let plugin?):
            guard let value = values["value"], ["0", "1"].contains(value) else { return nil }
            action = .setEnabled(plugin: plugin, value == "1")
        case ("set", let plugin?): action = .setSettings(plugin: plugin)
        case ("reboot", nil): action = .reboot
        case ("try", nil):
            guard let wish = NetworkWish(values), let seconds = values["seconds"].flatMap({ Int64($0) }) else { return nil }
            action = .tryNetwork(wish, seconds: seconds)
        case ("confirm", nil): action = .keepNetwork
        case ("configure", nil):
            guard let by = values["by"], ["person", "program"].contains(by) else { return nil }
            action = .configure(isByPerson: by == "person")
        case ("keep", nil):
            guard let version = values["version"].flatMap({ Int64($0) }) else { return nil }
            action = .keepConfiguration(version: version)
        default: return nil
        }
    }
}

/// The addresses that a network interface of the board should have, as a technician wrote them. Nothing is checked here.
public struct NetworkWish: Sendable, Hashable {
    /// The name of the interface, such as `eth0`. The supervisor accepts only those that the board's network
    /// configuration lets it change.
    public var interface: String
    /// Whether the addresses are given here; otherwise the network provides them.
    public var isManual: Bool
    /// The addresses with their prefix lengths, such as `192.0.2.7/24` or `2001:db8::7/64`. The supervisor accepts
    /// 1 to 4 different ones that a device can have if ``isManual``, and otherwise none.
    public var addresses: [String]
    /// The address of the router, without a prefix length; `nil` if there is none. The supervisor accepts one only
    /// if ``isManual``: in the network of one of ``addresses``, or link-local of IPv6 if one of them is of IPv6.
    public var gateway: String?
    /// The addresses of name servers, without prefix lengths, in order; may be empty. The supervisor accepts at
    /// most 3 different ones; they replace those of the network if not ``isManual``.
    public var nameServers: [String]

    /// Creates a wish from these parts, unchecked. The message separates addresses by commas, so an address with a comma is
    /// split, and an empty one is lost.
    public init(interface: String, isManual: Bool, addresses: [String], gateway: String?, nameServers: [String]) {
        self.interface = interface
        self.isManual = isManual
        self.addresses = addresses
        self.gateway = gateway
        self.nameServers = nameServers
    }

    var values: [String: String] {
        var values = [
            "interface": interface, "method": isManual ? "manual" : "automatic",
            "addresses": addresses.joined(separator: ","), "servers": nameServers.joined(separator: ","),
        ]
        if let gateway { values["gateway"] = gateway }
        return values
    }

    init?(_ values: [String: String]) {
        guard let interface = values["interface"], let method = values["method"], ["manual", "automatic"].contains(method)
        else { return nil }
        func list(_ name: String) -> [String] { (values[name] ?? "").split(separator: ",").map(String.init) }
        self.init(
            interface: interface, isManual: method == "manual", addresses: list("addresses"), gateway: values["gateway"],
            nameServers: list("servers"))
    }
}

/// The answer to a ``SupervisorRequest``: the message `ANSWER`.
public struct SupervisorAnswer: Sendable, Hashable {
    /// The outcome of a request.
    public enum Outcome: Sendable, Hashable {
        /// The request was carried out.
        case done
        /// There is no plugin with this name; nothing changed.
        case noSuchPlugin
        /// The settings are not valid, for these reasons, each with its path; nothing changed. The message cuts
        /// each to 600 bytes, holds at most 63 of together about 3,000 bytes, and gives the number of the others in
        /// the last one.
        case unfit([String])
        /// The request cannot be carried out, for this reason: a sentence in English with advice. The message cuts it to
        /// 1,500 bytes; empty if the message had none.
        case notPossible(String)
    }

    /// The verb of a message with an answer.
    public static let verb = "ANSWER"
    /// Bytes of all problems together, so that they fit one message; what is beyond is counted.
    private static let problemByteCount = 3_000
    private static let longestReason = 1_500

    /// The number of the request.
    public let number: UInt32
    /// The outcome of the request, with its reasons.
    public let outcome: Outcome

    /// Creates an answer to the request with this number. It is sent as ``message``. Cannot fail.
    public init(number: UInt32, outcome: Outcome) {
        self.number = number
        self.outcome = outcome
    }

    /// The answer as a message. Problems and reasons are cut so that they fit into a packet, their control
    /// characters become spaces, and the number of omitted problems is given.
    public var message: ControlMessage {
        var values = ["number": "\(number)"]
        switch outcome {
        case .done: values["outcome"] = "done"
        case .noSuchPlugin: values["outcome"] = "noSuchPlugin"
        case .unfit(let problems):
            values["outcome"] = "unfit"
            for (index, problem) in Self.fitting(problems).enumerated() { values["problem\(100 + index)"] = problem }
        case .notPossible(let reason):
            values["outcome"] = "notPossible"
            values["reason"] = Self.clean(reason, limit: Self.longestReason)
        }
        return ControlMessage(Self.verb, values)
    }

    /// Reads an answer from a message. Returns `nil` unless the message has the form of ``message``.
    public init?(_ message: ControlMessage) {
        let values = message.values
        guard message.verb == Self.verb, let number = values["number"].flatMap({ UInt32($0) }) else { return nil }
        self.number = number
        switch values["outcome"] {
        case "done": outcome = .done
        case "noSuchPlugin": outcome = .noSuchPlugin
        case "unfit":
            outcome = .unfit(values.filter { $0.key.hasPrefix("problem") }.sorted { $0.key < $1.key }.map(\.value))
        case "notPossible": outcome = .notPossible(values["reason"] ?? "")
        default: return nil
        }
    }

    private static func fitting(_ problems: [String]) -> [String] {
        var left = problemByteCount
        var result: [String] = []
        for problem in problems.prefix(63) {
            let text = clean(problem, limit: 600)
            left -= text.utf8.count + 12
            guard left >= 0 else { break }
            result.append(text)
        }
        if result.count < problems.count { result.append("and \(problems.count - result.count) more") }
        return result
    }

    /// What a value of a message may be.
    private static func clean(_ text: String, limit: Int) -> String {
        var count = 0
        var clean = ""
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            clean.unicodeScalars.append(scalar.value < 32 || scalar.value == 127 ? " " : scalar)
        }
        return clean
    }
}
