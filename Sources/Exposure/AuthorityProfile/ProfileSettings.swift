// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import JSON
import RiskConfiguration

/// The settings of the plugins *sync*, *venue* and *diagnosis* for the authorities that a board follows, made from their
/// profiles, so that no address or key is written twice. It is a value. Nothing in it is secret, not even
/// ``AuthorityProfile/Warning/apiKey``, which every copy of that authority's app has.
public struct ProfileSettings: Hashable, Sendable {
    /// The part of `grants.json` for one plugin: the servers that it may reach, and its settings.
    public struct Entry: Hashable, Sendable {
        /// The name of the plugin: `sync`, `venue` or `diagnosis`.
        public let plugin: String
        /// The servers that the plugin may reach, by their names in its manifest: `distribution` for *sync*,
        /// `warnings` for *venue*, `verification` and `submission` for *diagnosis*.
        public let endpoints: [(name: String, places: [Place])]
        /// The plugin's settings, a JSON object as its manifest describes it.
        public let settings: JSON

        /// Whether plugin, endpoints and settings of both are equal; the order of endpoints counts.
        public static func == (left: Entry, right: Entry) -> Bool { left.json == right.json && left.plugin == right.plugin }
        /// Hashes only the plugin, which is the same for equal entries.
        public func hash(into hasher: inout Hasher) { hasher.combine(plugin) }

        /// The members `endpoints` and `settings` as in `grants.json`.
        public var json: JSON {
            var named = JSON.Object()
            for (name, places) in endpoints {
                named[name] = .array(places.map { ["host": .string($0.host), "port": .int(Int64($0.port))] })
            }
            return ["endpoints": .object(named), "settings": settings]
        }
    }

    /// A server that a plugin may reach, by host and port.
    public struct Place: Hashable, Sendable {
        /// The server's host name, or its address as text, in lower case.
        public let host: String
        /// The server's port, 0 to 65,535: that of the address if it has one, otherwise 443 for `https:` and 80 for
        /// `http:`.
        public let port: UInt16
    }

    /// The reason why settings cannot be made or merged. The description is a sentence for the operator; it may quote the
    /// profiles and the file, made printable.
    public struct Fault: Error, CustomStringConvertible { public let description: String }

    /// The entries of the plugins that have anything to do: *sync*, *venue*, *diagnosis*; others are absent.
    public let entries: [Entry]
    /// The notes for the operator about work that the plugins do not do for these authorities, as English
    /// sentences; may be empty.
    public let notes: [String]
    /// Addresses of all profiles, also of those that are switched off: what a file of grants has with one of these came from them.
    let addresses: Set<String>
    let names: Set<String>
    /// For whom a code may end before a board looks at it.
    let hasShortCodes: Bool

    /// Creates the settings of the plugins for the profiles that a board follows.
    ///
    /// - Parameters:
    ///   - profiles: The profiles, in the order in which the board follows them.
    ///   - warnThrough: The name of the profile through which people warn; `nil` for the only running one that has a
    ///     way to warn, if there is one.
    /// - Throws: ``Fault`` when two profiles have the same name, when `warnThrough` names none that is running and
    ///   has a way to warn, or when it is `nil` and several have one.
    public init(_ profiles: [AuthorityProfile], warnThrough: String? = nil) throws(Fault) {
        var names: Set<String> = []
        for profile in profiles where !names.insert(profile.name).inserted {
            throw Fault(description: "two profiles have the name \(profile.name)")
        }
        let running = profiles.filter { $0.status == .running }
        var notes = profiles.filter { $0.status == .switchedOff }.map {
            "\($0.name) is switched off: nothing is asked of it."
        }
        self.names = names
        addresses = Set(profiles.compactMap { $0.warning?.publish })
        var entries: [Entry] = []
        if let sync = Self.sync(running, &notes) { entries.append(sync) }
        let warner = try Self.warner(running, warnThrough)
        let warnerFirst = running.filter { $0.name == warner?.name } + running.filter { $0.name != warner?.name }
        if let venue = Self.venue(warnerFirst, &notes) { entries.append(venue) }
        if let warner, let entry = Self.diagnosis(warner) { entries.append(entry) }
        hasShortCodes =
            warner.map { $0.warning?.kind == .ens || $0.warning?.kind == .cwa && $0.rules?.form != .vigil } ?? false
        self.entries = entries
        self.notes = notes
    }

    /// Those of ``made`` of which a profile need not say anything: for the same server what the operator has set stays.
    static let perhapsByHand: Set<String> = ["origin", "countries", "coronaWarnAppConfig", "coronaWarnAppForm"]

    /// Settings that profiles say everything of.
    static let made: Set<String> = [
        "sources", "configKeys", "way", "verification", "submission", "apiKey", "healthAuthority", "region", "userAgent",
        "country", "answerKeys", "plainHTTP", "systems", "coronaWarnAppServer", "coronaWarnAppCountry",
        "coronaWarnAppConfig", "coronaWarnAppForm", "swissCovidServer", "swissCovidKey", "nhsServer", "nhsApiKey",
        "nhsUserAgent",
        "nhsUnsignedAnswers", "crowdNotifierHost", "signersOf", "posterKeys", "origin", "countries",
    ]

    // MARK: Download

    private static func sync(_ profiles: [AuthorityProfile], _ notes: inout [String]) -> Entry? {
        var sources: [JSON] = []
        var keys: [JSON] = []
        var places: [Place] = []
        var isPlain = false
        for profile in profiles {
            guard let distribution = profile.distribution, let base = distribution.base else {
                notes.append("\(profile.name): somebody has to bring its files (docs/sync.md, kind folder).")
                continue
            }
            guard distribution.kind != .swissCovid else {
                notes.append("\(profile.name): sync does not fetch key files of the kind swissCovid.")
                continue
            }
            var source: JSON.Object = [
                "name": .string(profile.name), "kind": .string(distribution.kind.rawValue), "base": .string(base),
            ]
            if let country = distribution.country { source["country"] = .string(country) }
            if let isContinuous = distribution.isContinuous { source["continuous"] = .bool(isContinuous) }
            if let region = profile.region { source["region"] = .string(region) }
            if let index = distribution.index { source["index"] = .string(index) }
            if let seconds = distribution.intervalSeconds {
                source["intervalSeconds"] = .int(min(seconds, 86_400))
                if seconds > 86_400 {
                    notes.append("\(profile.name): sync looks once a day at least, and not every \(seconds) seconds.")
                }
            }
            if let rules = profile.rules, let path = rules.publishedPath {
                source["rules"] = .string(path)
                source["rulesForm"] = .string(rules.form.rawValue)
                // The phones' configuration also says how to download, and what was taken back.
                if rules.form == .cwa || rules.form == .cwaIOS { source["config"] = .string(path) }
                if rules.form == .vigil {
                    source["config"] = "version/v2/app_config_android"
                    source["vigilConfig"] = "version/v1/vigil_config"
                    source["content"] = "version/v1/content_bundle"
                    source["donation"] = "version/v1/donation"
                    source["successions"] = "version/v1/successions"
                    source["time"] = "version/v1/time"
                }
            }
            sources.append(.object(source))
            let form = profile.rules?.form
            for key in profile.keys where key.role == .rules && (form == .cwa || form == .cwaIOS || form == .vigil) {
                keys.append(key.settings(of: profile.name))
            }
            if let place = Place(base), !places.contains(place) { places.append(place) }
            isPlain = isPlain || base.hasPrefix("http:")
        }
        guard !sources.isEmpty else { return nil }
        var settings: JSON.Object = ["sources": .array(sources)]
        if !keys.isEmpty { settings["configKeys"] = .array(keys) }
        if isPlain { settings["plainHTTP"] = true }
        return Entry(plugin: "sync", endpoints: [("distribution", places)], settings: .object(settings))
    }

    // MARK: Check-in

    /// - Parameter profiles: The one that people warn through comes first: its server publishes their visits.
    private static func venue(_ profiles: [AuthorityProfile], _ notes: inout [String]) -> Entry? {
        var settings = JSON.Object()
        var (systems, signers, places): ([JSON], [JSON], [Place]) = ([], [], [])
        for system in AuthorityProfile.CheckIn.System.allCases {
            let takers = profiles.filter { $0.checkIn?.systems.contains(system) ?? false }
            guard let profile = takers.first(where: { $0.checkIn?.base != nil }) ?? takers.first,
                let checkIn = profile.checkIn
            else { continue }
            for other in takers where other.name != profile.name {
                notes.append(
                    "\(other.name): its check-in by \(system.rawValue) is left out, because a board has that of one authority for each system; here it is \(profile.name)."
                )
            }
            systems.append(.string(system.rawValue))
            if let base = checkIn.base {
                settings["\(system.rawValue)Server"] = .string(base)
                // The core knows which of its keys are in force.
                signers.append(["system": .string(system.rawValue), "source": .string(profile.name)])
                if let place = Place(base), !places.contains(place) { places.append(place) }
                if base.hasPrefix("http:") { settings["plainHTTP"] = true }
            }
            switch system {
            case .coronaWarnApp:
                settings["coronaWarnAppCountry"] = checkIn.country.map(JSON.string)
                // The rules lie behind the base of the distribution.
                if let base = checkIn.base, base == profile.distribution?.base, let rules = profile.rules,
                    rules.form == .cwa || rules.form == .cwaIOS
                {
                    settings["coronaWarnAppConfig"] = rules.publishedPath.map(JSON.string)
                    settings["coronaWarnAppForm"] = rules.form == .cwaIOS ? "ios" : "android"
                }
            case .swissCovid:
                settings["crowdNotifierHost"] = checkIn.codeHost.map(JSON.string)
                settings["swissCovidKey"] = checkIn.swissCovidKey.map(JSON.string)
            case .nhs:
                settings["posterKeys"] = checkIn.posterKeys.isEmpty ? nil : .array(checkIn.posterKeys.map(\.settings))
                if checkIn.base != nil, let warning = profile.warning, warning.kind == .nhs {
                    settings["nhsApiKey"] = warning.apiKey.map(JSON.string)
                    settings["nhsUserAgent"] = warning.userAgent.map(JSON.string)
                }
                // Servers of ours do not sign the operators' word.
                if checkIn.base != nil, profile.rules?.form == .vigil { settings["nhsUnsignedAnswers"] = true }
            }
        }
        guard !systems.isEmpty else { return nil }
        settings["systems"] = .array(systems)
        if !signers.isEmpty { settings["signersOf"] = .array(signers) }
        return Entry(
            plugin: "venue", endpoints: places.isEmpty ? [] : [("warnings", places)], settings: .object(settings))
    }

    // MARK: Warning

    private static func warner(
        _ profiles: [AuthorityProfile], _ name: String?
    ) throws(Fault) -> AuthorityProfile? {
        let able = profiles.filter { $0.warning.map { $0.kind != .none } ?? false }
        if let name {
            guard let found = able.first(where: { $0.name == name }) else {
                throw Fault(
                    description:
                        "people cannot warn through \(name): no profile of that name is running and has a way to warn")
            }
            return found
        }
        guard able.count < 2 else {
            let names = able.map(\.name).joined(separator: ", ")
            throw Fault(
                description:
                    "a board warns through one authority, and \(names) all have a way to: say which with --warn")
        }
        return able.first
    }

    private static func diagnosis(_ profile: AuthorityProfile) -> Entry? {
        guard let warning = profile.warning, let publish = warning.publish else { return nil }
        let verification = warning.verification ?? publish
        var settings: JSON.Object = [
            "way": .string(warning.kind.rawValue), "verification": .string(verification), "submission": .string(publish),
        ]
        if let key = warning.apiKey { settings["apiKey"] = .string(key) }
        if let authority = warning.healthAuthority { settings["healthAuthority"] = .string(authority) }
        if let region = warning.linkRegion { settings["region"] = .string(region) }
        if let name = warning.userAgent { settings["userAgent"] = .string(name) }
        if let country = warning.testCountry { settings["country"] = .string(country) }
        // A server refuses a warning that names another country than its own.
        if let origin = warning.origin ?? profile.rules?.country, warning.kind == .cwa {
            settings["origin"] = .string(origin)
        }
        if !warning.countries.isEmpty { settings["countries"] = .array(warning.countries.map(JSON.string)) }
        if warning.kind == .nhs {
            settings["answerKeys"] = .array(profile.keys.filter { $0.role == .rules }.map(\.answerSettings))
        }
        if publish.hasPrefix("http:") || verification.hasPrefix("http:") { settings["plainHTTP"] = true }
        func places(_ address: String) -> [Place] { Place(address).map { [$0] } ?? [] }
        return Entry(
            plugin: "diagnosis", endpoints: [("verification", places(verification)), ("submission", places(publish))],
            settings: .object(settings))
    }
}

extension ProfileSettings.Place {
    /// Of an address that was checked.
    init?(_ address: String) {
        let isSecure = address.hasPrefix("https://")
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
        let rest = address[address.index(colon, offsetBy: 3)...].prefix { $0 != "/" }
        let parts = rest.split(separator: ":", maxSplits: 1)
        guard let host = parts.first, let port = parts.count > 1 ? UInt16(parts[1]) : isSecure ? 443 : 80 else {
            return nil
        }
        // Grants are written in small letters.
        self.init(host: host.lowercased(), port: port)
    }
}

extension AuthorityProfile.Rules {
    /// Where they lie behind the base of the distribution; `nil` where nobody fetches them.
    var publishedPath: String? {
        switch form {
        case .profile: nil
        case .vigil: path ?? "version/v1/risk_config"
        case .cwa: path ?? "version/v2/app_config_android"
        case .cwaIOS: path ?? "version/v2/app_config_ios"
        case .nhs: path ?? "distribution/exposure-configuration"
        case .swissCovid: path ?? "v1/config"
        }
    }
}

extension AuthorityProfile.Key {
    private var base64: JSON { (try? key.pem()).map(JSON.string) ?? .null }

    fileprivate func settings(of source: String) -> JSON {
        var entry: JSON.Object = ["source": .string(source), "name": .string("\(id)-\(version)"), "key": base64]
        if isSpare { entry["spare"] = true }
        return .object(entry)
    }

    fileprivate var answerSettings: JSON { ["id": .string(id), "key": base64] }
}

extension AuthorityProfile.CheckIn.PosterKey {
    fileprivate var settings: JSON { ["id": .string(id), "key": (try? key.pem()).map(JSON.string) ?? .null] }
}
