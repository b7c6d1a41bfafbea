// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardClock
import CLinux
import Core
import Glibc
import HCITransport
import Logging
import Offline
import Radio
import Vault

/// Beacon and scanner as a service.
struct CoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core",
        abstract: "Beacons and scans until it is told to stop (SIGTERM).",
        discussion: """
            Without a time nothing is sent: it comes from the kernel while NTP keeps it, from a clock chip, or from \
            `vigil time set`. State and counters are in RUN/state.json. SIGHUP reads the clocks at once. docs/core.md has the rest.
            """)

    @Option(help: "Where the controller is: h4:unix:PATH, h4:serial:DEV[@BAUD], hci:N or fd:N.")
    var transport: String

    @Option(help: "Folder for keys and sightings; made if it is not there.")
    var data: String

    @Option(help: "Folder for the key that seals them, best on another partition; DATA/key if not given.")
    var keys: String?

    @Option(name: .customLong("run"), help: "Folder for state.json, best in memory; made if it is not there.")
    var runFolder = "/run/vigil"

    @Option(help: "token, kiosk, or the file of a board profile.")
    var profile = "token"

    @Option(help: "Form of the log on standard error.")
    var log: LogFormat = .text

    @Option(help: "What is logged.")
    var level: LogLevel = .info

    func validate() throws {
        do throws(TransportFailure) { _ = try TransportAddress(parsing: transport) } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        do { try start() } catch let refusal as ProfileFile.Refusal {
            Terminal.error("vigil: \(profile): \(refusal)\n")
            throw ExitStatus.input
        } catch let failure as CoreFailure {
            Terminal.error("vigil: \(failure)\n")
            throw ExitStatus.input
        }
    }

    private func start() throws {
        let signals = vigil_signal_descriptor()
        guard signals >= 0 else { throw CoreFailure("signals cannot be received: \(String(cString: strerror(-signals)))") }
        let logger = Logger(label: "core") { _ in LineLogHandler(format: log.format, level: level.level) }
        let address = try TransportAddress(parsing: transport)
        let profile = try ProfileFile.load(profile)
        try make(runFolder, mode: 0o755)
        let vault = try openVault(logger)
        logger.notice(
            "starting",
            metadata: ["version": "\(Release.version)", "transport": "\(address)", "profile": "\(profile.name)"])
        // Asked once: without /proc it is another one each time.
        let boot = BoardClock.bootIdentity()
        let appliance = try Appliance(
            profile: profile, vault: vault, bootIdentity: boot, log: logger, at: BoardClock.boot())
        do {
            try CoreService(
                appliance, bootIdentity: boot, transport: address, runFolder: runFolder, signals: signals, log: logger
            ).run()
        } catch {
            // The log has it already.
            throw ExitStatus.transport
        }
    }

    /// The vault on the disk; in memory when the disk refuses, because the beacon must go on.
    private func openVault(_ logger: Logger) throws -> Vault {
        do {
            let keyFolder = keys ?? "\(data)/key"
            for folder in [data, keyFolder] { try make(folder, mode: 0o700) }
            return try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: keyFolder)))
        } catch {
            logger.critical(
                "\(error). Keys and sightings are kept in memory and lost when the program stops.",
                metadata: ["data": "\(data)"])
            return try Vault(MemoryStorage(), provider: FileKeyProvider(MemoryStorage()))
        }
    }

    /// Makes the last part of `folder` if it is not there.
    private func make(_ folder: String, mode: mode_t) throws {
        guard mkdir(folder, mode) != 0, errno != EEXIST else { return }
        throw CoreFailure("the folder \(folder) cannot be made: \(String(cString: strerror(errno)))")
    }
}

/// Why the core cannot start.
struct CoreFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// What the command line calls the formats of the log.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json

    var format: LineLogHandler.Format { self == .text ? .text : .json }
}

/// What the command line calls the levels of the log.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
