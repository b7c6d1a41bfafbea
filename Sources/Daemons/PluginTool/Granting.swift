// SPDX-License-Identifier: Apache-2.0

import ControlTool
import ForeignText
import JSON
import PluginManifest

/// How an entry of `grants.json` comes about: one question for each thing the manifest asks for, or the answers given beforehand.
struct Granting {
    /// What the command line says.
    struct Answers {
        /// Calls, listening on this machine, and devices; not where to connect to, which nobody can know beforehand.
        var grantsAll = false
        /// `NAME=HOST:PORT`, with `!` behind it for addresses of the own network.
        var endpoints: [String] = []
        /// `NAME=VALUE`, the value as JSON or as plain text.
        var settings: [String] = []
    }

    let manifest: Manifest
    let answers: Answers
    let person: Person
    /// Methods that another plugin has and only one can have.
    let taken: Set<String>
    private(set) var notes: [String] = []

    init(_ manifest: Manifest, _ answers: Answers, _ person: Person, taken: Set<String>) {
        self.manifest = manifest
        self.answers = answers
        self.person = person
        self.taken = taken
    }

    /// The entry, without `enabled`. Nothing in it was not said yes to.
    mutating func entry() throws(PluginFailure) -> JSON.Object {
        var entry = JSON.Object()
        var calls = JSON.Object()
        for want in manifest.wants {
            var methods = want.methods
            for method in methods where taken.contains("\(want.interface).\(method)") {
                notes.append("\(want.interface).\(method) belongs to another plugin already, and only one can have it")
                methods.removeAll { $0 == method }
            }
            let question = "May it call \(methods.joined(separator: ", ")) of \(want.interface)? \(reason(want.why))"
            if !methods.isEmpty, isGranted(question) { calls[want.interface] = .array(methods.map(JSON.string)) }
        }
        if !calls.isEmpty { entry["calls"] = .object(calls) }
        let endpoints = try endpoints()
        if !endpoints.isEmpty { entry["endpoints"] = .object(endpoints) }
        var listens = JSON.Object()
        for listen in manifest.listens {
            let question = "May it be reached at 127.0.0.1:\(listen.port), from this machine only? \(reason(listen.why))"
            if isGranted(question) { listens[listen.name] = ["address": "127.0.0.1", "port": .int(Int64(listen.port))] }
        }
        if !listens.isEmpty { entry["listens"] = .object(listens) }
        let devices = manifest.devices.filter { isGranted("May it open \($0.path)? \(reason($0.why))") }.map(\.path)
        if !devices.isEmpty { entry["devices"] = .array(devices.map(JSON.string)) }
        let lines = manifest.lines.filter { isGranted("May it set the board's \($0.name)? \(reason($0.why))") }.map(\.name)
        if !lines.isEmpty { entry["lines"] = .array(lines.map(JSON.string)) }
        let settings = try settings()
        if !settings.isEmpty { entry["settings"] = .object(settings) }
        return entry
    }

    private func reason(_ why: String) -> String { "It says: “\(why)”" }

    private func isGranted(_ question: String) -> Bool {
        answers.grantsAll || person.confirms(ForeignText.line(question, limit: 1_000))
    }

    private mutating func endpoints() throws(PluginFailure) -> JSON.Object {
        var result = JSON.Object()
        var given: [String: [String]] = [:]
        for answer in answers.endpoints {
            guard let mark = answer.firstIndex(of: "=") else {
                throw PluginFailure(.badUsage, "--endpoint \(answer): write NAME=HOST:PORT.")
            }
            let name = String(answer[..<mark])
            guard manifest.endpoints.contains(where: { $0.name == name }) else {
                throw PluginFailure(.badUsage, "--endpoint \(answer): its manifest asks for no endpoint \(name).")
            }
            given[name, default: []].append(String(answer[answer.index(after: mark)...]))
        }
        for wish in manifest.endpoints {
            var texts = given[wish.name] ?? []
            if texts.isEmpty, !answers.grantsAll {
                let question =
                    "Where is “\(wish.name)”, which it may connect to? \(reason(wish.why))\nHOST:PORT, several with commas (a ! behind one in your own network), or nothing: "
                texts = (person.ask(ForeignText.lines(question)) ?? "").split { $0 == "," || $0 == " " }.map(String.init)
            }
            if texts.isEmpty, answers.grantsAll {
                notes.append(
                    "nothing says where “\(wish.name)” is, so it cannot connect there: give --endpoint \(wish.name)=HOST:PORT"
                )
            }
            var addresses: [JSON] = []
            for text in texts { addresses.append(try Self.address(text)) }
            if !addresses.isEmpty { result[wish.name] = .array(addresses) }
        }
        return result
    }

    private static func address(_ text: String) throws(PluginFailure) -> JSON {
        let isPrivate = text.hasSuffix("!")
        let place = isPrivate ? String(text.dropLast()) : text
        guard let mark = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: mark)...]) else {
            throw PluginFailure(.badUsage, "\(text): write HOST:PORT, such as cdn.example:443.")
        }
        do throws(Endpoint.Fault) {
            let endpoint = try Endpoint(host: String(place[..<mark]), port: port, isPrivate: isPrivate)
            var address: JSON.Object = ["host": .string(endpoint.host), "port": .int(Int64(port))]
            if isPrivate { address["private"] = true }
            return .object(address)
        } catch {
            throw PluginFailure(.badUsage, "\(text): \(error). In your own network, write ! behind it.")
        }
    }

    private func settings() throws(PluginFailure) -> JSON.Object {
        var result = JSON.Object()
        for answer in answers.settings {
            guard let mark = answer.firstIndex(of: "=") else {
                throw PluginFailure(.badUsage, "--set \(answer): write NAME=VALUE.")
            }
            let name = String(answer[..<mark])
            guard let property = manifest.settings.properties.first(where: { $0.name == name }) else {
                throw PluginFailure(.badUsage, "--set \(name): there is no such setting.")
            }
            let text = String(answer[answer.index(after: mark)...])
            // A text needs no quotes; everything else is JSON.
            if case .text = property.kind {
                result[name] = .string(text)
            } else {
                guard let value = try? JSON(parsing: Array(text.utf8)) else {
                    throw PluginFailure(.badUsage, "--set \(name): its value is written as JSON.")
                }
                result[name] = value
            }
        }
        return result
    }
}
