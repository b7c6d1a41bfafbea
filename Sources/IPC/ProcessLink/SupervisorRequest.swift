// SPDX-License-Identifier: Apache-2.0

/// A request of the core to the supervisor on behalf of a technician, as a message: `REQUEST`, with a number by which the answer is known. Only the
/// core may send it (docs/supervisor.md).
public struct SupervisorRequest: Sendable, Hashable {
    /// Things that the core can ask for. Names of plugins are not checked here.
    public enum Action: Sendable, Hashable {
        /// Stop the plugin and start it again.
        case restart(plugin: String)
        /// Switch the plugin on or off, also for later starts of the board.
        case setEnabled(plugin: String, Bool)
        /// The settings lie in a file named after the number, ``SupervisorRequest/folder``: they are larger than a message.
        case setSettings(plugin: String)
        /// Restart the board in an orderly way.
        case reboot
        /// Try network settings; they are rolled back after so many seconds unless they are kept.
        case tryNetwork(NetworkWish, seconds: Int64)
        /// Keep the network settings that are being tried.
        case keepNetwork
    }

    /// Verb of the message that carries a request.
    public static let verb = "REQUEST"
    /// Folder in the core's run folder with the settings that go with requests.
    public static let folder = "wishes"
    /// The most bytes of a file with settings: half as much again as a plugin's settings may have. Our own bound.
    public static let maximumByteCount = 49_152

    /// Number by which the answer is known; chosen by the core, any 32 bits.
    public let number: UInt32
    /// The thing that is asked for.
    public let action: Action

    /// A request of that number; nothing is sent before ``message`` is.
    public init(number: UInt32, action: Action) {
        self.number = number
        self.action = action
    }

    /// The request as a message to send: verb, number and values. Cannot fail.
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
        }
        return ControlMessage(Self.verb, values)
    }

    /// Reads a request out of a message; `nil` for anything ``message`` cannot have made.
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
        default: return nil
        }
    }
}

/// Addresses that an interface of the board is to have, as a technician wrote them: nothing of it is checked yet.
public struct NetworkWish: Sendable, Hashable {
    /// Name of the interface, such as `eth0`.
    public var interface: String
    /// Whether the addresses are given here; otherwise they come from the network.
    public var isManual: Bool
    /// Addresses with the length of their prefix, in order; of use only if ``isManual``. Empty without any.
    public var addresses: [String]
    /// Address of the router; `nil` for none.
    public var gateway: String?
    /// Addresses of name servers, in order; empty without any.
    public var nameServers: [String]

    /// A wish with these parts, unchecked. A comma in an address divides it on its way, and an empty address is lost.
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

/// The answer to a ``SupervisorRequest``, as a message: `ANSWER`.
public struct SupervisorAnswer: Sendable, Hashable {
    /// The outcome of a request.
    public enum Outcome: Sendable, Hashable {
        /// The request was done.
        case done
        /// No plugin has that name; nothing changed.
        case noSuchPlugin
        /// Each with its path; nothing changed. On its way each is cut to 600 bytes, and what does not fit a message is counted in the last one.
        case unfit([String])
        /// In an English sentence, with what to do; on its way cut to 1,500 bytes, and empty if the message had none.
        case notPossible(String)
    }

    /// Verb of the message that carries an answer.
    public static let verb = "ANSWER"
    /// Bytes of all problems together, so that they fit one message; what is beyond is counted.
    private static let problemByteCount = 3_000
    private static let longestReason = 1_500

    /// Number of the request that is answered.
    public let number: UInt32
    /// The outcome of the request, with its reasons.
    public let outcome: Outcome

    /// An answer to the request of that number; ``message`` sends it. Cannot fail.
    public init(number: UInt32, outcome: Outcome) {
        self.number = number
        self.outcome = outcome
    }

    /// The answer as it travels. Problems and reasons are cut so that it fits one packet; what is left out is counted.
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

    /// Reads an answer out of a message; `nil` for anything ``message`` cannot have made.
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
