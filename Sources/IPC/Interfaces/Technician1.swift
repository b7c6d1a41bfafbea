// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.technician1`; the interface's text says what each part means.
public enum Technician1 {
    public static let name = "org.vigil.technician1"

    public enum AddressMethod: String, Codable, Sendable, CaseIterable { case automatic, manual }

    public struct Confinement: Codable, Sendable, Equatable {
        public var primitive: String
        public var state: String
        public var detail: String

        public init(primitive: String, state: String, detail: String) {
            self.primitive = primitive
            self.state = state
            self.detail = detail
        }
    }

    public struct Certificate: Codable, Sendable, Equatable {
        public var name: String
        public var notBefore: Int64
        public var notAfter: Int64

        public init(name: String, notBefore: Int64, notAfter: Int64) {
            self.name = name
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    public struct Battery: Codable, Sendable, Equatable {
        public var percent: Int?
        public var voltage: Int?
        public var powered: Bool?
        public var power: Int?
        public var secondsLeft: Int64?
        public var low: Bool
        public var stopPercent: Int?
        public var stopCount: Int

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

    public struct Process: Codable, Sendable, Equatable {
        public var name: String
        public var title: String?
        public var version: String?
        public var state: String
        public var reason: String?
        public var sinceSeconds: Int64
        public var restarts: Int
        public var memory: Int64?
        public var lastExit: String?
        public var confinement: [Confinement]
        public var certificates: [Certificate]?

        public init(
            name: String, title: String?, version: String?, state: String, reason: String?, sinceSeconds: Int64,
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

    public struct ProcessesReply: Codable, Sendable {
        public var version: String
        public var safeMode: Bool
        public var problems: [String]
        public var lastEnd: String?
        public var partitions: [String: String]?
        public var battery: Battery?
        public var processes: [Process]

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

    public struct NameCall: Codable, Sendable {
        public var name: String

        public init(name: String) {
            self.name = name
        }
    }

    public struct Item: Codable, Sendable, Equatable {
        public var asks: String
        public var granted: Bool
        public var gets: String
        public var why: String

        public init(asks: String, granted: Bool, gets: String, why: String) {
            self.asks = asks
            self.granted = granted
            self.gets = gets
            self.why = why
        }
    }

    public struct PluginReply: Codable, Sendable, Equatable {
        public var title: String
        public var description: String
        public var version: String
        public var enabled: Bool
        public var items: [Item]
        public var schema: String?
        public var settings: String
        public var secretsSet: [String]

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

    public struct EnabledCall: Codable, Sendable {
        public var name: String
        public var enabled: Bool

        public init(name: String, enabled: Bool) {
            self.name = name
            self.enabled = enabled
        }
    }

    public struct SettingsCall: Codable, Sendable {
        public var name: String
        public var settings: String

        public init(name: String, settings: String) {
            self.name = name
            self.settings = settings
        }
    }

    public struct LogLine: Codable, Sendable, Equatable {
        public var number: Int64
        public var time: Int64
        public var process: String
        public var level: String
        public var text: String

        public init(number: Int64, time: Int64, process: String, level: String, text: String) {
            self.number = number
            self.time = time
            self.process = process
            self.level = level
            self.text = text
        }
    }

    public struct LogCall: Codable, Sendable {
        public var after: Int64?
        public var process: String?
        public var level: String?

        public init(after: Int64? = nil, process: String? = nil, level: String? = nil) {
            self.after = after
            self.process = process
            self.level = level
        }
    }

    public struct LogReply: Codable, Sendable {
        public var lines: [LogLine]
        public var droppedCount: Int64

        public init(lines: [LogLine], droppedCount: Int64) {
            self.lines = lines
            self.droppedCount = droppedCount
        }
    }

    public struct Network: Codable, Sendable, Equatable {
        public var interface: String
        public var method: AddressMethod
        public var addresses: [String]
        public var gateway: String?
        public var nameServers: [String]

        public init(interface: String, method: AddressMethod, addresses: [String], gateway: String?, nameServers: [String])
        {
            self.interface = interface
            self.method = method
            self.addresses = addresses
            self.gateway = gateway
            self.nameServers = nameServers
        }
    }

    public struct NetworkReply: Codable, Sendable {
        public var problem: String?
        public var networks: [Network]
        public var secondsToRollBack: Int64?

        public init(problem: String?, networks: [Network], secondsToRollBack: Int64?) {
            self.problem = problem
            self.networks = networks
            self.secondsToRollBack = secondsToRollBack
        }
    }

    public struct ApplyNetworkCall: Codable, Sendable {
        public var network: Network
        public var seconds: Int64

        public init(network: Network, seconds: Int64) {
            self.network = network
            self.seconds = seconds
        }
    }
}
