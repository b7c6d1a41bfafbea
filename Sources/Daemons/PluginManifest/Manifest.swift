// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The statement of a plugin's author: what it is, what is started, what it would like to have, and why (docs/manifest.md).
public struct Manifest: Hashable, Sendable {
    /// The program that is started for the plugin.
    public enum Run: Hashable, Sendable {
        /// An executable file, by its path relative to the plugin's folder: 1 to 200 characters, no part of it beginning with a dot.
        case program(String)
        /// A role of the program `vigil-plugins`, by its name: `[a-z][a-z0-9-]{0,31}`.
        case role(String)
    }

    /// The occasions on which it is started: with the board, or by the first call and its schedule.
    public enum Start: String, Sendable { case resident, onDemand }

    /// An interface that it would like to call, with the methods.
    public struct Want: Hashable, Sendable {
        /// The interface's name, such as `org.vigil.sync1`.
        public let interface: String
        /// Names of its methods, at least one and at most ``Limits/methods``, each once.
        public let methods: [String]
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// A place on the network it would like to reach.
    public struct NamedEndpoint: Hashable, Sendable {
        /// The name that `grants.json` calls the endpoint by: `[a-z][a-z0-9-]{0,31}`; unique within the manifest.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// A TCP socket that it would like to be reached at.
    public struct Listen: Hashable, Sendable {
        /// The name that `grants.json` calls the socket by: `[a-z][a-z0-9-]{0,31}`; unique within the manifest.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
        /// The TCP port if the operator gives none, at least 1; unique within the manifest.
        public let port: UInt16
    }

    /// A device file that it would like to open.
    public struct Device: Hashable, Sendable {
        /// The path of the device file, below `/dev/`.
        public let path: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// Lines of the board that it would like to set.
    public struct Line: Hashable, Sendable {
        /// The group of lines, one of ``Manifest/lineNames``.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// The plugin's own name, unique on a board: 1 to 32 lower-case letters, digits and dashes, beginning with a letter. None of
    /// ``reservedNames``.
    public let id: String
    /// The plugin's version: `[0-9]{1,9}(\.[0-9]{1,9}){0,3}(-[A-Za-z0-9.]{1,20})?`, such as `1.2.0` or `1.2.0-beta`.
    public let version: String
    /// The name for people: 1 to 80 characters on one line.
    public let title: String
    /// The purpose of the plugin, for the operator: 1 to 1,000 characters on one line.
    public let description: String
    /// The program that is started for the plugin.
    public let run: Run
    /// The occasion on which it is started.
    public let start: Start
    /// Names of interfaces that others may call, each once, at most ``Limits/provided``; empty for none.
    public let provides: [String]
    /// The interfaces that it would like to call, at most ``Limits/wanted``, each once.
    public let wants: [Want]
    /// Places on the network that it would like to reach, at most ``Limits/endpoints``.
    public let endpoints: [NamedEndpoint]
    /// Sockets that it would like to be reached at, at most ``Limits/listens``.
    public let listens: [Listen]
    /// Device files that it would like to open, at most ``Limits/devices``; none that keys lie on or pass through.
    public let devices: [Device]
    /// Lines of the board that it would like to set, at most ``Limits/lines``.
    public let lines: [Line]
    /// Seconds between two starts of an onDemand plugin when no one calls it, within ``Limits/schedule``; `nil` without a schedule.
    public let everySeconds: Int64?
    /// The longest time between two signs of life that the plugin promises, in seconds within ``Limits/heartbeat``; 30 if
    /// the file does not say. It is killed after three times as long without one.
    public let heartbeatSeconds: Int64
    /// The most that it needs; ``Quotas/standard`` where the file does not say.
    public let quotas: Quotas
    /// The settings that its operator can set; ``SettingsSchema/none`` if there are none.
    public let settings: SettingsSchema

    /// Names that belong to the processes that every board has, or to the console.
    public static let reservedNames: Set<String> = ["core", "egress", "ctl", "supervisor"]

    /// The groups of lines of a board that plugins can have. The button is not among them: a press is a consent, and only
    /// the core hears it.
    public static let lineNames = ["lights", "buzzer"]

    /// The JSON schema of the file, which is published as `docs/schemas/plugin.schema.json`.
    public static let schema = ManifestShape.whole.document(
        title: "Manifest of a Vigil plugin (plugin.json)",
        note:
            "What a plugin is and would like to have. docs/manifest.md explains every field. Made from Sources/Daemons/PluginManifest."
    )

    /// Reads `plugin.json`.
    /// - Throws: `Refusal` with everything that is wrong with it, at most ``Refusal/mostProblems``; also if it is too long, no JSON, or deeper than
    ///   16 levels.
    public init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Limits.manifestByteCount else {
            throw Refusal([
                Problem(
                    .tooLong, .manifest, at: "", "has \(bytes.count) bytes; at most \(Limits.manifestByteCount) are read")
            ])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes, maximumDepth: 16) } catch {
            throw Refusal([Problem(.notJSON, .manifest, at: "", "cannot be read: \(error)")])
        }
        try self.init(json)
    }

    init(_ json: JSON) throws(Refusal) {
        var check = ShapeCheck(.manifest)
        check.check(json, ManifestShape.whole, at: JSONPath())

        id = json["id"]?.string ?? ""
        version = json["version"]?.string ?? ""
        title = json["title"]?.string ?? ""
        description = json["description"]?.string ?? ""
        if let role = json["run"]?["role"]?.string {
            run = .role(role)
        } else {
            run = .program(json["run"]?["program"]?.string ?? "")
        }
        start = json["start"]?.string.flatMap(Start.init) ?? .onDemand
        provides = (json["provides"]?.array ?? []).map { $0.string ?? "" }
        wants = (json["wants"]?.array ?? []).map { want in
            Want(
                interface: want["interface"]?.string ?? "", methods: (want["methods"]?.array ?? []).map { $0.string ?? "" },
                why: want["why"]?.string ?? "")
        }
        endpoints = (json["endpoints"]?.array ?? []).map {
            NamedEndpoint(name: $0["name"]?.string ?? "", why: $0["why"]?.string ?? "")
        }
        listens = (json["listens"]?.array ?? []).map {
            Listen(
                name: $0["name"]?.string ?? "", why: $0["why"]?.string ?? "",
                port: $0["port"]?.int.flatMap(UInt16.init(exactly:)) ?? 0)
        }
        devices = (json["devices"]?.array ?? []).map {
            Device(path: $0["path"]?.string ?? "", why: $0["why"]?.string ?? "")
        }
        lines = (json["lines"]?.array ?? []).map {
            Line(name: $0["name"]?.string ?? "", why: $0["why"]?.string ?? "")
        }
        everySeconds = json["schedule"]?["everySeconds"]?.int
        heartbeatSeconds = json["heartbeatSeconds"]?.int ?? 30
        var quotas = Quotas.standard
        for part in Quotas.parts {
            if let value = json["quotas"]?[part.name]?.int { quotas[keyPath: part.value] = value }
        }
        self.quotas = quotas
        settings = SettingsSchema(json["settings"] ?? .empty, at: JSONPath("settings"), &check)

        checkNames(&check)
        checkSense(&check)
        guard check.problems.isEmpty else { throw Refusal(check.problems) }
    }

    private func checkNames(_ check: inout ShapeCheck) {
        func differ(_ names: [String], _ path: (Int) -> JSONPath) {
            var seen: Set<String> = []
            for (index, name) in names.enumerated() where !name.isEmpty && !seen.insert(name).inserted {
                check.report(.duplicate, at: path(index), "\(name) is there already")
            }
        }
        let top = JSONPath()
        differ(provides) { top.field("provides").index($0) }
        differ(wants.map(\.interface)) { top.field("wants").index($0).field("interface") }
        for (index, want) in wants.enumerated() {
            differ(want.methods) { top.field("wants").index(index).field("methods").index($0) }
        }
        differ(endpoints.map(\.name)) { top.field("endpoints").index($0).field("name") }
        differ(listens.map(\.name)) { top.field("listens").index($0).field("name") }
        differ(listens.map { $0.port == 0 ? "" : "\($0.port)" }) { top.field("listens").index($0).field("port") }
        differ(devices.map(\.path)) { top.field("devices").index($0).field("path") }
        differ(lines.map(\.name)) { top.field("lines").index($0).field("name") }
    }

    private func checkSense(_ check: inout ShapeCheck) {
        let top = JSONPath()
        if Self.reservedNames.contains(id) {
            check.report(.taken, at: top.field("id"), "\(id) is the name of a part of Vigil; choose another")
        }
        for (index, want) in wants.enumerated() where provides.contains(want.interface) {
            check.report(
                .contradiction, at: top.field("wants").index(index).field("interface"),
                "\(want.interface) is what it provides itself; it needs no socket to call that")
        }
        for (index, device) in devices.enumerated() {
            guard let reason = Self.forbidding(device.path) else { continue }
            check.report(.badForm, at: top.field("devices").index(index).field("path"), reason)
        }
        if everySeconds != nil, start == .resident {
            check.report(
                .contradiction, at: top.field("schedule"),
                "is for plugins that start onDemand; a resident one keeps its own time")
        }
    }

    /// Why no plugin may have that device, whoever grants it: what keys lie on or pass through.
    static func forbidding(_ device: String) -> String? {
        let name = device.dropFirst("/dev/".count)
        let memory = ["mem", "kmem", "port", "shm", "fd", "pts", "core"]
        let disks = [
            "sd", "hd", "vd", "xvd", "mmcblk", "nvme", "mtd", "ubi", "loop", "dm-", "md", "ram", "zram", "nbd", "sr",
        ]
        let folders = ["mapper/", "disk/", "block/", "shm/", "pts/", "fd/", "bsg/"]
        let radio = ["vhci", "rfkill", "uhid"]
        // Every free line of a chip, the button's among them when nobody has it yet, and what switches the controller off.
        if name.hasPrefix("gpiochip") { return "whole GPIO chips are for no plugin; ask for lines" }
        if memory.contains(String(name)) || disks.contains(where: name.hasPrefix) || folders.contains(where: name.hasPrefix)
        {
            return "memory and disks hold the device's keys; no plugin gets them"
        }
        return radio.contains(String(name)) ? "the Bluetooth controller belongs to the core" : nil
    }
}
