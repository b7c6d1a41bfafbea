// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.technician1`. The interface's text explains each of them.
///
/// Every method is refused with `NotPossible` if the core runs without a supervisor or cannot read its files.
/// Methods that change something are also refused with it if 8 orders wait for the supervisor, and if it does not
/// answer within 10 seconds (30 for `ApplyNetwork`); the order may then have been carried out all the same.
public enum Technician1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.technician1"

    /// The source of a network interface's addresses. `automatic`: the network provides them; `manual`: as given.
    public enum AddressMethod: String, Codable, Sendable, CaseIterable { case automatic, manual }

    /// A measure that confines a process, and whether it is effective.
    public struct Confinement: Codable, Sendable, Equatable {
        /// The measure, in a stable word such as `mounts` or `no-new-privileges`: a raw value of `Sandbox.Primitive`.
        public var primitive: String
        /// The state of the measure, a raw value of `Confinement.State` of the supervisor's sandbox. `verified`: a test
        /// showed that it works; `applied`: the kernel reports it; `missing`: this machine does not support it; `failed`:
        /// it does not work, and the process was not started.
        public var state: String
        /// The reason for the state in one line of English, with the kernel's text if the kernel refused; at most 300
        /// characters, may be empty.
        public var detail: String

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked.
        public init(primitive: String, state: String, detail: String) {
            self.primitive = primitive
            self.state = state
            self.detail = detail
        }
    }

    /// The validity period of a certificate that a process uses.
    public struct Certificate: Codable, Sendable, Equatable {
        /// The name of the certificate, which the process chose: 1 to 24 small letters and dashes, such as `page`, `client`
        /// or `authorities`.
        public var name: String
        /// The first second in which the certificate is valid, in Unix seconds, not after ``notAfter``; may be negative.
        public var notBefore: Int64
        /// The last second in which the certificate is valid, in Unix seconds.
        public var notAfter: Int64

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units.
        public init(name: String, notBefore: Int64, notAfter: Int64) {
            self.name = name
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The battery, as reported by its gauge.
    public struct Battery: Codable, Sendable, Equatable {
        /// The charge in percent, 0 to 100; `nil` if the gauge gives the voltage only.
        public var percent: Int?
        /// The voltage of the battery in millivolts, 1,000 to 100,000; `nil` if the gauge gives none or one outside this
        /// range.
        public var voltage: Int?
        /// Whether a charger is connected, as reported by the gauge or a charger; `nil` if nothing on the board reports it.
        public var powered: Bool?
        /// The power that flows out of the battery or, with a charger, into it, in milliwatts without sign; `nil` if the
        /// gauge gives none or 0.
        public var power: Int?
        /// The number of seconds until the battery is empty at the present power, 0 or more; `nil` with a charger, if the
        /// charger's state is not known, and if the gauge and the board's file do not give enough values.
        public var secondsLeft: Int64?
        /// Whether the battery is below the level at which the board warns, and no charger is known to be connected. The
        /// level is 15 percent or that of the board's file; without a percentage, a voltage in that file. `false` with a
        /// charger, no matter how empty the battery is, and if the level cannot be determined.
        public var low: Bool
        /// The percentage, 1 to 50, below which the board switches itself off without a charger; `nil` if it does not,
        /// because its file describes no battery or it may not switch itself off. Applies only if the gauge gives a
        /// percentage.
        public var stopPercent: Int?
        /// The number of such stops before this start since the battery was last charged; 0 to 1,000.
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

    /// The state of a process, as the supervisor reports it.
    public enum ProcessState: String, Codable, Sendable, CaseIterable {
        /// `waiting`: no process needs it; `starting`, `running`, `stopping`: the phases of its life; `backingOff`: it has
        /// ended and will be restarted; `quarantined`: it ended too often; `disabled`: it was disabled; `refused`: it may
        /// not run in its present form; `safeMode`: the board has started without it.
        case waiting, starting, running, stopping, backingOff, quarantined, disabled, refused, safeMode
    }

    /// A process of the board: its state, and its confinement.
    public struct Process: Codable, Sendable, Equatable {
        /// The name of the process: `core`, `egress`, or the name of a plugin.
        public var name: String
        /// The title of the plugin for people; `nil` for the board's own processes, and for a plugin without a readable
        /// manifest.
        public var title: String?
        /// The version in the plugin's manifest: one to four numbers separated by dots, optionally followed by a dash and
        /// letters. `nil` for the board's own processes, and for a plugin without a readable manifest.
        public var version: String?
        /// The present state; see ``ProcessState``.
        public var state: ProcessState
        /// The reason for the state, in an English sentence with advice, at most 1,000 characters; `nil` if there is
        /// nothing to report.
        public var reason: String?
        /// The number of seconds since the process entered the state; 0 or more.
        public var sinceSeconds: Int64
        /// The number of restarts after a failure since the supervisor started or the device was reset; 0 or more. Starts
        /// on demand or on request do not count.
        public var restarts: Int
        /// The memory of the process in bytes at the last measurement, above 0; `nil` while it does not run, and until it
        /// was measured.
        public var memory: Int64?
        /// How the process last ended, or why it could not start, in English for people; `nil` if that has not happened
        /// since the supervisor started or the device was reset, or if it ended in an orderly way or on request.
        public var lastExit: String?
        /// The measures that confined the process at its last start, at most 24; empty if it was never started.
        public var confinement: [Confinement]
        /// The certificates that the process reported in its present or last life, sorted by name, at most 8; `nil` if it
        /// reported none.
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

    /// Reply of `GetProcesses`: the state of the board, and one page of its processes.
    public struct ProcessesReply: Codable, Sendable {
        /// The version of Vigil on the board.
        public var version: String
        /// Whether the board runs only the core and the web page, because it had started too often.
        public var safeMode: Bool
        /// The faults in the operator's files, and the reasons why plugins are refused, each after the name of the plugin
        /// and a colon. English sentences of at most 400 characters; at most 64.
        public var problems: [String]
        /// How Vigil ended before this start: `inOrder`, `killed` (the board kept running), or `powerLost` (it did not);
        /// `nil` if that is not known.
        public var lastEnd: String?
        /// What happened to the board's partitions at its start, as English text for people by the name of the partition (1
        /// to 16 small letters and dashes); at most 8 texts of 256 bytes of ASCII. `nil` if the system does not report it.
        public var partitions: [String: String]?
        /// The state of the battery; `nil` on a board without one, and while its gauge cannot be read.
        public var battery: Battery?
        /// The names of plugins, installed or not, that still have something of a life of the device before its last reset, at
        /// most 64; empty when all of it is gone, `nil` if nobody looks.
        public var formerLife: [String]?
        /// One page of processes; all pages together have at most 40. The other members are the same on each page.
        public var processes: [Process]

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for `nil`.
        public init(
            version: String, safeMode: Bool, problems: [String], lastEnd: String? = nil,
            partitions: [String: String]? = nil, battery: Battery? = nil, formerLife: [String]? = nil,
            processes: [Process]
        ) {
            self.formerLife = formerLife
            self.battery = battery
            self.version = version
            self.safeMode = safeMode
            self.problems = problems
            self.lastEnd = lastEnd
            self.partitions = partitions
            self.processes = processes
        }
    }

    /// Parameters of `GetPlugin` and `RestartPlugin`: the name of a plugin. Refused with `NoSuchPlugin` for an
    /// unknown one. `GetPlugin` is refused with `NotPossible` if the answer would have more than 64,000 bytes, and
    /// `RestartPlugin` for `core`, for `egress`, and for a plugin that may not run.
    public struct NameCall: Codable, Sendable {
        /// The name of the plugin in its manifest, 1 to 64 bytes.
        public var name: String

        /// Creates the parameters of a call of either method. Nothing is checked here: the core checks the name when the
        /// call arrives.
        public init(name: String) {
            self.name = name
        }
    }

    /// A permission that a plugin requests, and whether it has it.
    public struct Item: Codable, Sendable, Equatable {
        /// The request in words: a verb and its object, such as `call org.vigil.exposure1.GetStatus`, `reach NAME`, `listen
        /// as NAME`, `open PATH`, `set NAME` (a line of the board) or `use NAME` (such as memory).
        public var asks: String
        /// Whether the plugin has what it requests: it was granted and, for a method, a process provides it. Always true
        /// for `use`.
        public var granted: Bool
        /// What exactly is granted, such as the source, the addresses or the amount; without a grant the reason, such as
        /// `not granted`. English text for people.
        public var gets: String
        /// The reason for the request, as its author wrote it; empty for `use`.
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

    /// Reply of `GetPlugin`: the plugin's requests and grants, and its settings.
    public struct PluginReply: Codable, Sendable, Equatable {
        /// The title of the plugin for people; its name if the manifest cannot be read.
        public var title: String
        /// The purpose of the plugin, in a sentence for people; empty if the manifest cannot be read.
        public var description: String
        /// The version in the manifest: one to four numbers separated by dots, optionally followed by a dash and letters;
        /// empty if the manifest cannot be read.
        public var version: String
        /// Whether the operator or a technician has enabled the plugin, even if it may not run for another reason.
        public var enabled: Bool
        /// The requests of the plugin; at most 256.
        public var items: [Item]
        /// The schema of the plugin's settings (docs/manifest.md) as JSON text; `nil` if it has none, or if its manifest
        /// cannot be read.
        public var schema: String?
        /// The operator's settings as the JSON text of an object, without write-only settings; `{}` if nothing has been
        /// set.
        public var settings: String
        /// The names of write-only settings that have been set, at most 64; never their values.
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

    /// Parameters of `SetEnabled`. Refused with `NoSuchPlugin` for an unknown name; with `NotPossible` for a plugin that
    /// would disable itself, for `core` and `egress`, and if the grants cannot be written; and with `Unfit` for enabling a
    /// plugin that may not run.
    public struct EnabledCall: Codable, Sendable {
        /// The name of the plugin to enable or disable.
        public var name: String
        /// Whether the plugin should run from now on.
        public var enabled: Bool

        /// Creates the parameters of a call of `SetEnabled`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String, enabled: Bool) {
            self.name = name
            self.enabled = enabled
        }
    }

    /// Parameters of `SetSettings`. Refused with `Unfit` for settings that do not match the plugin's schema or that
    /// only the operator may change, with `NoSuchPlugin` for an unknown plugin, and with `NotPossible` for one
    /// without a readable manifest, for `core` and `egress`, and if the grants cannot be written. Nothing changes
    /// then. If the plugin may not run yet, only the settings of the call have to match, so that it can be set up
    /// in several calls.
    public struct SettingsCall: Codable, Sendable {
        /// The name of the plugin.
        public var name: String
        /// The JSON text of an object with the settings to change, at most 49,152 bytes and 16 levels deep. A value of null
        /// removes a setting; settings that are not mentioned stay.
        public var settings: String

        /// Creates the parameters of a call of `SetSettings`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String, settings: String) {
            self.name = name
            self.settings = settings
        }
    }

    /// A line of the board's log. It contains no secrets, because none are written to the log.
    public struct LogLine: Codable, Sendable, Equatable {
        /// The number of the line since this start of the board, counted from 1.
        public var number: Int64
        /// The time when the line was written, in Unix milliseconds by the board's clock, which may be wrong.
        public var time: Int64
        /// The process that wrote the line: `core`, `egress`, `supervisor` or the name of a plugin.
        public var process: String
        /// The severity of the line: `debug`, `info`, `notice`, `warning`, `error` or `critical`.
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

    /// Parameters of `GetLog`: the wanted lines. Refused with `InvalidParameter` for an unknown level.
    public struct LogCall: Codable, Sendable {
        /// The number after which lines are wanted; `nil`, 0 or a negative number for all lines that are kept.
        public var after: Int64?
        /// The name of the process whose lines are wanted, not checked: there are no lines for an unknown one. `nil` for
        /// all processes.
        public var process: String?
        /// The mildest level that is wanted, one of those in ``LogLine/level``; `nil` for all levels.
        public var level: String?

        /// Creates the parameters of a call of `GetLog`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for units and `nil`.
        public init(after: Int64? = nil, process: String? = nil, level: String? = nil) {
            self.after = after
            self.process = process
            self.level = level
        }
    }

    /// Reply of `GetLog`: one page of the board's log since its start.
    public struct LogReply: Codable, Sendable {
        /// One page of lines, oldest first, at most 128. Empty on a last page, and if none of the lines that were examined
        /// is wanted.
        public var lines: [LogLine]
        /// The number of lines that are no longer kept, wanted or not; 0 or more, and 0 if no log can be read.
        public var droppedCount: Int64

        /// Creates the reply of the core to `GetLog`. No value is checked. See the properties for units.
        public init(lines: [LogLine], droppedCount: Int64) {
            self.lines = lines
            self.droppedCount = droppedCount
        }
    }

    /// The address settings of a network interface of the board.
    public struct Network: Codable, Sendable, Equatable {
        /// The system's name for the interface, such as `eth0`.
        public var interface: String
        /// `automatic`: the addresses come from the network, or from files that Vigil did not write; `manual`: they are
        /// given here.
        public var method: AddressMethod
        /// The addresses with the length of their prefix, such as `192.0.2.7/24` or `2001:db8::7/64`; 1 to 4 for `manual`,
        /// none for `automatic`.
        public var addresses: [String]
        /// The address of the gateway, without a prefix length: in the network of one of ``addresses``, or a link-local
        /// IPv6 address of a router. `nil` if there is none, and for `automatic`.
        public var gateway: String?
        /// The addresses of name servers, without a prefix length, in order, at most 3. Empty if the network provides them,
        /// or if there are none.
        public var nameServers: [String]

        /// Creates settings for `ApplyNetwork`. Nothing is checked here: the core and the supervisor check the values, and
        /// refuse wrong ones with `Unfit`. See the properties for `nil`.
        public init(interface: String, method: AddressMethod, addresses: [String], gateway: String?, nameServers: [String])
        {
            self.interface = interface
            self.method = method
            self.addresses = addresses
            self.gateway = gateway
            self.nameServers = nameServers
        }
    }

    /// Reply of `GetNetwork`: the settings of the interfaces, and whether a change waits for confirmation.
    public struct NetworkReply: Codable, Sendable {
        /// Why the page cannot change the network of this board, in an English sentence; `nil` if it can.
        public var problem: String?
        /// The network interfaces that can be changed, with the settings that Vigil wrote, at most 8. Empty if there is a
        /// ``problem``.
        public var networks: [Network]
        /// The number of seconds until an unconfirmed change is rolled back, 0 or more; `nil` if there is none.
        public var secondsToRollBack: Int64?

        /// Creates the value for tests and the gallery of pages: on a board it is decoded from what the supervisor writes.
        /// No value is checked. See the properties for units and `nil`.
        public init(problem: String?, networks: [Network], secondsToRollBack: Int64?) {
            self.problem = problem
            self.networks = networks
            self.secondsToRollBack = secondsToRollBack
        }
    }

    /// Parameters of `ApplyNetwork`: a change that is rolled back unless `ConfirmNetwork` is called in time. Refused with
    /// `Unfit` if the settings are not valid, and with `NotPossible` if the network cannot be changed now.
    public struct ApplyNetworkCall: Codable, Sendable {
        /// The interface with its new settings.
        public var network: Network
        /// The number of seconds after which an unconfirmed change is rolled back, 30 to 600.
        public var seconds: Int64

        /// Creates the parameters of a call of `ApplyNetwork`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for units.
        public init(network: Network, seconds: Int64) {
            self.network = network
            self.seconds = seconds
        }
    }
}
