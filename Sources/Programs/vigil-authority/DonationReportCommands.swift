// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import DonationService

/// The counts of a donation server.
private func statistics(_ folder: String) throws -> DonationStatistics {
    let folder = try DonationFolder(folder, role: .server)
    return try DonationStatistics(
        DonationStore(path: folder.database), today: UTCDay(containing: DonationService.machineTime()))
}

struct DonationsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Prints the counts of whole days, without any below 5.",
        discussion: "A count that could be found by subtracting the others is left out, too. Donations are kept 14 days.")

    @Argument(help: "Folder of the donation server.")
    var folder: String

    @Flag(help: "The form: --csv (if neither is given) or --json.")
    var form = Form.csv

    enum Form: String, EnumerableFlag { case csv, json }

    func run() throws {
        let statistics = try statistics(folder)
        print(form == .csv ? statistics.csv : jsonText(statistics.json) + "\n", terminator: "")
    }
}

struct DonationsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the counts of `export` as bars.")

    @Argument(help: "Folder of the donation server.")
    var folder: String

    func run() throws { print(try statistics(folder).bars(), terminator: "") }
}
