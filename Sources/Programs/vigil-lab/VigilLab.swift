// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import GAEN
import Glibc

/// The laboratory: everything that proves, measures and simulates. Never ships on a board.
@main
struct VigilLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-lab", abstract: "Proves, measures and simulates what vigil does. Not for boards.",
        version: "0.1.0",
        subcommands: [
            ConformanceCommand.self, BenchCommand.self, KernelRunCommand.self, EchoFloorCommand.self,
            PairingLoadCommand.self,
            WorkloadFilesCommand.self, ProveCommand.self,
            ScenarioCommand.self, SimulateCommand.self, RiskCommand.self, RealityCommand.self, ReplayCommand.self,
            ProfileCommand.self,
            AirCommand.self, WatchCommand.self, SightingsCommand.self,
            PagesCommand.self, PlantCommand.self,
            FleetLoadCommand.self, WireCommand.self, DonationsCommand.self,
            CoreLifeCommand.self, ServiceLifeCommand.self, TracedLifeCommand.self, TracedVisitsCommand.self,
            DonationLifeCommand.self, FleetBoardsCommand.self, FleetRegistryCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot(
                (1..<max(1, vigil_argument_count())).compactMap { vigil_argument($0).map { String(cString: $0) } })
            try SelfTest.run()
            try command.run()
        } catch let error as ExitCode {
            Glibc.exit(error.rawValue)
        } catch let error as InputError {
            Terminal.error("vigil-lab: \(error)\n")
            Glibc.exit(2)
        } catch {
            exit(withError: error)
        }
    }
}
