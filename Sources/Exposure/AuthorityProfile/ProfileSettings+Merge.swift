// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces
public import JSON
package import Varlink

/// The operator's file, and what becomes of it.
extension ProfileSettings {
    /// A `grants.json` with the parts of the plugins merged into it.
    public struct Merged: Sendable {
        /// The file to be written.
        public let document: JSON
        /// The notes for the operator, as English sentences: which plugins and sources were ended, and which steps
        /// remain; may be empty.
        public let notes: [String]
    }

    /// The reaction when the plugin *diagnosis* sends warnings to a server that none of the profiles names, and the
    /// profiles have no way to warn of their own.
    public enum OtherWarning: Sendable {
        /// Throw an error, because it is not known whether this is intended.
        case ask
        /// Keep the settings, such as those of the authority whose keys are on the command line.
        case keep
        /// End the warning: people can no longer warn others through that authority.
        case end
    }

    /// Returns the operator's `grants.json` with these settings merged into it: endpoints and settings that come from
    /// profiles are replaced, and everything else stays. Anything other than a JSON object counts as an empty one.
    ///
    /// A plugin for which the profiles have nothing left is emptied and disabled, so that it does not continue with
    /// an authority that has ended its service. A way to warn in the profiles replaces any other in the file. Throws
    /// ``Fault`` when the profiles have no way to warn, the file has one that is not from a profile, and `other` is
    /// ``OtherWarning/ask``.
    public func merged(into grants: JSON, other: OtherWarning = .ask) throws(Fault) -> Merged {
        var document = grants.object ?? JSON.Object()
        var plugins = document["plugins"]?.object ?? JSON.Object()
        var notes: [String] = []
        for entry in entries {
            notes += Self.forgotten(plugins[entry.plugin], entry, names)
            if entry.plugin == "diagnosis", let before = plugins["diagnosis"]?.object,
                let server = Self.server(before, "diagnosis"), let next = entry.settings["submission"]?.string,
                server != next
            {
                notes.append(
                    "diagnosis: people warn through \(ForeignText.ascii(next, limit: 120)) from now on, and no more through \(ForeignText.ascii(server, limit: 120))."
                )
            }
            let plugin = Self.filled(plugins[entry.plugin]?.object ?? ["enabled": true], entry)
            notes += Self.missing(.object(plugin), entry)
            if entry.plugin == "diagnosis", hasShortCodes, plugin["settings"]?["slots"]?.int != 192 {
                notes.append(
                    "diagnosis: codes of these servers may live for 15 minutes or an hour. With \"slots\": 192 boards look at them in time (6.6 MB a day with Google's servers); with \(plugin["settings"]?["slots"]?.int ?? 48) many codes end before (docs/warn-others.md)."
                )
            }
            plugins[entry.plugin] = .object(plugin)
        }
        for name in ["sync", "diagnosis"] where !entries.contains(where: { $0.plugin == name }) {
            guard let plugin = plugins[name]?.object, let server = Self.server(plugin, name) else { continue }
            if name == "diagnosis", !addresses.contains(server), other != .end {
                guard other == .keep else {
                    throw Fault(
                        description:
                            "its plugin diagnosis sends warnings to \(ForeignText.ascii(server, limit: 120)), and none of these profiles does: say --keep-warning to leave it as it is, or --end-warning to end it"
                    )
                }
                notes.append(
                    "diagnosis stays as it is: people go on to warn through \(ForeignText.ascii(server, limit: 120)).")
                continue
            }
            plugins[name] = .object(Self.emptied(plugin, name))
            notes.append(
                name == "sync"
                    ? "sync is emptied and disabled: these profiles have nothing to be fetched."
                    : "diagnosis is emptied and disabled: nobody can warn any more through \(ForeignText.ascii(server, limit: 120))."
            )
        }
        if !entries.contains(where: { $0.plugin == "venue" }), let plugin = plugins["venue"]?.object,
            let sources = plugin["settings"]?["signersOf"]?.array?.compactMap({ $0["source"]?.string }),
            sources.contains(where: { $0 != AuthorityProfile.reservedName })
        {
            plugins["venue"] = .object(Self.emptied(plugin, "venue"))
            notes.append("venue is emptied and disabled: these profiles have no check-in.")
        }
        document["plugins"] = .object(plugins)
        return Merged(document: .object(document), notes: notes)
    }

    private static func filled(_ before: JSON.Object, _ entry: Entry) -> JSON.Object {
        var plugin = before
        var endpoints = plugin["endpoints"]?.object ?? JSON.Object()
        for member in entry.json["endpoints"]?.object?.members ?? [] {
            let known = endpoints[member.name]?.array ?? []
            // What the operator has said of a place, such as that it is a private one, still holds.
            let places = (member.value.array ?? []).map { place in
                known.first { $0["host"] == place["host"] && $0["port"] == place["port"] } ?? place
            }
            endpoints[member.name] = .array(places)
        }
        let isSameServer = ["submission", "coronaWarnAppServer"].allSatisfy {
            plugin["settings"]?[$0] == entry.settings[$0]
        }
        var settings = unmade(plugin)
        for member in entry.settings.object?.members ?? [] { settings[member.name] = member.value }
        for member in plugin["settings"]?.object?.members ?? []
        where isSameServer && perhapsByHand.contains(member.name) && settings[member.name] == nil {
            settings[member.name] = member.value
        }
        plugin["endpoints"] = .object(endpoints)
        plugin["settings"] = .object(settings)
        return plugin
    }

    private static func unmade(_ plugin: JSON.Object) -> JSON.Object {
        var settings = JSON.Object()
        for member in plugin["settings"]?.object?.members ?? [] where !made.contains(member.name) {
            settings[member.name] = member.value
        }
        return settings
    }

    private static func emptied(_ before: JSON.Object, _ name: String) -> JSON.Object {
        var plugin = before
        var endpoints = JSON.Object()
        let ours = name == "sync" ? ["distribution"] : name == "venue" ? ["warnings"] : ["verification", "submission"]
        for member in plugin["endpoints"]?.object?.members ?? [] where !ours.contains(member.name) {
            endpoints[member.name] = member.value
        }
        plugin["enabled"] = false
        plugin["endpoints"] = .object(endpoints)
        plugin["settings"] = .object(unmade(plugin))
        return plugin
    }

    /// Where a plugin asks or sends; `nil` when it is not set up.
    private static func server(_ plugin: JSON.Object, _ name: String) -> String? {
        let settings = plugin["settings"]
        if name == "diagnosis" { return settings?["submission"]?.string }
        guard settings?["sources"]?.array?.isEmpty == false else { return nil }
        return ""
    }

    /// Sources and systems of check-in that the file had, and the profiles do not have.
    private static func forgotten(_ before: JSON?, _ entry: Entry, _ names: Set<String>) -> [String] {
        if entry.plugin == "venue" {
            let old = before?["settings"]
            return (old?["systems"]?.array ?? []).compactMap(\.string).prefix(16).compactMap { system in
                let name = ForeignText.ascii(system, limit: 40)
                if entry.settings["systems"]?.array?.contains(.string(system)) != true {
                    return
                        "venue takes no codes of \(name) any more, and fetches no warnings about them: no profile here has check-in by it."
                }
                return old?["\(system)Server"] != nil && entry.settings["\(system)Server"] == nil
                    ? "venue fetches no warnings by \(name) any more: no profile here says where they are." : nil
            }
        }
        guard entry.plugin == "sync" else { return [] }
        let old = (before?["settings"]?["sources"]?.array ?? []).compactMap { $0["name"]?.string }
        return old.filter { !names.contains($0) }.prefix(16).map {
            "sync fetches nothing from the source \(ForeignText.ascii($0, limit: 120)) any more: no profile here has that name."
        }
    }

    // MARK: What is the operator's

    /// Returns the methods that a plugin must be permitted to call for this entry, for which its manifest asks.
    package static func calls(of entry: Entry) -> [any InterfaceMethod] {
        if entry.plugin == "venue" {
            var calls: [any InterfaceMethod] = [
                Access1.Method.redeemProof, Exposure1.Method.getStatus, Device1.Method.getTime, Sync1.Method.getFreshness,
                Indicator1.Method.sayNews, Diagnosis1.Method.getPublished, Door1.Method.broadcast, Door1.Method.takeCode,
                Door1.Method.noteVisit,
            ]
            if entry.settings["signersOf"] != nil { calls.append(Trust1.Method.getSigners) }
            return calls
        }
        guard entry.plugin == "sync" else {
            return [
                Access1.Method.redeemProof, Release1.Method.takeDiagnosisKeys, Checkin1.Method.takeReports,
                Indicator1.Method.sayNews,
            ]
        }
        let sources = entry.settings["sources"]?.array ?? []
        var calls: [any InterfaceMethod] = [Exposure1.Method.getStatus, Exposure1.Method.provideDiagnosisKeys]
        if sources.contains(where: { $0["rules"] != nil }) { calls.append(Risk1.Method.takeConfiguration) }
        if sources.contains(where: { $0["content"] != nil }) { calls.append(Content1.Method.takeContent) }
        if sources.contains(where: { $0["donation"] != nil }) { calls.append(Donation1.Method.takeTerms) }
        if sources.contains(where: { $0["successions"] != nil }) {
            calls += [Trust1.Method.getSigners, Trust1.Method.takeSuccession]
        }
        if sources.contains(where: { $0["time"] != nil }) {
            calls += [Time1.Method.makeChallenge, Time1.Method.takeSignedTime]
        }
        return calls
    }

    private static func missing(_ plugin: JSON, _ entry: Entry) -> [String] {
        var notes: [String] = []
        if plugin["enabled"]?.bool != true {
            notes.append("\(entry.plugin) is not enabled in this file: without \"enabled\": true it does nothing.")
        }
        var absent = JSON.Object()
        for method in calls(of: entry) {
            let (interface, name) = (type(of: method).interface, JSON.string(method.rawValue))
            guard plugin["calls"]?[interface]?.array?.contains(name) != true else { continue }
            absent[interface] = .array((absent[interface]?.array ?? []) + [name])
        }
        if !absent.members.isEmpty {
            notes.append(
                "\(entry.plugin) may not yet call what it needs, and would do nothing of use. Add to its \"calls\": \(String(decoding: JSON.object(absent).bytes, as: UTF8.self))"
            )
        }
        for (_, places) in entry.endpoints {
            for place in places where place.isPrivate {
                let isSaid = (plugin["endpoints"]?.object?.members ?? []).contains { member in
                    (member.value.array ?? []).contains { $0["host"]?.string == place.host && $0["private"]?.bool == true }
                }
                if !isSaid {
                    notes.append(
                        "\(entry.plugin): \(place.host) is an address of a private network, which boards refuse; add \"private\": true to that endpoint if it is meant."
                    )
                }
            }
        }
        return notes
    }
}

extension ProfileSettings.Place {
    /// Whether the name itself is an address of a private network or of the machine; what a name leads to, only the board sees.
    fileprivate var isPrivate: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, let first = parts[0], let second = parts[1], parts[2] != nil, parts[3] != nil else {
            return host == "localhost"
        }
        return first == 10 || first == 127 || first == 192 && second == 168 || first == 172 && (16...31).contains(second)
            || first == 169 && second == 254
    }
}
