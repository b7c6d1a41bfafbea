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

    func run() throws {
        let settings = try IssuerSettings(
            name: name, address: address, minimumFleet: minimumFleet, purposes: logs ? [.log] : [])
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
    func serve(_ start: () throws -> DonationService, clean: (_ today: UTCDay) throws -> Void) throws {
        let stop = try StopSignal()
        let service = try start()
        print("ready port=\(service.port)")
        fflush(nil)
        stop.wait(every: 3_600) {
            do { try clean(UTCDay(containing: DonationService.machineTime())) } catch {
                say("vigil-authority: what is over could not be removed: \(error)")
            }
        }
        withExtendedLifetime(service) {}
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
            front has the certificate, and keeps no log of who asked.
            """)

    @Argument(help: "Folder of the donation server.")
    var folder: String

    @OptionGroup var listener: DonationListener

    func run() throws {
        let folder = try DonationFolder(folder, role: .server)
        let store = try DonationStore(path: folder.database)
        let termsPath = "\(folder.path)/\(DonationFolder.termsName)"
        let kept = TermsFile(path: termsPath)
        try listener.serve {
            let terms = TermsFile(path: termsPath)
            if terms.current() == nil {
                say("vigil-authority: \(folder.path)/terms.json: no terms yet; donations are refused until it is there")
            }
            let server = DonationServer(store: try DonationStore(path: folder.database)) { terms.current() }
            return try DonationService(server, address: listener.address, port: listener.port)
        } clean: {
            try store.clean(today: $0, terms: kept.current())
        }
    }
}

struct DonationsTermsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terms", abstract: "Writes the document about data donation that boards and the donation server read.",
        discussion: """
            Makes the keys of the next days first. The same file is STATE/donation.json for `publish`, which signs it, and terms.json of the \
            donation server. Make one every week at least, or let a timer do it every day: without --version it is one above that of the last document, \
            and nothing is written if nothing has changed.
            """)

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Option(help: "Version of the document, above that of the last one; the first needs one.")
    var version: Int64?

    @Option(help: "Host by which tokens name the donation server, like donation.example.")
    var origin: String

    @Option(help: "Address of the donation server for boards, like https://donation.example.")
    var serverAddress: String

    @Option(help: "Privacy of the answer about the risk level: above 0, at most 8; smaller hides more.")
    var epsilon = DonationTerms.largestEpsilon

    @Option(help: "Probability with which encounters are in a donation, 0 to 1.")
    var windowProbability = 1.0

    @Option(help: "Who runs the issuer, as people are to read it, like \"City of Example, IT department\".")
    var issuerOperator: String?

    @Option(help: "Who runs the donation server.")
    var serverOperator: String?

    @Option(help: "Who gets the donations.")
    var recipients: String?

    @Option(
        help:
            "For how many days donations are kept at most, by everybody who gets them: 2 to 3650. The donation server keeps none for longer."
    )
    var keptDays: Int64?

    @Option(help: "Who gets the error logs; the recipients of donations if it is not given.")
    var logRecipients: String?

    @Option(help: "For how many days error logs are kept at most; as long as donations if it is not given.")
    var logKeptDays: Int64?

    @Flag(help: "Ends donations: a document without keys. Boards keep consents, and go on when a later one has keys.")
    var end = false

    @Option(help: "File to write.")
    var out: String

    func run() throws {
        let issuer = try IssuerFolder(folder)
        let last = try issuer.folder.terms()
        guard let version = version ?? last?.version else {
            throw ValidationError("this issuer has made no document yet: give the first one a --version")
        }
        let keys = try issuer.keys()
        try keys.keep(
            today: UTCDay(containing: DonationService.machineTime()), count: issuer.settings.daysAhead,
            purposes: issuer.settings.purposes)
        let responsible = try responsible(last, issuer.settings.purposes)
        var terms = try terms(issuer, keys, responsible, version)
        if self.version == nil, terms != last { terms = try self.terms(issuer, keys, responsible, version + 1) }
        // First the issuer's own: after a power cut no other document gets this version, and the next run writes the second one.
        try issuer.folder.write(terms.encoded, to: DonationFolder.termsName)
        try DonationFolder.writePublic(terms.encoded, to: out)
        print("\(out): version \(terms.version), \(terms.keys.count) keys")
        let purposes: [MonthlyPurpose?] = [nil] + issuer.settings.purposes.map { $0 }
        if purposes.contains(where: { terms.responsible(for: $0) == nil }) {
            say(
                """
                vigil-authority: the document does not say who runs the servers, who gets what is sent, and how long it is kept. People are told to ask you. \
                --issuer-operator, --server-operator, --recipients and --kept-days say it.
                """)
        }
        if let last, Self.isOther(terms, than: last) {
            say(
                """
                vigil-authority: servers, operators, recipients or days are others than in the document before. People who have agreed are asked again, and \
                send nothing until they do.
                """)
        }
    }

    private static func isOther(_ terms: DonationTerms, than last: DonationTerms) -> Bool {
        terms.issuerName != last.issuerName || terms.origin != last.origin
            || ([nil] + MonthlyPurpose.allCases).contains { terms.responsible(for: $0) != last.responsible(for: $0) }
    }

    /// Who has to do with donations, and with error logs: what is not said stays as the document before has it, because whoever forgot it would end all consents.
    private func responsible(
        _ last: DonationTerms?, _ purposes: Set<MonthlyPurpose>
    ) throws -> [MonthlyPurpose?: DonationTerms.Responsible] {
        let before = last?.responsible()
        let issuer = issuerOperator ?? before?.issuer, server = serverOperator ?? before?.server
        let recipients = recipients ?? before?.recipients, days = keptDays ?? before?.keptDays
        if issuer == nil, server == nil, recipients == nil, days == nil, logRecipients == nil, logKeptDays == nil {
            return [:]
        }
        guard let issuer, let server, let recipients, let days else {
            throw ValidationError(
                "--issuer-operator, --server-operator, --recipients and --kept-days belong together: give all four the first time"
            )
        }
        func made(_ recipients: String, _ days: Int64) throws -> DonationTerms.Responsible {
            guard
                let made = DonationTerms.Responsible(
                    issuer: issuer, server: server, recipients: recipients, keptDays: days)
            else {
                throw ValidationError(
                    "operators and recipients are one line of at most \(DonationTerms.Responsible.maximumNameBytes) bytes each, and days are 2 to 3650"
                )
            }
            return made
        }
        var all: [MonthlyPurpose?: DonationTerms.Responsible] = [nil: try made(recipients, days)]
        for purpose in purposes {
            let before = last?.responsible(for: purpose)
            all[purpose] = try made(
                logRecipients ?? before?.recipients ?? recipients, logKeptDays ?? before?.keptDays ?? days)
        }
        return all
    }

    private func terms(
        _ issuer: IssuerFolder, _ keys: IssuerKeys, _ responsible: [MonthlyPurpose?: DonationTerms.Responsible],
        _ version: Int64
    ) throws -> DonationTerms {
        guard
            let terms = DonationTerms(
                version: version, issuerName: issuer.settings.name, issuerAddress: issuer.settings.address, origin: origin,
                serverAddress: serverAddress, windowProbability: windowProbability, epsilon: epsilon,
                keys: end ? [] : keys.keys(for: nil),
                monthlyKeys: end
                    ? [:]
                    : Dictionary(uniqueKeysWithValues: issuer.settings.purposes.map { ($0, keys.keys(for: $0)) }),
                responsible: responsible)
        else { throw ValidationError("a version, name, address or number is not valid; see --help") }
        return terms
    }
}
