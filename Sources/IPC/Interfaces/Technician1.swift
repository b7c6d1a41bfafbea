// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.technician1`; the interface's text says what each part means.
public enum Technician1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.technician1"

    /// The source of a network interface's addresses: `automatic`, from the network; `manual`, as written.
    public enum AddressMethod: String, Codable, Sendable, CaseIterable { case automatic, manual }

    /// One part of a process's confinement, and whether it holds.
    public struct Confinement: Codable, Sendable, Equatable {
        /// The part, in one stable word such as `mounts` or `no-new-privileges`: a raw value of `Sandbox.Primitive`.
        public var primitive: String
        /// The state of the measure, a raw value of `Confinement.State` of the supervisor's sandbox: `verified`, it was
        /// tried; `applied`, the kernel says so; `missing`, this machine does not give it; `failed`, it does not hold, and
        /// the process was not started.
        public var state: String
        /// The reason for the state, one line in English for people, with the kernel's words where it refused; at most 300 characters, may be empty.
        public var detail: String

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked.
        public init(primitive: String, state: String, detail: String) {
            self.primitive = primitive
            self.state = state
            self.detail = detail
        }
    }

    /// A certificate that a process uses, as far as its time goes.
    public struct Certificate: Codable, Sendable, Equatable {
        /// The certificate, in a word of 1 to 24 small letters and dashes that the process chose: `page`, `client`, `authorities`.
        public var name: String
        /// The first second in which the certificate is good, Unix seconds, not after ``notAfter``; may be negative.
        public var notBefore: Int64
        /// The last second in which the certificate is good, Unix seconds.
        public var notAfter: Int64

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units.
        public init(name: String, notBefore: Int64, notAfter: Int64) {
            self.name = name
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The battery, as its gauge says.
    public struct Battery: Codable, Sendable, Equatable {
        /// The charge in percent, 0 to 100; `nil` if the gauge knows the voltage alone.
        public var percent: Int?
        /// The battery's voltage in millivolts, 1,000 to 100,000; `nil` where the gauge does not say, or says something
        /// else.
        public var voltage: Int?
        /// Whether a charger feeds it, as the gauge or a charger says; `nil` when nothing on the board says so.
        public var powered: Bool?
        /// The power that flows out of it, or into it at a charger, in milliwatts without sign; `nil` where the gauge does not say, or says 0.
        public var power: Int?
        /// Seconds until the battery is empty at the present current, 0 or more; `nil` at a charger, if the charger's state
        /// is unknown, and if gauge and board's file do not say enough.
        public var secondsLeft: Int64?
        /// Whether it is below the level at which the board warns of it, and no charger is known to feed it. The level is 15 percent unless the
        /// board's file says another; without a percentage, a voltage of that file. False at a charger, however empty it is, and where that cannot be
        /// told.
        public var low: Bool
        /// Percent, 1 to 50, below which the board stops and switches itself off without a charger; `nil` if it does not, because its file knows of
        /// no battery or it may not switch itself off. It holds where the gauge tells a percentage.
        public var stopPercent: Int?
        /// The number of stops for that before this start, in a row without a charged battery in between; 0 to 1,000.
        public var stopCount: Int

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units and `nil`.
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
        /// The plugin's title for people; `nil` for the board's own processes, and for a plugin without a manifest that can be read.
        public var title: String?
        /// The plugin's version as in its manifest: one to four numbers with dots between, perhaps letters after a dash. `nil` for the board's own
        /// processes, and for a plugin without a manifest that can be read.
        public var version: String?
        /// The state of the process now; see ``ProcessState``.
        public var state: ProcessState
        /// The reason why it is in that state, in an English sentence, with what to do; `nil` while there is nothing to
        /// say. At most 1,000 characters.
        public var reason: String?
        /// The number of seconds that it has been in that state; 0 or more.
        public var sinceSeconds: Int64
        /// The number of starts after a failure, since the supervisor started or the device was reset; 0 or more. Starts on demand and those that
        /// somebody asked for do not count.
        public var restarts: Int
        /// The memory that it takes, in bytes, above 0, as it was measured last; `nil` while it does not run, and until it was measured.
        public var memory: Int64?
        /// The end of its last life, or the reason why it could not begin, in English words for people; `nil` if it has had
        /// none since the supervisor started or the device was reset, or if it ended in order or on request.
        public var lastExit: String?
        /// The parts of its confinement at its last start, at most 24; empty if it was never started.
        public var confinement: [Confinement]
        /// The certificates that it reported in this life or the last, ordered by name, at most 8; `nil` if it reported none.
        public var certificates: [Certificate]?

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units and `nil`.
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
        /// The faults in the operator's files, one English sentence each, and why plugins are refused, with the plugin's name before a colon. Each at
        /// most 400 characters; at most 64.
        public var problems: [String]
        /// The end of Vigil before this start: `inOrder`, `killed` (the board ran on), `powerLost` (it did not); `nil` when
        /// nothing tells.
        public var lastEnd: String?
        /// The outcome for the board's partitions when it started: words for people by the partition's name (1 to 16 small letters and dashes), at
        /// most 256 bytes of ASCII each; at most 8. `nil` where the system does not say.
        public var partitions: [String: String]?
        /// The state of the battery, if there is one; `nil` on a board without one, and while its gauge cannot be read.
        public var battery: Battery?
        /// One page of processes; at most 40 on all pages together. All other members are the same on each page.
        public var processes: [Process]

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for `nil`.
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

    /// Parameters of `GetPlugin` and `RestartPlugin`: which plugin. An unknown one is refused with `NoSuchPlugin`; a restart of `core`, of `egress`,
    /// or of a plugin that may not run with `NotPossible`.
    public struct NameCall: Codable, Sendable {
        /// The plugin's name as in its manifest, 1 to 64 bytes.
        public var name: String

        /// Creates the parameters of a call of either method. Nothing is checked here: the core checks the name when the
        /// call arrives.
        public init(name: String) {
            self.name = name
        }
    }

    /// One thing that a plugin asks for, and whether it has it.
    public struct Item: Codable, Sendable, Equatable {
        /// The request in words, one of six verbs and what it is about: `call org.vigil.exposure1.GetStatus`, `reach NAME`, `listen as NAME`, `open
        /// PATH`, `set NAME` (a line of the board), `use NAME` (memory, say).
        public var asks: String
        /// Whether it has what it asks for: it was granted, and of a method somebody answers it. Always true of `use`.
        public var granted: Bool
        /// The extent of what is granted, such as the source, the addresses or the amount; without a grant the reason, such
        /// as `not granted`. English words for people.
        public var gets: String
        /// The reason why it needs it, in the words of its author; empty for `use`.
        public var why: String

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked.
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
        /// The version in its manifest: one to four numbers with dots between, perhaps letters after a dash; empty where the manifest cannot be read.
        public var version: String
        /// Whether the operator or a technician has enabled the plugin, also where it may not run for another reason.
        public var enabled: Bool
        /// The requests of the plugin; at most 256.
        public var items: [Item]
        /// The schema of its settings (docs/manifest.md), JSON text; `nil` if it has none, or its manifest cannot be read.
        public var schema: String?
        /// The operator's settings, JSON text of an object, without settings that may only be written; `{}` if nothing was set.
        public var settings: String
        /// Names of settings that may only be written and are set; at most 64. Never a value.
        public var secretsSet: [String]

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for `nil`.
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

    /// Parameters of `SetEnabled`. Refused with `NoSuchPlugin` for an unknown name; with `NotPossible` for a plugin that would disable itself, for
    /// `core` and `egress`, and where the grants cannot be written; with `Unfit` for a plugin that is to be enabled and may not run.
    public struct EnabledCall: Codable, Sendable {
        /// The name of the plugin that is switched on or off.
        public var name: String
        /// Whether the plugin is to run from now on.
        public var enabled: Bool

        /// Creates the parameters of a call of `SetEnabled`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String, enabled: Bool) {
            self.name = name
            self.enabled = enabled
        }
    }

    /// Parameters of `SetSettings`. Settings that do not fit the plugin's schema, and those that only the operator changes, are refused with `Unfit`;
    /// an unknown plugin with `NoSuchPlugin`; one without a manifest that can be read with `NotPossible`. Nothing changes then.
    public struct SettingsCall: Codable, Sendable {
        /// The name of the plugin whose settings are changed.
        public var name: String
        /// JSON text of an object, at most 49,152 bytes and 16 levels deep: what is given changes, null takes a value away, the rest stays.
        public var settings: String

        /// Creates the parameters of a call of `SetSettings`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String, settings: String) {
            self.name = name
            self.settings = settings
        }
    }

    /// One line of the board's log. Secrets are not in it: they were never written.
    public struct LogLine: Codable, Sendable, Equatable {
        /// The line's number, from 1, rising by one since this start of the board.
        public var number: Int64
        /// The time when it was written, Unix milliseconds by the board's clock, which may be wrong.
        public var time: Int64
        /// The process that wrote it: `core`, `egress`, `supervisor` or a plugin's name.
        public var process: String
        /// The line's severity: `debug`, `info`, `notice`, `warning`, `error` or `critical`.
        public var level: String
        /// The message, one line of at most 1,000 bytes, without control characters; may be empty.
        public var text: String

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
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
        /// The number after which lines are wanted; `nil`, 0 or a negative number for all that are kept.
        public var after: Int64?
        /// The name of the process whose lines are wanted, not checked: an unknown one has no lines. `nil` for all.
        public var process: String?
        /// The mildest level that is wanted, one of those of ``LogLine/level``; `nil` for all.
        public var level: String?

        /// Creates the parameters of a call of `GetLog`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units and `nil`.
        public init(after: Int64? = nil, process: String? = nil, level: String? = nil) {
            self.after = after
            self.process = process
            self.level = level
        }
    }

    /// Reply of `GetLog`: one page of the log of this start of the board.
    public struct LogReply: Codable, Sendable {
        /// One page of lines, oldest first: as many as fit into 48 KiB of JSON. Empty on a last page, and on pages where none of the lines looked at was wanted.
        public var lines: [LogLine]
        /// The number of lines before the oldest that is kept, wanted or not; 0 or more, and 0 where no log can be read.
        public var droppedCount: Int64

        /// Creates the reply of the core to `GetLog`. No value is checked. See the properties for units.
        public init(lines: [LogLine], droppedCount: Int64) {
            self.lines = lines
            self.droppedCount = droppedCount
        }
    }

    /// The settings of one network interface of the board: the source of its addresses.
    public struct Network: Codable, Sendable, Equatable {
        /// The interface's name as the system calls it, such as `eth0`.
        public var interface: String
        /// `automatic`: from the network, or from files that Vigil did not write; `manual`: as written here.
        public var method: AddressMethod
        /// The addresses with the length of their network, such as `192.0.2.7/24` or `2001:db8::7/64`; at most 4. With `manual` at least one, with
        /// `automatic` none.
        public var addresses: [String]
        /// The address of the gateway, without a length: in the network of one of ``addresses``, or a router's link-local one of IPv6. `nil` without
        /// one, and with `automatic`.
        public var gateway: String?
        /// The addresses of name servers, without a length, in order; at most 3. Empty for those that the network tells, or for none.
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
        /// The network interfaces that may be changed, with what Vigil wrote for each; at most 8. Empty with a ``problem``.
        public var networks: [Network]
        /// Seconds until an unconfirmed change is taken back, 0 or more; `nil` if none waits.
        public var secondsToRollBack: Int64?

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units and `nil`.
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
        /// The number of seconds after which an unconfirmed change is taken back, 30 to 600.
        public var seconds: Int64

        /// Creates the parameters of a call of `ApplyNetwork`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for units.
        public init(network: Network, seconds: Int64) {
            self.network = network
            self.seconds = seconds
        }
    }
}
