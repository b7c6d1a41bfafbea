// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import ControlTool
import Core
import Glibc
import Power
import Radio

extension ControlCommand {
    struct Power: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says how full the battery is, and how long one lasts by the board's figures.",
            discussion: """
                The estimate is arithmetic: what the board's file says it draws in each state, times what the profile asks of radio and \
                processor. It needs no running board: give --board and --profile to plan one (docs/power.md).
                """)
        @OptionGroup var options: ControlOptions

        @Option(help: "The board's file; /usr/share/vigil/board.json if it is there.", completion: .file())
        var board: String?

        @Option(help: "token, kiosk, or the file of a board profile.")
        var profile = "token"

        @Option(help: "What the battery holds, mWh; the board's file says it otherwise.")
        var capacity: Int?

        @Option(help: "Wake-ups of the processor in a second; measured with the profile token, see docs/power.md.")
        var wakes = Power.measuredWakes

        /// Wake-ups a second of all of Vigil's processes together, idle (docs/power.md says how it was measured).
        static let measuredWakes = 0.6
        private static let standardFile = "/usr/share/vigil/board.json"

        func validate() throws {
            if let capacity, !(10...10_000_000).contains(capacity) {
                throw ValidationError("--capacity must be 10 to 10000000 mWh")
            }
            if !(0...1_000_000).contains(wakes) { throw ValidationError("--wakes must be 0 to 1000000") }
        }

        func run() throws {
            let (inputs, missing) = try inputs()
            try options.run { session throws(ControlFailure) in try session.power(inputs, missing: missing) }
        }

        private func inputs() throws -> (ControlSession.RuntimeInputs?, String?) {
            guard let path = board ?? (access(Self.standardFile, F_OK) == 0 ? Self.standardFile : nil) else {
                return (nil, "For an estimate of how long it lasts, name the board's file (--board).")
            }
            let power: BoardPower
            let duty: Duty
            do {
                power = try BoardPower(parsing: try Files.read(path, limit: BoardPower.maximumByteCount))
                duty = Duty(try ProfileFile.load(profile), wakesPerSecond: wakes)
            } catch {
                Terminal.error("vigil: \(path): \(error)\n")
                throw ExitStatus.input
            }
            guard let figures = power.figures else {
                return (
                    nil,
                    "There is no estimate of how long it lasts: \(path) does not say what the board draws (hardware.power)."
                )
            }
            guard let capacity = capacity ?? power.battery?.milliwattHours else {
                return (nil, "For an estimate of how long it lasts, say what the battery holds (--capacity, in mWh).")
            }
            let usable = 100 - (power.battery?.stop ?? 0)
            return (
                ControlSession.RuntimeInputs(
                    figures: figures, duty: duty, profile: profile, milliwattHours: capacity, usablePercent: usable), nil
            )
        }
    }
}

extension Duty {
    /// Means of what the profile leaves to chance; controllers add 0 to 10 ms to each advertisement (Bluetooth Core Specification 5.4, volume 6, part B,
    /// 4.4.2.2.1).
    fileprivate init(_ profile: BoardProfile, wakesPerSecond: Double) {
        func milliseconds(_ span: Duration) -> Double { span / .milliseconds(1) }
        let interval = profile.beacon.interval
        self.init(
            scanMilliseconds: milliseconds(profile.scan.duration),
            scanPeriodMilliseconds: milliseconds(profile.scan.period) - milliseconds(profile.scan.spread) / 2,
            advertisingMilliseconds: (milliseconds(interval.lowerBound) + milliseconds(interval.upperBound)) / 2 + 5,
            wakesPerSecond: wakesPerSecond)
    }
}
