// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import IPNetwork
public import JSON

/// The operator's grants to plugins (docs/manifest.md). What is not in this file is not granted.
public struct GrantsFile: Hashable, Sendable {
    /// One plugin's grants, as the operator has written them. A value may break the rules below; ``problems`` then says so.
    public struct Entry: Hashable, Sendable {
        /// The methods of one interface that the plugin may call.
        public struct Calls: Hashable, Sendable {
            /// The interface's name, such as `org.vigil.sync1`.
            public let interface: String
            /// The names of the methods, each once, in the order of the file; may be empty.
            public let methods: [String]
        }

        /// One socket on which the plugin listens, with its address and port.
        public struct Listen: Hashable, Sendable {
            /// The manifest's name for the socket; the plugin gets the socket by this name.
            public let name: String
            /// The address to bind to; 127.0.0.1 if the file gives none.
            public let address: IPAddress
            /// The TCP port to bind to, at least 1; `nil` for the port that the manifest names.
            public let port: UInt16?
        }

        /// The destinations that the plugin may connect to under one of the manifest's names.
        public struct Destinations: Hashable, Sendable {
            /// The manifest's name for the endpoint that these destinations belong to.
            public let name: String
            /// The pairs of host and port, each once, at most ``Limits/addresses``.
            public let addresses: [Endpoint]
        }

        /// The plugin's name: `[a-z][a-z0-9-]{0,31}`.
        public let name: String
        /// Whether the plugin may run; `false` if the file does not say.
        public let isEnabled: Bool
        /// The methods that the plugin may call, in the order of the file, of at most ``Limits/wanted`` interfaces.
        public let calls: [Calls]
        /// The destinations that the plugin may connect to, in the order of the file, for at most ``Limits/endpoints``
        /// names.
        public let endpoints: [Destinations]
        /// The sockets on which the plugin may listen, in the order of the file, at most ``Limits/listens``. A socket whose
        /// address is not valid is left out, and reported in ``problems``.
        public let listens: [Listen]
        /// The paths of the device files that the plugin may open, each once, in the order of the file, at most
        /// ``Limits/devices``.
        public let devices: [String]
        /// The groups of lines that the plugin may set, of ``Manifest/lineNames``, each once, in the order of the file; may
        /// be empty.
        public let lines: [String]
        /// By the manifest's words, only those that are written.
        let quotas: [String: Int64]
        /// Whether the plugin may use a metered network, where each byte costs money; `false` if the file does not say.
        public let mayUseMetered: Bool
        /// The plugin's settings as they are written, with secrets. They are checked by the manifest's schema, not here.
        /// Show them only through `shown(_:)`.
        public let settings: JSON
        /// The problems of this entry; if there are any, its plugin does not run.
        public let problems: [Problem]
    }

    /// The plugins' entries, in the order of the file, at most ``Limits/plugins``.
    public let entries: [Entry]
    /// The problems of the file outside its entries; empty if there are none. They do not affect the entries,
    /// except that entries after the first ``Limits/plugins`` are ignored.
    public let problems: [Problem]

    /// All problems of the file and its entries, the file's own first; empty if there are none.
    public var allProblems: [Problem] { problems + entries.flatMap(\.problems) }

    /// A file that grants nothing.
    public static let empty = GrantsFile(entries: [], problems: [])

    /// The JSON schema of the file, which is published as `docs/schemas/grants.schema.json`.
    public static let schema = GrantsShape.whole.document(
        title: "What the operator of a Vigil board grants to plugins (grants.json)",
        note:
            "What is not granted is not had. docs/manifest.md explains every field. Made from Sources/Daemons/PluginManifest."
    )

    private init(entries: [Entry], problems: [Problem]) {
        self.entries = entries
        self.problems = problems
    }

    /// Returns the entry of the plugin with this name, whether the plugin is enabled or not; `nil` if there is none.
    public func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

    /// Reads `grants.json`. A fault in one plugin's entry affects only that entry, and is reported in its
    /// ``Entry/problems``.
    /// - Throws: `Refusal` if the file is longer than ``Limits/grantsByteCount``, is not JSON, is nested deeper than 16
    ///   levels, or has no object `plugins`.
    public init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Limits.grantsByteCount else {
            throw Refusal([
                Problem(.tooLong, .grants, at: "", "has \(bytes.count) bytes; at most \(Limits.grantsByteCount) are read")
            ])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes, maximumDepth: 16) } catch {
            throw Refusal([Problem(.notJSON, .grants, at: "", "cannot be read: \(error)")])
        }
        guard let plugins = json["plugins"]?.object else {
            var check = ShapeCheck(.grants)
            check.check(json, GrantsShape.whole, at: JSONPath())
            throw Refusal(check.problems)
        }
        var whole = ShapeCheck(.grants)
        for member in json.object?.members ?? [] where member.name != "plugins" && member.name != "$schema" {
            whole.report(
                .unknownField, at: JSONPath().field(member.name), "there is no such field; there are $schema and plugins")
        }
        if let schema = json["$schema"] {
            whole.check(schema, .text(.schemaAddress), at: JSONPath().field("$schema"))
        }
        if plugins.members.count > Limits.plugins {
            whole.report(
                .tooMany, at: JSONPath("plugins"),
                "has \(plugins.members.count) entries; at most \(Limits.plugins) are possible, and only the first ones hold"
            )
        }
        self.init(
            entries: plugins.members.prefix(Limits.plugins).map { Entry(name: $0.name, $0.value) },
            problems: whole.problems)
    }
}

extension GrantsFile.Entry {
    init(name: String, _ json: JSON) {
        let path = JSONPath("plugins").field(name)
        var check = ShapeCheck(.grants)
        if !Form.name.holds(name) { check.report(.badForm, at: path, "the name must be \(Form.name.words)") }
        check.check(json, GrantsShape.plugin, at: path)

        self.name = name
        isEnabled = json["enabled"]?.bool ?? false
        calls = (json["calls"]?.object?.members ?? []).map { member in
            let methods = (member.value.array ?? []).compactMap(\.string)
            Self.differ(methods, path.field("calls").field(member.name), &check)
            return Calls(interface: member.name, methods: methods)
        }
        endpoints = (json["endpoints"]?.object?.members ?? []).map { member in
            Destinations(
                name: member.name,
                addresses: Self.addresses(member.value, at: path.field("endpoints").field(member.name), &check))
        }
        listens = (json["listens"]?.object?.members ?? []).compactMap { member in
            let place = path.field("listens").field(member.name)
            let text = member.value["address"]?.string ?? "127.0.0.1"
            guard let address = IPAddress(host: text) else {
                if Form.address.holds(text) { check.report(.badForm, at: place.field("address"), "is no address") }
                return nil
            }
            return Listen(
                name: member.name, address: address, port: member.value["port"]?.int.flatMap(UInt16.init(exactly:)))
        }
        devices = (json["devices"]?.array ?? []).compactMap(\.string)
        Self.differ(devices, path.field("devices"), &check)
        for (index, device) in devices.enumerated() {
            if let reason = Manifest.forbidding(device) {
                check.report(.badForm, at: path.field("devices").index(index), reason)
            }
        }
        lines = (json["lines"]?.array ?? []).compactMap(\.string)
        Self.differ(lines, path.field("lines"), &check)
        quotas = Dictionary(
            (json["quotas"]?.object?.members ?? []).compactMap { member in member.value.int.map { (member.name, $0) } }
        ) { first, _ in first }
        mayUseMetered = json["metered"]?.bool ?? false
        settings = json["settings"] ?? .empty
        problems = check.problems
    }

    private static func addresses(_ json: JSON, at path: JSONPath, _ check: inout ShapeCheck) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        for (index, address) in (json.array ?? []).prefix(Limits.addresses).enumerated() {
            // What has not even its shape is told already.
            guard let host = address["host"]?.string, Form.host.holds(host),
                let port = address["port"]?.int.flatMap(UInt16.init(exactly:)), port > 0
            else { continue }
            do throws(Endpoint.Fault) {
                let endpoint = try Endpoint(host: host, port: port, isPrivate: address["private"]?.bool ?? false)
                if endpoints.contains(where: { $0.host == endpoint.host && $0.port == endpoint.port }) {
                    check.report(.duplicate, at: path.index(index), "\(host) with port \(port) is there already")
                }
                endpoints.append(endpoint)
            } catch {
                check.report(.badForm, at: path.index(index).field("host"), error.description)
            }
        }
        return endpoints
    }

    private static func differ(_ names: [String], _ path: JSONPath, _ check: inout ShapeCheck) {
        var seen: Set<String> = []
        for (index, name) in names.enumerated() where !seen.insert(name).inserted {
            check.report(.duplicate, at: path.index(index), "\(ForeignText.line(name, limit: 80)) is there already")
        }
    }
}
