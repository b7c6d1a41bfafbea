// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Glibc
import VirtualAir

/// Bluetooth without a radio, for hosts that are other processes or virtual machines.
struct AirCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "air",
        abstract: "Simulates Bluetooth LE: every connection to the socket gets a controller (HCI, H4 framing).",
        discussion: """
            Prints "ready" when it listens. The control socket takes one JSON object per line (docs/virtual-air.md). SIGTERM and \
            SIGINT end it.
            """)

    enum Version: String, ExpressibleByArgument, CaseIterable {
        case v42 = "4.2"
        case v50 = "5.0"
        case v52 = "5.2"

        var model: ControllerModel.Version {
            switch self {
            case .v42: .v42
            case .v50: .v50
            case .v52: .v52
            }
        }
    }

    @Argument(help: "Path of the socket for hosts.")
    var socket: String

    @Option(name: .customLong("ctl"), help: "Path of the control socket.")
    var control: String?

    @Option(help: "Seed; the same gives the same air.")
    var seed: UInt64 = 1

    @Option(help: "Virtual seconds per second.")
    var speed = 1.0

    @Flag(name: [.long, .customLong("ext")], help: "Controllers offer extended advertising (legacy packets only).")
    var extended = false

    @Flag(help: "Controllers refuse to scan while advertising, and the reverse.")
    var oneAtATime = false

    @Option(help: "Version of the controllers: 4.2, 5.0 or 5.2.")
    var core = Version.v50

    @Option(help: "Milliseconds from a command to its answer.")
    var answerDelay = 0

    @Option(help: "Scenario file: phones, their ways, faults.")
    var scenario: String?

    @Option(help: "Unix seconds at the beginning; the system's clock when not given.")
    var epoch: Int64?

    @Flag(help: "Time stands still until the control socket moves it.")
    var paused = false

    func validate() throws {
        guard (0.001...1e6).contains(speed) else { throw ValidationError("--speed takes 0.001 to 1,000,000") }
        guard (0...10_000).contains(answerDelay) else { throw ValidationError("--answer-delay takes 0 to 10,000") }
        guard (0...4_102_444_800).contains(epoch ?? 0) else { throw ValidationError("--epoch takes 0 to 4,102,444,800") }
    }

    func run() throws {
        do {
            var configuration = AirServer.Configuration(socket: socket, epoch: epoch ?? Int64(time(nil)))
            configuration.control = control
            configuration.seed = seed
            configuration.speed = speed
            configuration.isPaused = paused
            configuration.model.hasExtendedAdvertising = extended
            configuration.model.canAdvertiseAndScanAtOnce = !oneAtATime
            configuration.model.version = core.model
            configuration.model.answerDelay = .milliseconds(answerDelay)
            if let scenario {
                configuration.scenario = try Scenario(json: Files.read(scenario, limit: 16 << 20))
            }
            let server = try AirServer(configuration)
            print("ready")
            fflush(nil)
            server.run()
        } catch let error as VirtualAirError {
            Terminal.error("vigil-lab: \(error) (\(error.code.rawValue))\n")
            throw ExitCode(2)
        }
    }
}
