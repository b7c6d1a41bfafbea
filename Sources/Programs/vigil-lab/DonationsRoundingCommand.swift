// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import DonationTrial

struct DonationsRoundingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rounding", abstract: "How much of a person is left in rounded encounters, in bits and in names.",
        discussion: """
            People meet at home, at work and by chance; some publish keys; boards donate. An adversary who has the true encounters of half the boards names \
            donations, before and after rounding. docs/donation.md describes the model.
            """)

    @Option(help: "Boards, 4 to 10,000.")
    var boards = 1_000

    @Option(help: "Days, 2 to 60.")
    var days = 14

    @Option(help: "Seed of all that is drawn.")
    var seed: UInt64 = 1

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (4...10_000).contains(boards), (2...60).contains(days) else {
            throw ValidationError("see --help for what can be given")
        }
    }

    func run() throws {
        var bar = ProgressBar("days")
        let trial = try RoundingTrial(RoundingSettings(boards: boards, days: days, seed: seed)) {
            bar.update(UInt64($0), of: UInt64(days))
        }
        if json { print(trial.json) } else { for line in trial.lines { print(line) } }
    }
}
