// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CLinux
import Glibc
import Verification
import VerificationClients

/// The servers, until they are told to stop.
struct TestsServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the verification server and the submission until they are told to stop (SIGTERM).",
        discussion: """
            All speak plain HTTP: a web server in front has the certificate, and keeps no log of who asked. With --only one of them runs, \
            with nothing of the others' storage and secrets, and asks them over their internal addresses; docs/operating-the-authority.md \
            has the units for that.
            """)

    /// Which of them.
    enum Server: String, ExpressibleByArgument, CaseIterable { case verification, submission, results }

    @OptionGroup var options: StateOptions

    @Option(help: "Run just one: verification, submission, or results.")
    var only: Server?

    @Option(help: "IP address for boards.")
    var address = "127.0.0.1"

    @Option(help: "Port of the verification server (0: any free one).")
    var verificationPort: UInt16 = 8790

    @Option(help: "Port of the submission (0: any free one).")
    var submissionPort: UInt16 = 8791

    @Option(
        help:
            "IP address for the health office, the submission, laboratories and a monitoring. Never one that boards reach.")
    var internalAddress = "127.0.0.1"

    @Option(help: "Port on the internal address (0: any free one). Without it nothing listens there.")
    var internalPort: UInt16?

    @Option(
        help: """
            Folder with portal-secret, submission-secret, laboratory-secret, results-secret and check-in-secret, 32 bytes each, and \
            admin-token. A route whose secret is not there is refused. Default: STATE/tests, where they are made.
            """)
    var secrets: String?

    @Option(help: "With --only verification: internal address of the test-result server, http://… or https://….")
    var resultsURL: String?

    @Option(help: "With --only submission: internal address of the verification server.")
    var verificationURL: String?

    @Option(help: "With --only submission: address where the publishing authority takes keys. Default: the folder itself.")
    var publisherURL: String?

    @Option(help: "PEM file of the certificate authorities of those addresses. Default: the system's.")
    var partnerAuthority: String?

    /// Seconds between two looks for what is too old to keep.
    private static let cleaning: Int32 = 3_600

    func validate() throws {
        for (name, value, server) in [
            ("--results-url", resultsURL, Server.verification), ("--verification-url", verificationURL, .submission),
            ("--publisher-url", publisherURL, .submission),
        ] where value != nil && only != server { throw ValidationError("\(name) is for --only \(server.rawValue)") }
        if only == .submission, verificationURL == nil {
            throw ValidationError("--only submission asks a verification server: give --verification-url")
        }
        if only == .results, internalPort == nil {
            throw ValidationError("--only results answers on its internal address: give --internal-port")
        }
    }

    func run() throws {
        let stop = try StopSignal()
        let services = try TestServices(self)
        // For whoever started this and needs the ports.
        print("ready \(services.ports.map { "\($0)-port=\($1)" }.joined(separator: " "))")
        fflush(nil)
        stop.wait(every: Self.cleaning) {
            do { try services.clean(now: VerificationService.machineTime()) } catch {
                say("vigil-authority: what is too old could not be removed: \(error)")
            }
        }
        withExtendedLifetime(services) {}
    }
}
