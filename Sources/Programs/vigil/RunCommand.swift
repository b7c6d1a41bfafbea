// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import Core
import Glibc
import HCITransport
import Logging
import Supervisor

/// The whole board: core, egress and plugins.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the whole board: starts the core, egress and plugins, confines and watches them.",
        discussion: """
            What is to run is in a configuration file, in the plugins' manifests and in the operator's grants. SIGHUP reads plugins and \
            grants again; SIGTERM stops everything in order, the beacon last. `vigil plugin list` shows what runs and why; \
            docs/supervisor.md has the rest.
            """)

    @Option(help: "Configuration file; options given here count more. /etc/vigil/vigil.json if it is there.")
    var config: String?

    @Option(help: "Where the controller is: h4:unix:PATH, h4:serial:DEV[@BAUD] or hci:N.")
    var transport: String?

    @Option(help: "Folder for what lasts.")
    var data: String?

    @Option(help: "Folder where the system says what became of its partitions when it started.")
    var partitions: String?

    @Option(help: "Folder for the key that seals it, best on another partition.")
    var keys: String?

    @Option(name: .customLong("run"), help: "Folder for what does not, best in memory.")
    var runFolder: String?

    @Option(name: .customLong("plugins"), help: "Folder with plugins. Repeatable.")
    var pluginFolders: [String] = []

    @Option(help: "The operator's grants.")
    var grants: String?

    @Option(help: "token, kiosk, or the file of a board profile.")
    var profile: String?

    @Option(
        help: "The board's file: its lights, buzzer, button and battery. \(RunCommand.standardBoard) if it is there.")
    var board: String?

    @Option(name: .customLong("verify"), help: "Public key that may sign key files: ID-VERSION=FILE. Repeatable.")
    var verificationKeys: [String] = []

    @Option(name: .customLong("time-key"), help: "Public key that may sign the time: ID-VERSION=FILE. Repeatable.")
    var timeKeys: [String] = []

    @Option(
        name: .customLong("config-key"),
        help: "Public key that may sign the health authority's rules: ID-VERSION=FILE. Repeatable.")
    var configKeys: [String] = []

    @Option(
        name: .customLong("operator-key"),
        help:
            "Public key of the fleet's operator, who may change all of these by a signed document: ID-VERSION=FILE. Repeatable."
    )
    var operatorKeys: [String] = []

    @Option(
        name: .customLong("authority"),
        help: "Profile of a health authority to follow, with its own keys and rules: a file. Repeatable, up to 15.")
    var authorities: [String] = []

    @Flag(help: "Agrees on behalf of the wearer or the place when this board starts for the first time.")
    var enable = false

    @Option(help: "Language of the pages until the wearer has chosen one, such as de or de-simple.")
    var language: String?

    @Flag(help: "Starts plugins even where this machine or user cannot confine them fully. For development.")
    var unconfined = false

    @Option(help: "Form of the log on standard error.")
    var log: LogFormat = .text

    @Option(help: "What is logged.")
    var level: LogLevel = .info

    private static let standardFile = "/etc/vigil/vigil.json"
    static let standardBoard = "/usr/share/vigil/board.json"

    func run() throws {
        let signals = vigil_signal_descriptor()
        guard signals >= 0 else { throw CoreFailure("signals cannot be received: \(String(cString: strerror(-signals)))") }
        let kept = LogStore()
        let logger = Logger(label: "run") { _ in
            KeptLogHandler(LineLogHandler(format: log.format, level: level.level), store: kept)
        }
        let isDone: Bool
        do {
            let configuration = try configuration()
            let supervisor = try Supervisor(
                configuration, programs: .besideThisProgram(), version: Release.version, signals: signals, log: logger,
                kept: kept
            )
            isDone = supervisor.run()
        } catch {
            Terminal.error("vigil: \(error)\n")
            throw ExitStatus.input
        }
        if !isDone { throw ExitCode.failure }
    }

    private func configuration() throws -> SupervisorConfiguration {
        var configuration = SupervisorConfiguration()
        if let path = config ?? (access(Self.standardFile, F_OK) == 0 ? Self.standardFile : nil) {
            do {
                configuration = try SupervisorConfiguration(
                    parsing: try Files.read(path, limit: SupervisorConfiguration.maximumByteCount))
            } catch let refusal as SupervisorConfiguration.Refusal {
                throw InputError(file: path, "\(refusal)")
            }
        }
        if let transport { configuration.transport = try SupervisorConfiguration.way(transport) }
        if let data { configuration.data = try Self.absolute(data) }
        if let keys { configuration.keys = try Self.absolute(keys) }
        if let partitions { configuration.partitions = try Self.absolute(partitions) }
        if let runFolder { configuration.run = try Self.absolute(runFolder) }
        if !pluginFolders.isEmpty { configuration.pluginFolders = try pluginFolders.map(Self.absolute) }
        if let grants { configuration.grants = try Self.absolute(grants) }
        if let profile {
            configuration.profile = ["token", "kiosk"].contains(profile) ? profile : try Self.absolute(profile)
        }
        if !verificationKeys.isEmpty { configuration.exportKeys = try verificationKeys.map(Self.absoluteKey) }
        if !timeKeys.isEmpty { configuration.timeKeys = try timeKeys.map(Self.absoluteKey) }
        if !configKeys.isEmpty { configuration.configKeys = try configKeys.map(Self.absoluteKey) }
        if !operatorKeys.isEmpty { configuration.operatorKeys = try operatorKeys.map(Self.absoluteKey) }
        if !authorities.isEmpty { configuration.authorities = try authorities.map(Self.absolute) }
        if let board { configuration.board = try Self.absolute(board) }
        if configuration.board == nil, access(Self.standardBoard, F_OK) == 0 { configuration.board = Self.standardBoard }
        if enable { configuration.isEnabledAtFirst = true }
        if let language {
            guard ExposureService.isLanguage(language) else {
                throw InputError(file: "--language", "give a language, such as en, de, fr or de-simple")
            }
            configuration.language = language
        }
        if unconfined { configuration.confinement = .possible }
        return configuration
    }

    private static func absoluteKey(_ argument: String) throws -> String {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return try absolute(argument) }
        return "\(parts[0])=\(try absolute(String(parts[1])))"
    }

    /// Processes are started elsewhere: paths must not depend on where this one is.
    private static func absolute(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getcwd(&buffer, buffer.count) != nil else { throw InputError(file: path, "give an absolute path") }
        let folder = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path == "." ? folder : "\(folder)/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
    }
}
