// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CivilTime
import Cryptography
import Donation
import DonationService
import Glibc
import JSON

/// Data donation: the issuer of tokens, the donation server, and what their operators do.
struct DonationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "donations", abstract: "Issues donation tokens, takes donations, counts them.",
        discussion: """
            The issuer knows the devices and the donation server knows the donations, so each has a folder, a host and an operator of its own; \
            a command refuses the other's folder. docs/donation.md has the rest.
            """,
        subcommands: [
            DonationsInitIssuerCommand.self, DonationsInitServerCommand.self, DonationsIssuerCommand.self,
            DonationsServeCommand.self, DonationsDevicesCommand.self, DonationsTermsCommand.self,
            DonationsExportCommand.self, DonationsShowCommand.self, DonationsStatusCommand.self,
        ])
}

/// The parts of an issuer's folder.
struct IssuerFolder {
    let folder: DonationFolder
    let settings: IssuerSettings

    init(_ path: String) throws {
        folder = try DonationFolder(path, role: .issuer)
        settings = try IssuerSettings(folder.json("settings.json"))
    }

    func store() throws -> IssuerStore { try IssuerStore(path: folder.database) }
    func keys() throws -> IssuerKeys { try IssuerKeys(path: "\(folder.path)/keys.db") }
}

struct DonationsInitIssuerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init-issuer", abstract: "Makes the folder of an issuer.",
        discussion: "Where there is one already, its settings are replaced by these; keys and devices stay.")

    @Argument(help: "Folder of the issuer; made if it is not there.")
    var folder: String

    @Option(help: "Host by which tokens name the issuer, like issuer.example.")
    var name: String

    @Option(help: "Address for boards, like https://issuer.example.")
    var address: String

    @Option(help: "Fewest devices, 2 or more, that must have shown evidence in 8 days before any token is signed.")
    var minimumFleet: Int

    @Flag(help: "Has keys for error logs, too, one for each month; the document asks for them then.")
    var logs = false

    @Flag(help: "Has keys for surveys, too, one for each month; `terms --survey-link` makes one.")
    var surveys = false

    func run() throws {
        let purposes = [(MonthlyPurpose.log, logs), (.survey, surveys)].filter(\.1).map(\.0)
        let settings = try IssuerSettings(
            name: name, address: address, minimumFleet: minimumFleet, purposes: Set(purposes))
        let (made, isNew) = try DonationFolder.make(folder, role: .issuer)
        try made.write(settings.json.bytes, to: "settings.json")
        print(isNew ? "made an issuer in \(made.path)" : "changed the settings of the issuer in \(made.path)")
    }
}

struct DonationsInitServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init-server", abstract: "Makes the folder of a donation server.",
        discussion: "Put the region's terms into it as terms.json: what `donations terms` wrote on the issuer's host.")

    @Argument(help: "Folder of the donation server; made if it is not there.")
    var folder: String

    func run() throws {
        let (made, isNew) = try DonationFolder.make(folder, role: .server)
        print(
            isNew ? "made a donation server in \(made.path)" : "there is one in \(made.path) already; nothing was changed")
    }
}

/// Where a server listens.
struct DonationListener: ParsableArguments {
    @Option(help: "IP address for boards.")
    var address = "127.0.0.1"

    @Option(help: "Port (0: any free one).")
    var port: UInt16 = 0

    /// Starts, says the port, and waits for SIGTERM; once an hour removes what is over, also if nobody asks anything.
    ///
    /// - Parameter beside: Starts a second one, and names its port.
    func serve(
        _ start: () throws -> DonationService, beside: () throws -> (name: String, DonationService)? = { nil },
        clean: (_ today: UTCDay) throws -> Void
    ) throws {
        let stop = try StopSignal()
        let (service, second) = (try start(), try beside())
        print("ready port=\(service.port)" + (second.map { " \($0.name)=\($0.1.port)" } ?? ""))
        fflush(nil)
        stop.wait(every: 3_600) {
            do { try clean(UTCDay(containing: DonationService.machineTime())) } catch {
                say("vigil-authority: what is over could not be removed: \(error)")
            }
        }
        withExtendedLifetime((service, second)) {}
    }
}

struct DonationsIssuerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer", abstract: "Runs the issuer until it is told to stop (SIGTERM).",
        discussion: "It speaks plain HTTP: a web server in front has the certificate, and keeps no log of who asked.")

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @OptionGroup var listener: DonationListener

    func run() throws {
        let issuer = try IssuerFolder(folder)
        let (keys, store) = (try issuer.keys(), try issuer.store())
        try listener.serve {
            let tokens = TokenIssuer(settings: issuer.settings, keys: try issuer.keys(), store: try issuer.store())
            try tokens.keep(now: DonationService.machineTime())
            return try DonationService(tokens, address: listener.address, port: listener.port)
        } clean: { today in
            try keys.keep(today: today, count: issuer.settings.daysAhead, purposes: issuer.settings.purposes)
            try store.clean(today: today)
        }
    }
}

struct DonationsServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the donation server until it is told to stop (SIGTERM).",
        discussion: """
            It reads terms.json in its folder again whenever that changes, and takes nothing without it. It speaks plain HTTP: a web server in \
            front has the certificate, and keeps no log of who asked. Who runs a survey redeems passwords at an address of its own (--redeem-port), with \
            a secret that the two share (docs/donation.md).
            """)

    @Argument(help: "Folder of the donation server.")
    var folder: String

    @OptionGroup var listener: DonationListener

    @Option(help: "IP address where a survey redeems passwords. Never one that boards reach.")
    var redeemAddress = "127.0.0.1"

    @Option(help: "Port where a survey redeems passwords (0: any free one); without it none are redeemed.")
    var redeemPort: UInt16?

    @Option(
        help:
            "File with the secret of the survey, for its owner alone: one line of \(RedemptionHTTP.fewestSecretCharacters) characters or more."
    )
    var redeemSecret: String?

    func validate() throws {
        guard (redeemPort == nil) == (redeemSecret == nil) else {
            throw ValidationError("--redeem-port and --redeem-secret belong together")
        }
    }

    private func redemption(_ folder: DonationFolder) throws -> (name: String, DonationService)? {
        guard let redeemPort, let redeemSecret else { return nil }
        let terms = TermsFile(path: "\(folder.path)/\(DonationFolder.termsName)")
        let handler = try RedemptionHTTP(
            store: DonationStore(path: folder.database), secret: Secrets.token(redeemSecret), terms: { terms.current() },
            now: DonationService.machineTime)
        return ("redeem-port", try DonationService(handler, address: redeemAddress, port: redeemPort))
    }

    func run() throws {
        let folder = try DonationFolder(folder, role: .server)
        let store = try DonationStore(path: folder.database)
        let termsPath = "\(folder.path)/\(DonationFolder.termsName)"
        // Cleaned on this thread, served on another.
        let kept = TermsFile(path: termsPath)
        try listener.serve {
            let terms = TermsFile(path: termsPath)
            if terms.current() == nil {
                say("vigil-authority: \(folder.path)/terms.json: no terms yet; donations are refused until it is there")
            }
            let server = DonationServer(store: try DonationStore(path: folder.database)) { terms.current() }
            return try DonationService(server, address: listener.address, port: listener.port)
        } beside: {
            try redemption(folder)
        } clean: {
            try store.clean(today: $0, terms: kept.current())
        }
    }
}
