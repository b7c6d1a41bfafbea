// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The manifest of a plugin, written by its author: what the plugin is, which program is started, and which permissions it
/// asks for and why (docs/manifest.md).
public struct Manifest: Hashable, Sendable {
    /// The program that is started for the plugin.
    public enum Run: Hashable, Sendable {
        /// An executable file, by its path relative to the plugin's folder: 1 to 200 letters, digits, dots, dashes
        /// and underscores, in parts between slashes, none of which is empty or begins with a dot.
        case program(String)
        /// A role of the program `vigil-plugins`, by its name: `[a-z][a-z0-9-]{0,31}`.
        case role(String)
    }

    /// The occasion on which the plugin is started: at the board's start, or by the first call and its schedule.
    public enum Start: String, Sendable { case resident, onDemand }

    /// An interface that the plugin asks to call, with the methods.
    public struct Want: Hashable, Sendable {
        /// The interface's name, such as `org.vigil.sync1`: 3 to 100 small letters, digits and dashes, in two or
        /// more parts between dots, with a digit at the end. Not one that the plugin provides itself.
        public let interface: String
        /// The names of the methods, 1 to ``Limits/methods``, each once: `[A-Z][A-Za-z0-9]{0,63}`.
        public let methods: [String]
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// A place on the network that the plugin asks to connect to.
    public struct NamedEndpoint: Hashable, Sendable {
        /// The name by which `grants.json` refers to the endpoint: `[a-z][a-z0-9-]{0,31}`; unique within the manifest.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// A TCP socket on which the plugin asks to listen.
    public struct Listen: Hashable, Sendable {
        /// The name by which `grants.json` refers to the socket: `[a-z][a-z0-9-]{0,31}`; unique within the manifest.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
        /// The TCP port that is used if the operator names none, at least 1; unique within the manifest.
        public let port: UInt16
    }

    /// A device file that the plugin asks to open.
    public struct Device: Hashable, Sendable {
        /// The path of the device file, unique within the manifest: 6 to 100 characters, `/dev/` and parts of
        /// letters, digits and `._:+-` between slashes, none of which begins with a dot.
        public let path: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// A group of the board's lines that the plugin asks to set.
    public struct Line: Hashable, Sendable {
        /// The group of lines, one of ``Manifest/lineNames``.
        public let name: String
        /// The author's reason, for the operator: 1 to 300 characters on one line.
        public let why: String
    }

    /// The plugin's own name, unique on a board: 1 to 32 lower-case letters, digits and dashes, beginning with a letter;
    /// not one of ``reservedNames``.
    public let id: String
    /// The plugin's version: `[0-9]{1,9}(\.[0-9]{1,9}){0,3}(-[A-Za-z0-9.]{1,20})?`, such as `1.2.0` or `1.2.0-beta`.
    public let version: String
    /// The plugin's name for people: 1 to 80 characters on one line.
    public let title: String
    /// The purpose of the plugin, for the operator: 1 to 1,000 characters on one line.
    public let description: String
    /// The program that is started for the plugin.
    public let run: Run
    /// The occasion on which the plugin is started.
    public let start: Start
    /// The names of the interfaces that the plugin provides, in the form of ``Want/interface``, each once, at most
    /// ``Limits/provided``; empty if there are none.
    public let provides: [String]
    /// The interfaces that the plugin asks to call, each once, at most ``Limits/wanted``.
    public let wants: [Want]
    /// The places on the network that the plugin asks to connect to, at most ``Limits/endpoints``.
    public let endpoints: [NamedEndpoint]
    /// The sockets on which the plugin asks to listen, at most ``Limits/listens``.
    public let listens: [Listen]
    /// The device files that the plugin asks to open, at most ``Limits/devices``; no memory or disk, through which
    /// the device's keys could be read, no whole GPIO chip, and none of the Bluetooth controller.
    public let devices: [Device]
    /// The groups of the board's lines that the plugin asks to set, at most ``Limits/lines``.
    public let lines: [Line]
    /// The number of seconds between two starts of an `onDemand` plugin that gets no call, within ``Limits/schedule``;
    /// `nil` if it has no schedule, and always for a `resident` plugin.
    public let everySeconds: Int64?
    /// The longest time between two signs of life that the plugin promises, in seconds within ``Limits/heartbeat``; 30 if
    /// the file does not say. The plugin is killed after three times as long without one.
    public let heartbeatSeconds: Int64
    /// The quotas that the plugin asks for; ``Quotas/standard`` for those that the file does not name.
    public let quotas: Quotas
    /// The settings that the operator can make; ``SettingsSchema/none`` if there are none.
    public let settings: SettingsSchema

    /// The names that no plugin may have, because the board's own processes or the console have them.
    public static let reservedNames: Set<String> = ["core", "egress", "ctl", "supervisor"]

    /// The groups of lines that plugins can be granted. The button is not among them, because a press is a consent, and
    /// only the core may read it.
    public static let lineNames = ["lights", "buzzer"]

    /// The JSON schema of the file, which is published as `docs/schemas/plugin.schema.json`.
    public static let schema = ManifestShape.whole.document(
        title: "Manifest of a Vigil plugin (plugin.json)",
        note:
            "What a plugin is and would like to have. docs/manifest.md explains every field. Made from Sources/Daemons/PluginManifest."
    )

    /// Reads `plugin.json`.
    /// - Throws: `Refusal` with all problems, at most ``Refusal/mostProblems``, if the file breaks a rule; also if it is
    ///   longer than ``Limits/manifestByteCount``, is not JSON, or is nested deeper than 16 levels.
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
