// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Trust

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Gives the public keys boards must know, and signs a change of keys.",
        discussion: "Without `show`, `rotate` or `prove` it is `show`.",
        subcommands: [ShowKeysCommand.self, RotateKeyCommand.self, ProveKeyCommand.self],
        defaultSubcommand: ShowKeysCommand.self)
}

struct ShowKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Gives the public keys boards must know.",
        discussion: """
            One file per role, named ROLE-ID-VERSION.pem. A board gets them with its provisioning: `export` signs key files, `config` \
            configurations, `time` the time.
            """)

    @OptionGroup var options: StateOptions

    @Option(help: "Folder for the files, made if it is not there; without it the keys are printed.")
    var out: String?

    func run() throws {
        let authority = try options.authority()
        if let out {
            for path in try authority.writePublicKeys(to: out, now: options.clock.seconds()) { print(path) }
        } else {
            for key in try authority.publicKeys(now: options.clock.seconds()) {
                print("# \(key.role.rawValue) \(key.name)\n\(key.pem)", terminator: "")
            }
        }
    }
}
