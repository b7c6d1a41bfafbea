// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardClock
import CivilTime
import CommandFiles
import Glibc
import TimeTrust

struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Sets the time by hand, on boards that hear no clock.", subcommands: [SetTime.self])

    struct SetTime: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Tells the core what time it is.",
            discussion: """
                The core believes it to within 60 seconds, unless a signed time contradicts it, and for a day against the \
                network and the clock chip. The system clock is not touched. The core picks the time up within minutes; what \
                passes until then is added.
                """)

        @Argument(
            help: """
                The time now, in UTC: 2026-11-21T10:00:00Z, "2026-11-21 10:00", Unix seconds, or `now` for what the system \
                clock shows.
                """)
        var time: String

        @Option(name: .customLong("run"), help: "Folder where the running core looks.")
        var folder = OperatorTime.defaultFolder

        func run() throws {
            // The moment of the key press, not of the end of checking it.
            let boot = BoardClock.boot()
            let parsed: UnixTime
            do {
                parsed = try UnixTime(parsing: time)
            } catch {
                throw ValidationError("\(time.debugDescription): \(error)")
            }
            do {
                // Under `vigil run` the core has a folder of its own in there.
                let supervised = "\(folder)/core"
                try OperatorTime(parsed, at: boot).write(to: access(supervised, W_OK) == 0 ? supervised : folder)
            } catch {
                throw InputError(file: folder, "\(error)")
            }
            print("\(UTCDay.text(time: UInt64(clamping: parsed.seconds))) is handed to the core.")
        }
    }
}
