// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool
import Interfaces

extension ControlCommand {
    struct Access: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Who can sign in at the device's web page.",
            discussion:
                "A secret is shown once, when it is made; the device keeps only a hash. docs/access.md has the rest.",
            subcommands: [List.self, Make.self, Revoke.self], defaultSubcommand: List.self)

        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists roles that have a secret, and tokens of scripts.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.listAccess() } }
        }

        struct Make: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Makes a role's secret anew and shows it once; who was signed in in that role is signed out.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "wearer, technician (may change things) or technicianReadOnly (only looks).")
            var role: RoleArgument

            func run() throws {
                try options.run { session throws(ControlFailure) in try session.makeSecret(role.value) }
            }
        }

        struct Revoke: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Takes a script's token back.")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The token's name.")
            var name: String

            func run() throws { try options.run { session throws(ControlFailure) in try session.revokeToken(name) } }
        }

        enum RoleArgument: String, ExpressibleByArgument, CaseIterable {
            case wearer, technicianReadOnly, technician

            var value: Access1.Role {
                switch self {
                case .wearer: .wearer
                case .technicianReadOnly: .technicianReadOnly
                case .technician: .technician
                }
            }
        }
    }

    struct Content: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What the health authority wants people to read: texts, hotlines, links.",
            subcommands: [Show.self, Take.self], defaultSubcommand: Show.self)

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Shows the content that holds.")
            @OptionGroup var options: ControlOptions

            func run() throws { try options.run { session throws(ControlFailure) in try session.showContent() } }
        }

        struct Take: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Brings content that the authority signed (docs/content.md).")
            @OptionGroup var options: ControlOptions

            @Argument(help: "The document.", completion: .file())
            var document: String

            @Argument(help: "Who signed it: the list beside it (export.sig).", completion: .file())
            var signatures: String

            func run() throws {
                try options.run { session throws(ControlFailure) in
                    try session.takeContent(document, signatures: signatures)
                }
            }
        }
    }
}
