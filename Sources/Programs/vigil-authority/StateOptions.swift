// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Glibc

/// What every command needs: the folder, and for demonstrations other rules than the folder's.
struct StateOptions: ParsableArguments {
    @Option(help: "Folder of the authority, which `init` has made.")
    var state: String

    @Option(help: "Instead of the settings: fewest keys of a package that does not wait for more (0: any).")
    var shiftingThreshold: Int64?

    @Option(help: "Instead of the settings: hours a key waits for others at most.")
    var holdHours: Int64?

    @Option(help: "Instead of the settings: minutes between the end of a key's period and its publication.")
    var expiryMinutes: Int64?

    @Option(help: .hidden)
    var now: Int64?

    /// Refuses what the settings file would refuse.
    func validate() throws {
        for (name, value, limit) in [
            ("--shifting-threshold", shiftingThreshold, 100_000), ("--hold-hours", holdHours, 168),
            ("--expiry-minutes", expiryMinutes, 1_440),
        ] {
            if let value, !(0...Int64(limit)).contains(value) {
                throw ValidationError("\(name) must be between 0 and \(limit)")
            }
        }
    }

    func open() throws -> (folder: StateFolder, settings: AuthoritySettings) {
        let folder = try StateFolder(path: state)
        var settings = try folder.settings()
        if let shiftingThreshold { settings.publishing.shiftingThreshold = shiftingThreshold }
        if let holdHours { settings.publishing.holdHours = holdHours }
        if let expiryMinutes { settings.publishing.expiryMinutes = expiryMinutes }
        return (folder, settings)
    }

    var clock: AuthorityClock { AuthorityClock(startingAt: now) }

    func authority() throws -> HealthAuthority {
        let (folder, settings) = try open()
        return try HealthAuthority(folder: folder, settings: settings)
    }
}
