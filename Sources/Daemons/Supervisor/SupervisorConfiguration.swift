// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Glibc
public import HCITransport
import JSON

/// The operator's settings of a board, `vigil.json` (docs/supervisor.md, docs/schemas/vigil.schema.json).
public struct SupervisorConfiguration: Sendable, Equatable {
    /// The confinement that a process must have to be started.
    public enum Confinement: String, Sendable, CaseIterable {
        /// Everything that a plugin needs on a board (`Primitive.requiredOnBoards`); if a part is missing, the
        /// plugin is not started.
        case required
        /// As much as the machine and the user permit; missing parts are reported.
        case possible
    }

    /// The absolute path of the folder for lasting data; plugins' own folders are in `state/` below it, one each,
    /// by name.
    public var data = "/var/lib/vigil"
    /// The absolute path of the folder for the key that seals the core's data; `nil` for `core/key` below ``data``. If
    /// it is set, the plugins' seal keys are stored next to it, in a folder of the same name with `-plugins` appended;
    /// otherwise in `seals` below ``data``.
    public var keys: String?
    /// The absolute path of the folder, in memory, for sockets, spools and states.
    public var run = "/run/vigil"
    /// The place of the Bluetooth controller; while it is `nil` the supervisor does not start.
    public var transport: TransportAddress?
    /// The absolute path of the file in which the system reports on its partitions after its start; `nil` if there
    /// is none.
    public var partitions: String?
    /// The absolute path of the folder in which the kernel has a folder for each battery and charger.
    public var powerSupplies = BatteryMonitor.standardFolder
    /// The board profile: `token`, `kiosk`, or the absolute path of a file; the core checks the content, and its
    /// length is not limited to 511 bytes here.
    public var profile = "token"
    /// The absolute paths of folders with a folder for each plugin, at most 8; of two plugins with the same name
    /// the first counts.
    public var pluginFolders = ["/usr/lib/vigil/plugins", "/var/lib/vigil/plugins"]
    /// The absolute path of the operator's `grants.json`.
    public var grants = "/etc/vigil/grants.json"
    /// The keys that may sign diagnosis keys: `ID-VERSION=FILE` each, which the core checks; at most 32.
    public var exportKeys: [String] = []
    /// The keys that may sign the time: `ID-VERSION=FILE` each, which the core checks; at most 32.
    public var timeKeys: [String] = []
    /// The keys that may sign the health authority's rules: `ID-VERSION=FILE` each, which the core checks; at most 32.
    public var configKeys: [String] = []
    /// The keys that may sign changes of all keys: `ID-VERSION=FILE` each, which the core checks; at most 32.
    public var operatorKeys: [String] = []
    /// The absolute paths of profiles of further authorities, each with its own keys (docs/authorities.md); at most
    /// 15, so that with the device's own authority there are 16 (`AuthoritySource.most`).
    public var authorities: [String] = []
    /// Whether a file of keys is accepted whatever name its signing key has in it, as long as one of the keys
    /// signed it.
    public var anyKey = false
    /// Whether the operator agrees on behalf of the wearer or the place when the board starts for the first time.
    public var isEnabledAtFirst = false
    /// The language of the board's pages until its wearer has chosen one: `[a-z]{2,3}(-[a-z]{2,8})?`, such as `de`
    /// or `de-simple`; `nil` leaves it to each browser, as does a language in which there are no pages.
    public var language: String?
    /// Whether traffic costs money by the byte: then only plugins that were granted metered networks may connect.
    public var isMetered = false
    /// The proxy that egress uses: `host:port`, `socks5://host:port` or `http://host:port`, followed by
    /// `:user:password` if it requires them; `nil` or empty for none. Not checked here: if it cannot be read,
    /// egress permits no connection. May contain a password, and must not be shown.
    public var proxy: String?
    /// The first of the ``userCount`` user numbers that belong to Vigil, 1000 to 2,000,000,000: the core's; egress has the
    /// next, plugins those behind it. 61,900 if not set, a choice of ours.
    public var firstUser: UInt32 = 61_900
    /// The confinement that a process must have to be started; ``Confinement/required`` if not set.
    public var confinement = Confinement.required
    /// The size of the tmpfs that holds all plugins' files for the core, in bytes: 1 MiB to 4 GiB, 64 MiB if not set, a
    /// choice of ours.
    public var spoolByteCount: Int64 = 64 << 20

    /// The absolute path of the board's file (Board/boards), with the places of its lights, buzzer and button and
    /// the rules for its battery; `nil` if there is none.
    public var board: String?

    /// Which board of which fleet this is; `nil` for a board of no fleet.
    public var fleet: FleetPlace?

    /// Whose interfaces' files may be changed from the technician's page; `nil` for nobody's.
    var network: NetworkConfigurator.Place?
    /// How the machine is started anew from there; `nil` if it is not.
    var restart: MachineRestart?
    /// How it is switched off when its battery is nearly empty; `nil` if it is not. Only the battery of a board's file asks for it.
    var powerOff: MachineRestart? = .bySystem

    /// The number of user numbers that a board takes: 64, our choice, for the core, egress, and 62 for plugins, of
    /// which there are at most 32 at a time.
    public static let userCount: UInt32 = 64
    /// The most bytes of `vigil.json`: 64 KiB, our choice.
    public static let maximumByteCount = 65_536

    /// Creates the defaults of an installed board, without a transport; nothing is read or checked.
    public init() {}

    /// The error for a configuration that cannot be used: every problem, with the field's name.
    public struct Refusal: Error, CustomStringConvertible, Equatable {
        /// The problems, in the order of the file, as English texts; those about a field begin with its name and a
        /// colon. At least one.
        public let problems: [String]
        /// All problems on one line, for the operator; may contain paths and numbers of the file.
        public var description: String { problems.joined(separator: "; ") }
    }

    /// Reads the text of `vigil.json`, in UTF-8; fields that are not in it keep their defaults. Paths must be
    /// absolute, with at most 511 bytes, no part `..` and no control characters.
    /// - Throws: `Refusal` with all problems of fields; or with the one reason why the text cannot be read: it has
    ///   more than ``maximumByteCount`` bytes, is not JSON, or is not an object.
    public init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else {
            throw Refusal(problems: ["it has more than \(Self.maximumByteCount) bytes"])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch { throw Refusal(problems: ["\(error)"]) }
        guard let object = json.object else { throw Refusal(problems: ["it is not a JSON object"]) }
        var problems: [String] = []
        for member in object.members {
            if let problem = take(member.name, member.value) { problems.append("\(member.name): \(problem)") }
        }
        guard problems.isEmpty else { throw Refusal(problems: problems) }
    }

    /// The names of all fields that the file may have, `$schema` included.
    public static let fields = [
        "$schema", "data", "keys", "run", "transport", "profile", "plugins", "grants", "verify", "timeKeys", "configKeys",
        "operatorKeys", "authorities", "anyKey",
        "enable", "language",
        "metered", "proxy", "firstUser", "confinement", "spool",
        "network", "reboot", "partitions", "board", "powerSupplies", "powerOff", "fleet",
    ]

    private mutating func take(_ name: String, _ value: JSON) -> String? {
        switch (name, value) {
        case ("$schema", .string): return nil
        case ("data", .string(let path)): return set(\.data, path)
        case ("keys", .string(let path)):
            keys = path
            return Self.pathProblem(path)
        case ("run", .string(let path)): return set(\.run, path)
        case ("partitions", .string(let path)):
            partitions = path
            return Self.pathProblem(path)
        case ("board", .string(let path)):
            board = path
            return Self.pathProblem(path)
        case ("powerSupplies", .string(let path)): return set(\.powerSupplies, path)
        case ("powerOff", .bool(let flag)): powerOff = flag ? .bySystem : nil
        case ("powerOff", .array(let list)):
            let words = list.compactMap(\.string)
            guard words.count == list.count, Self.isProgram(words) else { return Self.programProblem }
            powerOff = .byProgram(words)
        case ("grants", .string(let path)): return set(\.grants, path)
        case ("profile", .string(let name)):
            profile = name
            // The core is started elsewhere, and sees the file only by its whole path.
            if !name.hasPrefix("/"), !["token", "kiosk"].contains(name) { return "token, kiosk, or an absolute path" }
            return nil
        case ("transport", .string(let text)):
            do throws(TransportFailure) { transport = try Self.way(text) } catch { return "\(error)" }
        case ("plugins", .array(let list)):
            pluginFolders = list.compactMap(\.string)
            if pluginFolders.count != list.count || list.count > 8 { return "up to 8 absolute paths" }
            return pluginFolders.lazy.compactMap { Self.pathProblem($0) }.first
        case ("verify", .array(let list)):
            exportKeys = list.compactMap(\.string)
            if exportKeys.count != list.count || list.count > 32 { return "up to 32 of ID-VERSION=FILE" }
        case ("timeKeys", .array(let list)):
            timeKeys = list.compactMap(\.string)
            if timeKeys.count != list.count || list.count > 32 { return "up to 32 of ID-VERSION=FILE" }
        case ("configKeys", .array(let list)):
            configKeys = list.compactMap(\.string)
            if configKeys.count != list.count || list.count > 32 { return "up to 32 of ID-VERSION=FILE" }
        case ("operatorKeys", .array(let list)):
            operatorKeys = list.compactMap(\.string)
            if operatorKeys.count != list.count || list.count > 32 { return "up to 32 of ID-VERSION=FILE" }
        case ("authorities", .array(let list)):
            authorities = list.compactMap(\.string)
            if authorities.count != list.count || list.count > 15 { return "up to 15 absolute paths of profiles" }
            return authorities.lazy.compactMap { Self.pathProblem($0) }.first
        case ("anyKey", .bool(let flag)): anyKey = flag
        case ("enable", .bool(let flag)): isEnabledAtFirst = flag
        case ("language", .string(let name)):
            guard ContentBundle.isLanguage(name) else { return "a language, such as en, de, fr or de-simple" }
            language = name
        case ("metered", .bool(let flag)): isMetered = flag
        case ("proxy", .string(let text)): proxy = text
        case ("firstUser", .int(let number)):
            guard (1000...2_000_000_000).contains(number) else { return "a number from 1000 to 2000000000" }
            firstUser = UInt32(number)
        case ("confinement", .string(let text)):
            guard let value = Confinement(rawValue: text) else { return "required or possible" }
            confinement = value
        case ("spool", .int(let count)):
            guard (1 << 20...1 << 32).contains(count) else { return "bytes, from 1 MiB to 4 GiB" }
            spoolByteCount = count
        case ("network", .object(let object)): return takeNetwork(object)
        case ("fleet", .object(let object)):
            do throws(FleetPlace.Fault) { fleet = try FleetPlace(object) } catch { return error.description }
        case ("reboot", .bool(let flag)): restart = flag ? .bySystem : nil
        case ("reboot", .array(let list)):
            let words = list.compactMap(\.string)
            guard words.count == list.count, Self.isProgram(words) else { return Self.programProblem }
            restart = .byProgram(words)
        default: return Self.fields.contains(name) ? "of another type" : "there is no such field"
        }
        return nil
    }

    /// Reads the address of a controller that the supervisor can open again and again: any but `fd:N`, because that
    /// descriptor can be used only once.
    /// - Throws: The errors of ``TransportAddress/init(parsing:)``, and `TransportFailure` for `fd:N`.
    public static func way(_ text: String) throws(TransportFailure) -> TransportAddress {
        let address = try TransportAddress(parsing: text)
        if case .inherited = address { throw TransportFailure(notKept: address) }
        return address
    }

    private mutating func takeNetwork(_ object: JSON.Object) -> String? {
        var place = NetworkConfigurator.Place()
        for member in object.members {
            switch (member.name, member.value) {
            case ("folder", .string(let path)):
                place.folder = path
                if let problem = Self.pathProblem(path) { return "folder: \(problem)" }
            case ("provisioned", .string(let path)):
                place.provisioned = path
                if let problem = Self.pathProblem(path) { return "provisioned: \(problem)" }
            case ("interfaces", .array(let list)):
                place.interfaces = list.compactMap(\.string)
                // The kernel's own rules for names are wider; these are also names of files and no patterns.
                let areNames = place.interfaces.allSatisfy { name in
                    (1...15).contains(name.utf8.count) && name != "lo"
                        && name.utf8.allSatisfy {
                            (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45
                                || $0 == 95
                        }
                }
                guard place.interfaces.count == list.count, (1...8).contains(list.count), areNames,
                    Set(place.interfaces).count == list.count
                else { return "interfaces: 1 to 8 names of interfaces, each once" }
            case ("reload", .array(let list)):
                place.reload = list.compactMap(\.string)
                guard place.reload.count == list.count, Self.isProgram(place.reload) else {
                    return "reload: \(Self.programProblem)"
                }
            default: return "\(member.name): there is folder, interfaces, provisioned, reload"
            }
        }
        guard !place.folder.isEmpty, !place.interfaces.isEmpty else { return "folder and interfaces are needed" }
        network = place
        return nil
    }

    private static let programProblem = "a program and its words, 1 to 16, without control characters"

    private static func isProgram(_ words: [String]) -> Bool {
        (1...16).contains(words.count) && words.first?.isEmpty == false
            && words.allSatisfy { $0.utf8.count < 512 && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    }

    private mutating func set(_ field: WritableKeyPath<Self, String>, _ path: String) -> String? {
        self[keyPath: field] = path
        return Self.pathProblem(path)
    }

    private static func pathProblem(_ path: String) -> String? {
        guard path.hasPrefix("/"), path.utf8.count < 512, path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return "an absolute path of at most 511 bytes"
        }
        return path.split(separator: "/").contains("..") ? "a path without .." : nil
    }
}
