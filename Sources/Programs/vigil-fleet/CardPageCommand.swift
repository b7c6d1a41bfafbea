// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import ForeignText
import Glibc
import JSON

/// A file for people without this program.
struct CardPageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-page", abstract: "Makes an HTML file that makes cards of single boards in a browser, offline.",
        discussion: """
            For people whose computer has no vigil-fleet: on Windows, macOS and Linux the file opens in a browser, asks what `one` asks, and \
            gives the same folder as a ZIP file. It offers the authorities whose profiles are given here, and none. It fetches nothing and \
            sends nothing. No secret is in it: each card's are made in the browser.

              vigil-fleet card-page cards.html --authority authority.json
            """)

    @Argument(help: "The new file.")
    var file: String

    @Option(help: "File of a health authority's profile; up to 16.")
    var authority: [String] = []

    @Flag(help: "Take profiles whose servers are in your own network.")
    var localAuthority = false

    @OptionGroup
    var output: NewFileOptions

    func run() throws {
        let authorities = try authority.map { path in
            guard let authority = try AnswerFiles.authority(path, isLocal: localAuthority) else {
                throw InputError(file: "--authority", "none is on the page anyway; give files of profiles")
            }
            return authority
        }
        let page = Array(try CardPage.text(authorities).utf8)
        try output.admit(file)
        if !output.dryRun { try Files.write(page, to: file) }
        let names = authorities.map(\.name)
        if output.json {
            return print(
                JSON.object([
                    "file": .string(file), "written": .bool(!output.dryRun), "bytes": .int(Int64(page.count)),
                    "authorities": .array(names.map(JSON.string)),
                ]))
        }
        let offered = (names.map { ForeignText.line($0, limit: 100) } + ["none"]).joined(separator: ", ")
        print(
            "\(output.dryRun ? "Nothing was written. It would be" : "Written:") \(file), \(page.count) bytes, for: \(offered)."
        )
    }
}
