// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import JSON
import Varlink

extension ControlSession {
    /// How often, and how long, a press that was asked for is looked for.
    private static let pressPause: UInt32 = 500_000
    private static let pressTries = 120

    /// Asks the core; where the wearer has to press the button first, says so, waits for a minute and asks again. The person has
    /// agreed.
    func afterPress(_ ask: () throws(ControlFailure) -> JSON) throws(ControlFailure) -> JSON {
        var tries = 0
        while true {
            do throws(ControlFailure) { return try ask() } catch {
                guard error.reply?.error?.hasSuffix(".ButtonNeeded") == true, tries < Self.pressTries else { throw error }
                if tries == 0 { Terminal.error("\(error)\n") }
                tries += 1
                // Who is asked to press is told by the device alone, so the core announces no press: it is asked whether there was one.
                usleep(Self.pressPause)
            }
        }
    }
}
