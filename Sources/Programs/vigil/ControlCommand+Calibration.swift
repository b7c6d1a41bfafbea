// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ControlTool

extension ControlCommand {
    struct Calibrate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Guides through a calibration of the receiver against a phone at 1 m, in ten minutes.",
            discussion: """
                Twelve orientations in a quiet room. --power is the calibrated transmit power of the phone by Google's table, or of a \
                second board by its profile. The correction is set in the end, after asking; before that nothing changes. On a person's \
                board the wearer presses the button first. docs/calibration.md has the set-up.
                """)
        @OptionGroup var options: ControlOptions
        @OptionGroup var agreement: Agreement

        // Most are negative, which must not be taken for an option.
        @Option(
            parsing: .unconditional, help: "The calibrated transmit power of the phone, or second board, dBm: -50 to 20.")
        var power: Int?

        @Flag(help: "Measure the transmit power of a second board instead, with this board's calibrated receiver.")
        var otherBoard = false

        @Option(help: "Seconds for each orientation, 2 to 60; a phone needs 10 or more.")
        var seconds = 30

        @Flag(help: "Set nothing in the end.")
        var dryRun = false

        func validate() throws {
            guard CalibrationPlan.lengths.contains(seconds) else {
                throw ValidationError("--seconds must be 2 to 60")
            }
            guard (power != nil) != otherBoard else {
                throw ValidationError("Give either --power DBM, of the phone, or --other-board")
            }
            if let power, !CalibrationPlan.powers.contains(power) {
                throw ValidationError("--power must be -50 to 20")
            }
        }

        func run() throws {
            let plan = CalibrationPlan(
                power.map { .receiver(power: $0) } ?? .otherBoard, seconds: seconds, isDryRun: dryRun)
            try options.run { session throws(ControlFailure) in try session.calibrate(plan, isAgreed: agreement.isGiven) }
        }
    }
}
