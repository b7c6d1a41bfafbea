// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CLinux
import Cryptography
import ForeignText
import Glibc
import Portal
import Verification
import VerificationClients

/// The health officer's page, and who may use it.
struct PortalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portal", abstract: "A web page on which the health office issues teleTANs.",
        discussion: """
            Users, sessions and the audit are in STATE/portal.db, the secret in STATE/portal-pages-secret. \
            docs/operating-the-authority.md has the rest.
            """,
        subcommands: [PortalServeCommand.self, PortalUserCommand.self, PortalAuditCommand.self])
}

/// Where the portal keeps what it must.
struct PortalOptions: ParsableArguments {
    @Option(help: "Folder of the portal; the first `user add` or `serve` fills it.")
    var state: String

    func database() throws -> String {
        guard access(state, F_OK) == 0 else {
            throw PortalError(
                .storageUnusable, "\(state): there is no such folder; check the path, or make it: mkdir -m 700 FOLDER")
        }
        return "\(state)/portal.db"
    }

    func store() throws -> PortalStore { try PortalStore(path: database()) }

    /// For those who ask about a portal or change it: an empty answer about one that is not there would be untrue.
    func existingStore() throws -> PortalStore {
        let path = try database()
        guard access(path, F_OK) == 0 else {
            throw PortalError(
                .storageUnusable,
                "\(state): there is no portal here; check the path, or add its first user: vigil-authority portal user add")
        }
        return try PortalStore(path: path)
    }
}

struct PortalServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the page until it is told to stop (SIGTERM).",
        discussion: "It speaks plain HTTP: a web server in front has the certificate, and keeps no log of who asked.")

    @OptionGroup var options: PortalOptions

    @Option(help: "IP address of the page.")
    var address = "127.0.0.1"

    @Option(help: "Port of the page (0: any free one).")
    var port: UInt16 = 8795

    @Option(help: "IP address of the metrics.")
    var metricsAddress = "127.0.0.1"

    @Option(help: "Port of the metrics (0: any free one).")
    var metricsPort: UInt16 = 8796

    @Option(help: "Internal address of the verification server, http://… or https://…. Without it: --tests.")
    var verificationURL: String?

    @Option(help: "File with the portal's secret at the verification server (32 bytes).")
    var verificationSecret: String?

    @Option(help: "PEM file of the certificate authorities of that address. Default: the system's.")
    var partnerAuthority: String?

    @Option(help: "Instead of an address: folder of a verification server on this machine (STATE/tests of `tests serve`).")
    var tests: String?

    @Option(
        help:
            "Where the publishing authority takes keys (http://127.0.0.1:8781): with it, warnings can be taken back on the page."
    )
    var publisherURL: String?

    @Option(help: "File with the authority's warning-token.")
    var publisherToken: String?

    @Option(help: "Instead of an address: folder of a publishing authority on this machine.")
    var publisher: String?

    @Option(
        help: "Exchanges a day of the fleet's boards (6, 12, 24, 48, 96, 192): the page says how long a board may take.")
    var slots: Int64 = 48

    @Flag(help: "For trials on the loopback: cookies without TLS.")
    var plainCookies = false

    func validate() throws {
        guard [6, 12, 24, 48, 96, 192].contains(slots) else { throw ValidationError("--slots: 6, 12, 24, 48, 96 or 192") }
        guard (verificationURL == nil) != (tests == nil) else {
            throw ValidationError("give one of --verification-url and --tests")
        }
        guard (verificationURL == nil) == (verificationSecret == nil) else {
            throw ValidationError("--verification-url and --verification-secret go together")
        }
        guard (publisherURL == nil) == (publisherToken == nil), publisherURL == nil || publisher == nil else {
            throw ValidationError("--publisher-url and --publisher-token go together, and not with --publisher")
        }
        guard !plainCookies || address == "127.0.0.1" || address == "::1" else {
            throw ValidationError("--plain-cookies is for the loopback")
        }
    }

    private func source() throws -> any TeleTANSource {
        if let verificationURL, let verificationSecret {
            return RemoteTeleTANSource(
                try InternalClient(
                    verificationURL, secret: VerificationSecret.existing(path: verificationSecret),
                    authority: partnerAuthority))
        }
        return LocalTeleTANSource(try TestsFolder.verification(tests ?? ""))
    }

    private func warnings() throws -> PortalWarnings? {
        let desk: any WarningDesk
        if let publisherURL, let publisherToken {
            desk = RemoteWarningDesk(
                try InternalClient(publisherURL, bearer: Secrets.token(publisherToken), authority: partnerAuthority))
        } else if let publisher {
            let folder = try StateFolder(path: publisher)
            desk = LocalWarningDesk(authority: try HealthAuthority(folder: folder, settings: folder.settings()))
        } else {
            return nil
        }
        guard let verificationURL, let verificationSecret else {
            return PortalWarnings(finder: try TestsFolder.verification(tests ?? ""), desk: desk)
        }
        let client = try InternalClient(
            verificationURL, secret: VerificationSecret.existing(path: verificationSecret), authority: partnerAuthority)
        return PortalWarnings(finder: RemoteWarningFinder(client), desk: desk)
    }

    func run() throws {
        let stop = try StopSignal()
        var place = PortalService.Place()
        (place.address, place.port) = (address, port)
        (place.metricsAddress, place.metricsPort) = (metricsAddress, metricsPort)
        place.isPlain = plainCookies
        place.slots = slots
        let path = try options.database()
        let store = try options.store()
        let service = try PortalService(
            path: path, source: try source(), warnings: try warnings(),
            secret: VerificationSecret.load(path: "\(options.state)/portal-pages-secret").bytes, place: place
        ) { say("vigil-authority: \($0)") }
        print("ready port=\(service.port) metrics-port=\(service.metricsPort)")
        fflush(nil)
        stop.wait(every: 600) {
            do { try store.clean(rules: SessionRules(), now: VerificationService.machineTime()) } catch {
                say("vigil-authority: sessions that are over could not be removed: \(error)")
            }
        }
        withExtendedLifetime(service) {}
    }
}

struct PortalAuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Prints who did what on the page, and checks that nothing was changed.",
        discussion: """
            Times are UTC. The last line on standard error is the head of the chain: note it where this machine cannot write, and give it \
            back with --head later; then a cut-off end or a chain made anew is noticed too. Exit status 1 when it is broken.
            """)

    @OptionGroup var options: PortalOptions

    @Flag(help: "One JSON object per line.")
    var json = false

    @Flag(help: "Only check.")
    var check = false

    @Option(help: "A head that was noted, SEQUENCE:HASH; it must be in the chain.")
    var head: String?

    func run() throws {
        var audit = PortalAuditCheck()
        var isHeadThere = head == nil
        try options.existingStore().audit { event in
            audit.take(event)
            if head == "\(event.sequence):\(Hex.string(event.chain))" { isHeadThere = true }
            guard !check else { return }
            print(json ? "\(event.json)" : Self.line(event))
        }
        if let fault = audit.firstFault {
            say("vigil-authority: the audit was changed: event \(fault) does not fit to those before it")
            throw ExitCode(1)
        }
        guard isHeadThere else {
            say("vigil-authority: the audit was changed: the head that was noted is not in it")
            throw ExitCode(1)
        }
        say("head \(audit.head.sequence):\(Hex.string(audit.head.chain))")
    }

    private static func line(_ event: PortalEvent) -> String {
        var seconds = time_t(event.time)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        let time = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let user = event.user.isEmpty ? "-" : event.user
        return ForeignText.line(
            "\(time) \(event.kind) \(user)\(event.detail.isEmpty ? "" : " \(event.detail)")", limit: 1_000)
    }
}
