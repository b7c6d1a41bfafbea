// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import VirtualAir

/// One scan in a flood of made-up beacons, each another: how many of them the core counted.
struct FloodTrial {
    /// Reports that the controller made, whether or not it got rid of them.
    let made: Double
    /// Reports in the core's own count.
    let arrived: Double
    /// Identifiers stored; a scan holds so many and no more.
    let kept: Double
    let microsecondsPerReport: Double
    let seconds = 4.0

    init(_ vigil: String, in folder: String, rate: Int) throws {
        let station = try Station(socket: "\(folder)/flood-\(rate).air")
        station.arrival = { station.air.apply(Fault(.flood, rate: rate), to: $0) }
        let folders = try BoardFolders("flood-\(rate)", in: folder)
        try folders.setTime()
        let board = try BoardProcess(folders.command(vigil, station))
        station.serve(seconds: 10) { station.host(of: board.process)?.scans.isEmpty == false }
        guard let host = station.host(of: board.process) else { throw InputError(file: vigil, "did not scan within 10 s") }
        let before = board.processorNanoseconds()
        // The scan, and the pause before the state is written again.
        station.serve(seconds: seconds + 2)
        let statistics = station.air.statistics(of: host.node)
        made = Double((statistics?.reports ?? 0) + (statistics?.droppedReports ?? 0))
        arrived = folders.state("scanner", "reports") ?? .nan
        kept = folders.state("scanner", "storedIdentifiers") ?? .nan
        microsecondsPerReport = (board.processorNanoseconds() - before) / arrived / 1e3
        station.arrival = nil
    }
}
