// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.technician1`; the interface's text says what each part means.
public enum Technician1 {
    /// The name of the interface in every call and error; its last digit is the version.
    public static let name = "org.vigil.technician1"

    /// How a network interface gets its addresses: `automatic`, from the network; `manual`, as written.
    public enum AddressMethod: String, Codable, Sendable, CaseIterable { case automatic, manual }

    /// One part of a process's confinement, and whether it holds.
    public struct Confinement: Codable, Sendable, Equatable {
        /// The part, in one stable word such as `mounts` or `no-new-privileges`: a raw value of `Sandbox.Primitive`.
        public var primitive: String
        /// How far it holds: `verified`, `applied`, `missing` or `failed`.
        public var state: String
        /// More about it, in English for people; at most 300 characters.
        public var detail: String

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is checked.
        public init(primitive: String, state: String, detail: String) {
            self.primitive = primitive
            self.state = state
            self.detail = detail
        }
    }

    /// A certificate that a process uses, as far as its time goes.
    public struct Certificate: Codable, Sendable, Equatable {
        /// The certificate, in a word: `page`, `client`, `authorities`.
        public var name: String
        /// From when it is good, Unix seconds.
        public var notBefore: Int64
        /// Until when it is good, Unix seconds.
        public var notAfter: Int64

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for units.
        public init(name: String, notBefore: Int64, notAfter: Int64) {
            self.name = name
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The battery, as its gauge says.
    public struct Battery: Codable, Sendable, Equatable {
        /// How full it is, 0 to 100; `nil` where the gauge knows the voltage alone.
        public var percent: Int?
        /// Its voltage in millivolts; `nil` where the gauge does not say.
        public var voltage: Int?
        /// Whether a charger feeds it; `nil` when nothing on the board says so.
        public var powered: Bool?
        /// The power that flows out of it, or into it at a charger, in milliwatts; `nil` where the gauge does not say.
        public var power: Int?
        /// Seconds until it is empty at what is drawn now; `nil` at a charger, and where the gauge does not say enough.
        public var secondsLeft: Int64?
        /// Whether it is below the level at which the board warns of it.
        public var low: Bool
        /// Below so many percent the board stops and switches itself off; `nil` if it does not.
        public var stopPercent: Int?
        /// How often in a row the board stopped for that before this start; 0 or more.
        public var stopCount: Int

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for units and `nil`.
        public init(
            percent: Int?, voltage: Int? = nil, powered: Bool?, power: Int? = nil, secondsLeft: Int64? = nil, low: Bool,
            stopPercent: Int? = nil, stopCount: Int = 0
        ) {
            self.percent = percent
            self.voltage = voltage
            self.powered = powered
            self.power = power
            self.secondsLeft = secondsLeft
            self.low = low
            self.stopPercent = stopPercent
            self.stopCount = stopCount
        }
    }

    /// The state of a process now, as the supervisor sees it.
    public enum ProcessState: String, Codable, Sendable, CaseIterable {
        /// `waiting`: nobody needs it; `starting`, `running`, `stopping`: its life; `backingOff`: between its end and the
        /// next start; `quarantined`: it ended too often; `disabled`: it was switched off; `refused`: it may not run as it
        /// is; `safeMode`: the board starts without it.
        case waiting, starting, running, stopping, backingOff, quarantined, disabled, refused, safeMode
    }

    /// A process of the board: what it does now, and what holds it.
    public struct Process: Codable, Sendable, Equatable {
        /// The process's name: `core`, `egress`, or the plugin's name.
        public var name: String
        /// The plugin's title for people; `nil` for the board's own processes.
        public var title: String?
        /// The plugin's version as in its manifest: one to four numbers with dots between, perhaps letters after a dash. `nil` for the board's own
        /// processes, and for a plugin without a manifest that can be read.
        public var version: String?
        /// The state of the process now; see ``ProcessState``.
        public var state: ProcessState
        /// The reason why it is in that state, in an English sentence, with what to do; `nil` while there is nothing to
        /// say. At most 1,000 characters.
        public var reason: String?
        /// For how many seconds it has been in that state; 0 or more.
        public var sinceSeconds: Int64
        /// How often it was started again; 0 or more.
        public var restarts: Int
        /// How many bytes of memory it takes; `nil` while it does not run.
        public var memory: Int64?
        /// How its last life ended, in words for people; `nil` if it has had none.
        public var lastExit: String?
        /// The parts of its confinement; at most 24.
        public var confinement: [Confinement]
        /// The certificates that it reported when it was started last, at most 8; `nil` if nothing.
        public var certificates: [Certificate]?

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for units and `nil`.
        public init(
            name: String, title: String?, version: String?, state: ProcessState, reason: String?, sinceSeconds: Int64,
            restarts: Int, memory: Int64?, lastExit: String?, confinement: [Confinement],
            certificates: [Certificate]? = nil
        ) {
            self.certificates = certificates
            self.name = name
            self.title = title
            self.version = version
            self.state = state
            self.reason = reason
            self.sinceSeconds = sinceSeconds
            self.restarts = restarts
            self.memory = memory
            self.lastExit = lastExit
            self.confinement = confinement
        }
    }

    /// Reply of `GetProcesses`: the board as a whole, and one page of its processes.
    public struct ProcessesReply: Codable, Sendable {
        /// The version of Vigil that the board runs.
        public var version: String
        /// Whether the board started too often, so that only core and web page run.
        public var safeMode: Bool
        /// The faults in the operator's files, one English sentence each, at most 400 characters; at most 64.
        public var problems: [String]
        /// How Vigil ended before this start: `inOrder`, `killed` (the board ran on), `powerLost` (it did not); `nil` when nothing tells.
        public var lastEnd: String?
        /// The outcome for the board's partitions when it started, in words by their names; `nil` where the system does not
        /// say. At most 8.
        public var partitions: [String: String]?
        /// The state of the battery; `nil` on a board without one.
        public var battery: Battery?
        /// One page of processes; at most 40 on all pages together.
        public var processes: [Process]

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for `nil`.
        public init(
            version: String, safeMode: Bool, problems: [String], lastEnd: String? = nil,
            partitions: [String: String]? = nil, battery: Battery? = nil, processes: [Process]
        ) {
            self.battery = battery
            self.version = version
            self.safeMode = safeMode
            self.problems = problems
            self.lastEnd = lastEnd
            self.partitions = partitions
            self.processes = processes
        }
    }

    /// Parameters of `GetPlugin` and `RestartPlugin`: which plugin. An unknown one is refused with `NoSuchPlugin`.
    public struct NameCall: Codable, Sendable {
        /// The name of the plugin that the call is about.
        public var name: String

        /// Made by whoever calls either method. Nothing is checked here: the core checks the name when the call arrives.
        public init(name: String) {
            self.name = name
        }
    }

    /// One thing that a plugin asks for, and whether it has it.
    public struct Item: Codable, Sendable, Equatable {
        /// The request in words: `call org.vigil.exposure1.GetStatus`.
        public var asks: String
        /// Whether it has what it asks for.
        public var granted: Bool
        /// When it is granted, what exactly it gets, such as from whom or in which folder; otherwise, the reason why not.
        public var gets: String
        /// The reason why it needs it, in the words of its author.
        public var why: String

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is checked.
        public init(asks: String, granted: Bool, gets: String, why: String) {
            self.asks = asks
            self.granted = granted
            self.gets = gets
            self.why = why
        }
    }

    /// Reply of `GetPlugin`: what a plugin asks for and has, and what can be set.
    public struct PluginReply: Codable, Sendable, Equatable {
        /// The plugin's title for people; its name where the manifest cannot be read.
        public var title: String
        /// The plugin's purpose, in a sentence for people; empty where the manifest cannot be read.
        public var description: String
        /// The version in its manifest; empty where that cannot be read.
        public var version: String
        /// Whether the operator has enabled the plugin.
        public var enabled: Bool
        /// The requests of the plugin; at most 256.
        public var items: [Item]
        /// The schema of its settings (docs/manifest.md), JSON text; `nil` if it has none.
        public var schema: String?
        /// The operator's settings, JSON text of an object, without settings that may only be written.
        public var settings: String
        /// Names of settings that may only be written and are set; at most 64. Never a value.
        public var secretsSet: [String]

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for `nil`.
        public init(
            title: String, description: String, version: String, enabled: Bool, items: [Item], schema: String?,
            settings: String, secretsSet: [String]
        ) {
            self.title = title
            self.description = description
            self.version = version
            self.enabled = enabled
            self.items = items
            self.schema = schema
            self.settings = settings
            self.secretsSet = secretsSet
        }
    }

    /// Parameters of `SetEnabled`. A plugin that would disable itself is refused with `NotPossible`, an unknown one with `NoSuchPlugin`.
    public struct EnabledCall: Codable, Sendable {
        /// The name of the plugin that is switched on or off.
        public var name: String
        /// Whether the plugin is to run from now on.
        public var enabled: Bool

        /// Made by whoever calls `SetEnabled`. Nothing is checked here: the core checks the values when the call arrives.
        public init(name: String, enabled: Bool) {
            self.name = name
            self.enabled = enabled
        }
    }

    /// Parameters of `SetSettings`. Settings that do not fit the plugin's schema are refused with `Unfit`; nothing changes then.
    public struct SettingsCall: Codable, Sendable {
        /// The name of the plugin whose settings are changed.
        public var name: String
        /// JSON text of an object: what is given changes, null takes a value away, the rest stays.
        public var settings: String

        /// Made by whoever calls `SetSettings`. Nothing is checked here: the core checks the values when the call arrives.
        public init(name: String, settings: String) {
            self.name = name
            self.settings = settings
        }
    }

    /// One line of the board's log. Secrets are not in it: they were never written.
    public struct LogLine: Codable, Sendable, Equatable {
        /// The line's number, rising by one since this start of the board.
        public var number: Int64
        /// The time when it was written, Unix milliseconds by the board's clock, which may be wrong.
        public var time: Int64
        /// The process that wrote it: `core`, `egress`, `supervisor` or a plugin's name.
        public var process: String
        /// How grave it is: `debug`, `info`, `notice`, `warning`, `error` or `critical`.
        public var level: String
        /// The message, one line of text.
        public var text: String

        /// Made by the core for its replies. No value is checked. See the properties for units.
        public init(number: Int64, time: Int64, process: String, level: String, text: String) {
            self.number = number
            self.time = time
            self.process = process
            self.level = level
            self.text = text
        }
    }

    /// Parameters of `GetLog`: which lines are wanted. An unknown level is refused with `InvalidParameter`.
    public struct LogCall: Codable, Sendable {
        /// The number after which lines are wanted; `nil` for all that are kept.
        public var after: Int64?
        /// The process whose lines are wanted; `nil` for all.
        public var process: String?
        /// The mildest level that is wanted; `nil` for all.
        public var level: String?

        /// Made by whoever calls `GetLog`. Nothing is checked here: the core checks the values when the call arrives. See
        /// the properties for units and `nil`.
        public init(after: Int64? = nil, process: String? = nil, level: String? = nil) {
            self.after = after
            self.process = process
            self.level = level
        }
    }

    /// Reply of `GetLog`: one page of the log of this start of the board.
    public struct LogReply: Codable, Sendable {
        /// One page of lines, oldest first; at most 128.
        public var lines: [LogLine]
        /// How many lines were there once and are no longer kept; 0 or more.
        public var droppedCount: Int64

        /// Made by the core to answer `GetLog`. No value is checked. See the properties for units.
        public init(lines: [LogLine], droppedCount: Int64) {
            self.lines = lines
            self.droppedCount = droppedCount
        }
    }

    /// How one network interface of the board gets its addresses.
    public struct Network: Codable, Sendable, Equatable {
        /// The interface's name as the system calls it, such as `eth0`.
        public var interface: String
        /// From the network, or as written here.
        public var method: AddressMethod
        /// The addresses with their length, such as `192.0.2.7/24`; at most 4.
        public var addresses: [String]
        /// The address of the gateway; `nil` without one.
        public var gateway: String?
        /// The addresses of name servers; at most 3.
        public var nameServers: [String]

        /// Made by the page for `ApplyNetwork`. Nothing is checked here: the core and the supervisor check the values, and
        /// refuse with `Unfit`. See the properties for `nil`.
        public init(interface: String, method: AddressMethod, addresses: [String], gateway: String?, nameServers: [String])
        {
            self.interface = interface
            self.method = method
            self.addresses = addresses
            self.gateway = gateway
            self.nameServers = nameServers
        }
    }

    /// Reply of `GetNetwork`: how the interfaces are set, and what waits for its confirmation.
    public struct NetworkReply: Codable, Sendable {
        /// The reason why this board does not let the page change its network, in an English sentence; `nil` if it does.
        public var problem: String?
        /// The network interfaces; at most 8.
        public var networks: [Network]
        /// Seconds until an unconfirmed change is taken back; `nil` if none waits.
        public var secondsToRollBack: Int64?

        /// Made by tests and the gallery of pages: on a board it is decoded from what the supervisor writes. No value is
        /// checked. See the properties for units and `nil`.
        public init(problem: String?, networks: [Network], secondsToRollBack: Int64?) {
            self.problem = problem
            self.networks = networks
            self.secondsToRollBack = secondsToRollBack
        }
    }

    /// Parameters of `ApplyNetwork`: a change that is taken back by itself unless `ConfirmNetwork` comes in time. Refused with `Unfit` or
    /// `NotPossible`.
    public struct ApplyNetworkCall: Codable, Sendable {
        /// The interface and how it is to be set.
        public var network: Network
        /// After how many seconds an unconfirmed change is taken back, 30 to 600.
        public var seconds: Int64

        /// Made by whoever calls `ApplyNetwork`. Nothing is checked here: the core checks the values when the call arrives.
        /// See the properties for units.
        public init(network: Network, seconds: Int64) {
            self.network = network
            self.seconds = seconds
        }
    }
}
