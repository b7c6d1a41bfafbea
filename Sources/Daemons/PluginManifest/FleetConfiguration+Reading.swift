// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces
public import JSON

extension FleetConfiguration {
    /// Whether a configuration may give the method to a plugin that does not have it: only what its interface's text says so of (`# @fleet`). So a new method, and one
    /// of an interface that this tree does not know, is a card's to grant.
    private static func mayGive(_ method: String, of interface: String) -> Bool {
        InterfaceTexts.method(method, of: interface)?.law.isForFleets == true
    }

    /// Reads a document. `known` is what is granted now, so that what a plugin has already may be said again; `nil` on an operator's computer, where
    /// nobody knows.
    /// - Throws: ``FleetConfigurationError`` with the first rule that it breaks.
    public init(parsing bytes: [UInt8], granted known: JSON.Object? = nil) throws(FleetConfigurationError) {
        guard let object = (try? JSON(parsing: bytes, maximumDepth: 16))?.object else {
            throw Self.malformed("it is not a JSON object")
        }
        try Self.check(object, ["$schema", "format", "version", "until", "trialSeconds", "stages"], at: "")
        guard object["format"]?.string == Self.format else { throw Self.malformed("format has to be \(Self.format)") }
        guard case .int(let version)? = object["version"], (1...(1 << 53)).contains(version) else {
            throw Self.malformed("version has to be a whole number, 1 or more")
        }
        self.version = version
        switch object["until"] {
        case nil: until = nil
        case .int(let time)? where time > 0: until = time
        default: throw Self.malformed("until has to be Unix seconds")
        }
        switch object["trialSeconds"] {
        case nil: trial = Self.standardTrialSeconds
        case .int(let seconds)? where Self.trialSeconds.contains(seconds): trial = seconds
        default:
            throw Self.malformed(
                "trialSeconds has to be between \(Self.trialSeconds.lowerBound) and \(Self.trialSeconds.upperBound)")
        }
        guard let list = object["stages"]?.array else { throw Self.malformed("stages has to be a list") }
        guard list.count <= Self.maximumStages else {
            throw FleetConfigurationError(.tooLarge, "stages has more than \(Self.maximumStages)")
        }
        var stages: [Stage] = []
        for (index, stage) in list.enumerated() { stages.append(try Self.stage(stage, known, at: "stages[\(index)]")) }
        self.stages = stages
    }

    private static func stage(
        _ json: JSON, _ known: JSON.Object?, at path: String
    ) throws(FleetConfigurationError) -> Stage {
        guard let object = json.object else { throw malformed("\(path) has to be an object") }
        try check(object, ["to", "share", "plugins", "networks"], at: path)
        guard let audience = object["to"]?.string.flatMap(Audience.init) else {
            throw malformed("\(path).to has to be fleet, group:NAME or board:SERIAL")
        }
        var share = 100
        if let json = object["share"] {
            guard case .int(let number) = json, (1...100).contains(number) else {
                throw malformed("\(path).share has to be a percentage, 1 to 100")
            }
            share = Int(number)
        }
        var change = Change()
        if let json = object["plugins"] {
            guard let plugins = json.object else { throw malformed("\(path).plugins has to be an object") }
            for member in plugins.members {
                let name = ForeignText.line(member.name, limit: 40)
                guard !["core", "egress"].contains(member.name) else {
                    throw forbidden("\(path).plugins.\(name)", "it belongs to the board and not to its plugins")
                }
                change.plugins[member.name] = try plugin(
                    member.value, known?["plugins"]?[member.name]?["calls"]?.object,
                    at: "\(path).plugins.\(name)")
            }
        }
        if let json = object["networks"] {
            guard let list = json.array, list.count <= 8 else {
                throw malformed("\(path).networks has to be a list of at most 8")
            }
            for (index, network) in list.enumerated() {
                let network = try self.network(network, at: "\(path).networks[\(index)]")
                guard change.networks.updateValue(network, forKey: network.interface) == nil else {
                    throw malformed("\(path).networks[\(index)] is the second one for its interface")
                }
            }
        }
        return Stage(audience: audience, share: share, change: change)
    }

    private static func plugin(
        _ json: JSON, _ granted: JSON.Object?, at path: String
    ) throws(FleetConfigurationError) -> Plugin {
        guard let object = json.object else { throw malformed("\(path) has to be an object") }
        for (field, why) in [
            ("listens", "ports are the card's"), ("devices", "devices are the card's"),
            ("lines", "lights and buttons are the card's"), ("quotas", "quotas are the card's"),
            ("metered", "what costs money is the card's"),
        ] where object[field] != nil { throw forbidden("\(path).\(field)", why) }
        try check(object, ["enabled", "calls", "endpoints", "settings"], at: path)
        var plugin = Plugin()
        if let json = object["enabled"] {
            guard case .bool(let flag) = json else { throw malformed("\(path).enabled has to be true or false") }
            plugin.isEnabled = flag
        }
        plugin.calls = try members(object["calls"], at: "\(path).calls")
        for member in plugin.calls.members where member.value != .null {
            let place = "\(path).calls.\(ForeignText.line(member.name, limit: 60))"
            guard let list = member.value.array, list.allSatisfy({ $0.string != nil }) else {
                throw malformed("\(place) has to be a list of methods, or null")
            }
            let had = (granted?[member.name]?.array ?? []).compactMap(\.string)
            for method in list.compactMap(\.string) where !mayGive(method, of: member.name) && !had.contains(method) {
                throw forbidden(
                    "\(place).\(ForeignText.line(method, limit: 40))",
                    "nobody has said that a fleet may give this method (@fleet in its interface), so only a card grants it")
            }
        }
        plugin.endpoints = try members(object["endpoints"], at: "\(path).endpoints")
        for member in plugin.endpoints.members where member.value != .null {
            let place = "\(path).endpoints.\(ForeignText.line(member.name, limit: 40))"
            guard let list = member.value.array else { throw malformed("\(place) has to be a list of places, or null") }
            for endpoint in list {
                guard let host = endpoint["host"]?.string, case .int(let port)? = endpoint["port"],
                    let port = UInt16(exactly: port)
                else { throw malformed("\(place) has to have host and port in each place") }
                guard endpoint["private"] == nil else {
                    throw forbidden("\(place).private", "an address of a local network is the card's to name")
                }
                do throws(Endpoint.Fault) { _ = try Endpoint(host: host, port: port) } catch {
                    throw forbidden(place, error.description)
                }
            }
        }
        plugin.settings = try members(object["settings"], at: "\(path).settings")
        try refuseLocal(.object(plugin.settings), at: "\(path).settings")
        return plugin
    }

    /// Refuses an address of a server in a local network, wherever in the settings it stands: to go there is the card's to say.
    private static func refuseLocal(_ json: JSON, at path: String) throws(FleetConfigurationError) {
        switch json {
        case .object(let object):
            for member in object.members {
                try refuseLocal(member.value, at: "\(path).\(ForeignText.line(member.name, limit: 40))")
            }
        case .array(let list):
            for (index, element) in list.enumerated() { try refuseLocal(element, at: "\(path)[\(index)]") }
        case .string(let text):
            guard let colon = text.firstRange(of: "://") else { return }
            let place = text[colon.upperBound...].prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
            let host =
                place.hasPrefix("[")
                ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
            do throws(Endpoint.Fault) { _ = try Endpoint(host: String(host).lowercased(), port: 443) } catch {
                throw forbidden(path, error.description)
            }
        default: return
        }
    }

    private static func network(_ json: JSON, at path: String) throws(FleetConfigurationError) -> Network {
        guard let object = json.object else { throw malformed("\(path) has to be an object") }
        try check(object, ["interface", "method", "addresses", "gateway", "nameServers"], at: path)
        // Words that fit a message; whether they are addresses is judged where addresses are.
        func isWord(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
        }
        guard let interface = object["interface"]?.string, isWord(interface), interface.utf8.count <= 15 else {
            throw malformed("\(path).interface has to be the name of an interface")
        }
        guard let method = object["method"]?.string, ["manual", "automatic"].contains(method) else {
            throw malformed("\(path).method has to be manual or automatic")
        }
        var lists: [[String]] = []
        for field in ["addresses", "nameServers"] {
            let texts = (object[field]?.array ?? []).compactMap(\.string)
            guard object[field] == nil || object[field]?.array?.count == texts.count, texts.count <= 8,
                texts.allSatisfy(isWord)
            else { throw malformed("\(path).\(field) has to be a list of addresses") }
            lists.append(texts)
        }
        let gateway = object["gateway"]?.string
        guard object["gateway"] == nil || gateway.map(isWord) == true else {
            throw malformed("\(path).gateway has to be an address")
        }
        return Network(
            interface: interface, isManual: method == "manual", addresses: lists[0], gateway: gateway,
            nameServers: lists[1])
    }

    private static func members(_ json: JSON?, at path: String) throws(FleetConfigurationError) -> JSON.Object {
        guard let json else { return JSON.Object() }
        guard let object = json.object else { throw malformed("\(path) has to be an object") }
        return object
    }

    private static func check(
        _ object: JSON.Object, _ known: [String], at path: String
    ) throws(FleetConfigurationError) {
        for member in object.members where !known.contains(member.name) {
            let name = ForeignText.line(member.name, limit: 40)
            throw FleetConfigurationError(
                .unknownField,
                "\(path.isEmpty ? "" : "\(path).")\(name): there is no such field; there are \(known.filter { $0 != "$schema" }.joined(separator: ", "))"
            )
        }
    }

    private static func malformed(_ text: String) -> FleetConfigurationError { FleetConfigurationError(.malformed, text) }
    private static func forbidden(_ path: String, _ why: String) -> FleetConfigurationError {
        FleetConfigurationError(.forbidden, "\(path): no configuration changes this: \(why)")
    }
}

extension FleetConfiguration.Audience {
    /// Reads `fleet`, `group:NAME` or `board:SERIAL`; `nil` for anything else.
    init?(_ text: String) {
        if text == "fleet" {
            self = .fleet
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, (1...64).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else { return nil }
        switch parts[0] {
        case "group": self = .group(parts[1])
        case "board": self = .board(parts[1])
        default: return nil
        }
    }
}
