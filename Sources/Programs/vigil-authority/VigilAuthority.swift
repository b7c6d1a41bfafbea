// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CLinux
import DonationService
import FleetRegistry
import ForeignText
import Glibc
import Portal
import SecurityToken
import Verification

/// The other side of the boards' protocols: a small public-health backend.
@main
struct VigilAuthority: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-authority",
        abstract: "Publishes signed diagnosis keys, configuration and time for boards to fetch.",
        discussion: """
            Everything is in one folder, which `vigil-authority init --state FOLDER` makes: keys, the database, the settings, and the public \
            tree, which any web server, object store or CDN can serve. `vigil-authority serve --state FOLDER` is the whole service; the other \
            commands work on the same folder, whether it runs or not.

            To try it:
              vigil-authority init --state /tmp/authority
              vigil-authority serve --state /tmp/authority --publish-now --trust-clock
              vigil-authority accept --state /tmp/authority keys.json
              vigil-authority keys --state /tmp/authority --out /tmp/public-keys

            docs/authority.md has the rest.
            """,
        version: "0.3.0",
        subcommands: [
            InitCommand.self, ServeCommand.self, AcceptCommand.self, PublishCommand.self, RevokeCommand.self,
            WarningsCommand.self, VenuesCommand.self, KeysCommand.self, CheckCommand.self, StatusCommand.self,
            AuditCommand.self,
            TestsCommand.self,
            PortalCommand.self,
            DonationsCommand.self,
            FleetCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot(
                (1..<max(1, vigil_argument_count())).compactMap { vigil_argument($0).map { String(cString: $0) } })
            try command.run()
        } catch let error as ExitCode {
            Glibc.exit(error.rawValue)
        } catch let error as AuthorityError {
            say("vigil-authority: \(error)")
            Glibc.exit(error.isAboutInput ? 1 : 2)
        } catch let error as VerificationError {
            say("vigil-authority: \(error)")
            Glibc.exit(2)
        } catch let error as DonationServiceError {
            say("vigil-authority: \(error)")
            Glibc.exit([.invalidSettings, .invalidTerms, .invalidDevice, .wrongFolder].contains(error.code) ? 1 : 2)
        } catch let error as RegistryError {
            say("vigil-authority: \(error)")
            let isAboutInput: [RegistryError.Code] = [
                .invalidSettings, .invalidList, .unknownBoard, .wrongState, .wrongFolder,
            ]
            Glibc.exit(isAboutInput.contains(error.code) ? 1 : 2)
        } catch let error as TokenError {
            say("vigil-authority: \(error)")
            Glibc.exit(2)
        } catch let error as PortalError {
            say("vigil-authority: \(error)")
            Glibc.exit(error.isAboutInput ? 1 : 2)
        } catch {
            exit(withError: error)
        }
    }
}

/// One line on standard error, in one call, so that lines of several threads stay whole.
func say(_ text: String) {
    // It may quote files of others.
    let bytes = Array((ForeignText.lines(text, limit: 4_000) + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

extension AuthorityError {
    /// What was handed in is at fault (exit status 1), not the place or the machine (2).
    var isAboutInput: Bool {
        switch code {
        case .unreadableSubmission, .submissionTooLarge, .unknownRegion, .unknownPackage, .invalidConfiguration,
            .invalidRiskConfiguration, .invalidContent, .invalidDonation, .donationRunsOut, .invalidSettings,
            .unknownWarning, .warningRevoked, .olderRevision,
            .warningNotPublished, .typesAreCodes, .alreadyProposed, .unknownProposal, .samePerson, .invalidPerson,
            .invalidReason, .invalidSuccession, .invalidVenue, .unknownVenue,
            .traceKeysNotOffered, .tooManyTraceKeys:
            true
        default: false
        }
    }
}
