// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardClock
import CLinux
import CommandFiles
import Core
import Glibc
import HCITransport
import KeyIntake
import Ledger
import Logging
import ProcessLink
import Radio
import VarlinkSocket
import Vault

/// Beacon and scanner as a service.
struct CoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core",
        abstract: "Beacons and scans until it is told to stop (SIGTERM).",
        discussion: """
            A new board sends nothing until somebody has agreed: `vigil ctl enable`, or `--enable` where the operator has the \
            agreement. Without a time nothing is sent either: it comes from the kernel while NTP keeps it, from a clock chip, or \
            from `vigil time set`. The console's socket is RUN/ctl.sock (`vigil ctl`). State and counters are in RUN/state.json. \
            SIGHUP reads the clocks at once. docs/core.md has the rest.
            """)

    @Option(
        help:
            "Where the controller is: h4:unix:PATH, h4:serial:DEV[@BAUD], hci:N or fd:N. Under `vigil run` it comes from there."
    )
    var transport: String?

    @Option(help: "Folder for keys and sightings; made if it is not there.")
    var data: String

    @Option(help: "Folder for the key that seals them, best on another partition; DATA/key if not given.")
    var keys: String?

    @Option(name: .customLong("run"), help: "Folder for state.json, best in memory; made if it is not there.")
    var runFolder = "/run/vigil"

    @Option(name: .customLong("technician"), help: "Where the supervisor says what it knows; given by `vigil run`.")
    var technicianFolder: String?

    @Option(help: "token, kiosk, or the file of a board profile.")
    var profile = "token"

    @Flag(
        help:
            "Agrees on behalf of the wearer or the place when this board starts for the first time; recorded as the operator's."
    )
    var enable = false

    @Option(
        help: "Language of the pages until the wearer has chosen one, such as de or de-simple; each browser's if not given."
    )
    var language: String?

    @Option(
        name: .customLong("verify"),
        help: "Public key that may sign diagnosis key files: ID-VERSION=FILE, or FILE if names do not matter. Repeatable.")
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
        help:
            "Profile of a health authority to follow, with its own keys and rules: a file (docs/authorities.md). Repeatable, up to 15."
    )
    var authorities: [String] = []

    @Flag(help: "Accepts a signature by any of the keys, whatever name it gives.")
    var anyKey = false

    @Option(help: "Who may call beside the console: a file (docs/exposure-api.md).")
    var callers: String?

    @Option(name: .customLong("unzip"), help: "The program that unpacks key files; vigil-zip beside this one if not given.")
    var unzipProgram: String?

    @Option(
        help:
            "In a place: record what the radio and its controller say, made harmless, into this file (docs/recording.md)."
    )
    var record: String?

    @Option(help: "Form of the log on standard error.")
    var log: LogFormat = .text

    @Option(help: "What is logged.")
    var level: LogLevel = .info

    func validate() throws {
        if let language, !ExposureService.isLanguage(language) {
            throw ValidationError("--language takes a language, such as en, de, fr or de-simple")
        }
        guard let transport else {
            if getenv(ProcessEnvironment.Name.control) != nil { return }
            throw ValidationError(
                "--transport says where the controller is; only a core started by `vigil run` does without")
        }
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
        // Before a key is in memory. A kernel that cannot do it is no reason to send nothing.
        let refused = vigil_refuse_dumps()
        let signals = vigil_signal_descriptor()
        guard signals >= 0 else { throw CoreFailure("signals cannot be received: \(String(cString: strerror(-signals)))") }
        let logger = Logger(label: "core") { _ in LineLogHandler(format: log.format, level: level.level) }
        if refused != 0 { logger.warning("dumps of memory cannot be refused: \(String(cString: strerror(-refused)))") }
        let link = transport == nil ? try SupervisorLink(ProcessEnvironment()) : nil
        let address = try transport.map { text throws(TransportFailure) in try TransportAddress(parsing: text) }
        let profile = try ProfileFile.load(profile)
        let trusted = try VerificationKeys(
            arguments: verificationKeys, timeKeys: timeKeys, configKeys: configKeys,
            operatorKeys: operatorKeys, anyKey: anyKey)
        let (sources, faults) = AuthorityFiles.load(authorities)
        for fault in faults {
            logger.error("an authority's profile is not followed; mend it and restart: \(fault)")
        }
        try make(runFolder, mode: 0o755)
        let (server, callers) = try openSockets(isSupervised: link != nil)
        let (vault, isStored) = try openVault(logger)
        let (ledger, isRemembered) = try openLedger(for: vault, logger)
        nameLife(ledger, logger)
        logger.notice(
            "starting",
            metadata: [
                "version": "\(Release.version)", "transport": "\(transport ?? "from the supervisor")",
                "profile": "\(profile.name)",
            ])
        // Asked once: without /proc it is another one each time.
        let boot = BoardClock.bootIdentity()
        let beacon = try Beacon(
            profile: profile, vault: vault,
            enabledUnlessStored: ExposureService.wasEnabled(vault, ledger: ledger, isLedgerDamaged: !isRemembered),
            bootIdentity: boot, log: logger, at: BoardClock.boot())
        let service = ExposureService(
            beacon, vault: vault, ledger: ledger, trust: trusted.trust, policy: trusted.policy,
            authorities: sources, program: unzip, access: AccessControl(data: isStored ? data : nil),
            isRemembered: isRemembered, language: language, log: logger)
        if enable, vault.isEnabled == nil, !service.mayOperatorAgree {
            logger.notice(
                "this device was reset: it sends and listens once whoever has it agrees (page, or vigil ctl enable)")
        } else if enable, vault.isEnabled == nil {
            do {
                try service.enable(
                    by: Caller(name: "command-line", reading: .nothing, spool: nil, presence: "operator"),
                    at: BoardClock.boot())
            } catch { logger.error("\(error)", metadata: ["while": "enabling"]) }
        }
        startRecording(service, logger)
        do {
            try CoreService(
                service, serving: callers, on: server, bootIdentity: boot, transport: address, supervisedBy: link,
                runFolder: runFolder, technicianFolder: technicianFolder, signals: signals, log: logger
            ).run()
        } catch {
            // The log has it already.
            throw ExitStatus.transport
        }
        // Under a supervisor the end is enough: it starts the core again, with what it needs.
        if service.wasReset || service.roleHasChanged, link == nil { startAnew(logger) }
    }

    /// Begins the recording that `--record` asks for. Where that cannot be, it is said, and the beacon goes on.
    private func startRecording(_ service: ExposureService, _ logger: Logger) {
        guard let record else { return }
        let parts = record.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        do throws(IntakeFailure) {
            let isBegun = try service.recordFromTheStart(
                into: { () throws(IntakeFailure) in
                    try RecordingFile(in: Spool(path: folder), name: String(parts.last ?? ""))
                }, at: BoardClock.boot())
            guard !isBegun else { return }
            logger.error(
                "--record is for places. On a person's board the wearer agrees first: `vigil ctl record start`. Nothing is recorded."
            )
        } catch { logger.error("\(error). Nothing is recorded.", metadata: ["--record": "\(record)"]) }
    }

    /// Its own sockets, or none yet: a supervisor hands them over.
    private func openSockets(isSupervised: Bool) throws -> (VarlinkServer, [Caller]) {
        guard !isSupervised else { return (VarlinkServer(), []) }
        let sockets = try CoreSockets(runFolder: runFolder, callersFile: callers)
        return (sockets.server, sockets.callers)
    }

    /// As a new device: the same program from its beginning, with nothing of before in its memory. An agreement that the operator had was
    /// for the device as it was before.
    private func startAnew(_ logger: Logger) {
        var arguments = (0..<vigil_argument_count()).compactMap { vigil_argument($0).map { String(cString: $0) } }
            .filter { $0 != "--enable" }.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", arguments)
        if let path = arguments.first ?? nil { execv(path, arguments) }
        logger.notice("start this program again: it cannot do so itself (\(String(cString: strerror(errno))))")
    }

    /// What unpacks key files; a board without it beacons all the same.
    private var unzip: Result<UnzipProgram, IntakeFailure> {
        do throws(IntakeFailure) {
            if let unzipProgram { return .success(try UnzipProgram(path: unzipProgram)) }
            return .success(try .besideThisProgram())
        } catch {
            return .failure(error)
        }
    }

    /// Gives this life of the device a name, once: whoever keeps something beside the core tells by it that a reset lies between. It says
    /// nothing and is no secret. A reset removes it with everything else; a life that a change of role has ended gets another name here.
    private func nameLife(_ ledger: Ledger, _ logger: Logger) {
        let path = "\(data)/life"
        if access(path, F_OK) == 0 {
            guard let known = try? Files.read(path, limit: 64), ExposureService.hasEnded(life: known, by: ledger) else {
                return
            }
        }
        // A recording of a life before, by a program that was killed, and that nobody fetched. Under a supervisor that has the folder.
        for part in [ExposureService.recordingName, ExposureService.recordingName + RecordingFile.olderEnding] {
            unlink("\(runFolder)/\(CallersFile.console)/\(part)")
        }
        let name = (0..<4).map { _ in String(UInt32.random(in: 0 ... .max), radix: 16) }.joined()
        do { try Files.write(Array(name.utf8), to: path, mode: 0o600) } catch {
            // A disk that cannot be written to does not stop the beacon. It is tried again at the next start.
            logger.error(
                "\(error). Until this life of the device has a name, plugins keep what they have of the one before.",
                metadata: ["while": "naming this life"])
        }
    }

    /// The vault on the disk; in memory when the disk refuses, because the beacon must go on.
    private func openVault(_ logger: Logger) throws -> (Vault, isStored: Bool) {
        do {
            let keyFolder = keys ?? "\(data)/key"
            for folder in [data, keyFolder] { try make(folder, mode: 0o700) }
            return (try Vault(PosixStorage(folder: data), provider: FileKeyProvider(PosixStorage(folder: keyFolder))), true)
        } catch {
            logger.critical(
                "\(error). Keys and sightings are kept in memory and lost when the program stops.",
                metadata: ["data": "\(data)"])
            return (try Vault(MemoryStorage(), provider: FileKeyProvider(MemoryStorage())), false)
        }
    }

    /// The ledger beside the vault's files; in memory when the disk refuses, or when its keys would be forgotten. Also whether what was
    /// there before is there now.
    private func openLedger(for vault: Vault, _ logger: Logger) throws -> (Ledger, isRemembered: Bool) {
        do {
            guard vault.areLedgerKeysStored else { throw CoreFailure("the ledger's keys cannot be stored") }
            let ledger = try Ledger(path: "\(data)/ledger.sqlite", keys: VaultLedgerKeys(vault))
            for finding in ledger.findings { logger.warning("\(finding)") }
            let isAside = ledger.findings.contains { if case .setAside = $0 { true } else { false } }
            return (ledger, !isAside)
        } catch {
            logger.critical(
                "\(error). Matches, consents and the audit log are kept in memory and lost when the program stops.",
                metadata: ["data": "\(data)"])
            return (try Ledger(path: nil, keys: MemoryLedgerKeys()), false)
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
