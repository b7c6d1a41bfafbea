// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import Glibc

/// A label for a code that a board has made itself.
struct LabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Draws a label for a code that a board has made, for its next wearer.",
        discussion: """
            The code comes from standard input, by itself or as the board prints it, and is shown nowhere. Writes label.svg, label.pdf and \
            label-code.png into a new folder; print one of them, and delete the folder.

              vigil ctl access make wearer --json | vigil-fleet label vg-7k3m-q0r1x new-label --size 62x29
            """)

    @Argument(help: "The serial number on the token's old label.")
    var serial: String

    @Argument(help: "The new folder.")
    var folder: String

    @Option(help: "50x25, 62x29 or 89x36 mm.")
    var size = "62x29"

    @Option(help: "Where the page is, such as 192.168.7.1:8443.")
    var page: String?

    func run() throws {
        guard let serial = BoardSerial(serial) else { throw PoolFault.noSerial(position: 1) }
        let size = try LabelSize(parsing: size)
        let files = try Card.labelFiles(
            serial: serial, typed: Files.read("/dev/stdin", limit: 4_096), page: page, size: size)
        try CardFolder.writeLabel(files, to: folder)
        print(
            "The label of \(serial) is in \(folder). Print it, put it in the place of the old one, and delete the folder.")
    }
}
