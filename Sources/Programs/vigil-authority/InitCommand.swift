// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority

/// The only command that makes an authority.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes a new authority: folder, private keys, token, settings.",
        discussion: """
            No other command makes keys: a mistyped --state would be a second root of trust that no board knows. Folders above it are made, \
            too. A settings.json that is there already is kept. Where there is an authority nothing is changed, and the exit status is 0.
            """)

    @Option(help: "Folder of the new authority.")
    var state: String

    func run() throws {
        let (folder, isNew) = try StateFolder.make(at: state) { say("vigil-authority: \($0)") }
        guard isNew else { return print("there is an authority in \(folder.path) already; nothing was changed") }
        say(
            """
            vigil-authority: these private keys lie in plain files that only their owner can read. For trials that is enough; a \
            health authority keeps its keys in hardware. Whoever has them can warn or lull everybody. Keep a copy apart: boards \
            trust no others.
            """)
        print("made an authority in \(folder.path)")
    }
}
