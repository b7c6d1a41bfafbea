// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Cryptography
import Trust

struct ProveKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Shows that somebody holds a new key, on the machine where it was made.",
        discussion: """
            Prints one line for `keys rotate --new-key … --proof`: the key's own signature over the role and the name that it is meant for. It gives \
            nothing of the key away.
            """)

    @Option(help: "The private key (PEM); only its owner may be able to read it.")
    var key: String

    @Option(help: "What it is to sign: export, config or time.")
    var role: RotateKeyCommand.Role

    @Option(help: "What it is to be called, ID-VERSION.")
    var name: String

    func run() throws {
        guard let keyName = AuthoritySettings.keyName(name) else {
            throw ValidationError("--name is ID-VERSION, for example 262-v2")
        }
        let signer = try StateFolder.privateKey(in: key)
        print(Base64.string(try KeyProof.make(with: signer, role: role.role, name: keyName)))
    }
}
