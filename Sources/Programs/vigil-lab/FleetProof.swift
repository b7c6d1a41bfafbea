// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetTrial
import Glibc
import SecurityToken

/// A fleet that enrols by one command, with kills of everything at random, and the wave of its renewals.
struct FleetProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract:
            "Enrols thousands of boards and renews them, while boards and registry are killed at any of their writes.",
        discussion: """
            Boards are their own code on real files with real keys; the registry is the real one with SQLite in a file, in a process of its own; they \
            talk HTTP over a socket. First, faults are made on purpose, and have to be found. The last line says with which seed to go on. \
            docs/enrolment.md has the rest.
            """)

    @Option(help: "Number of boards.")
    var boards = 10_000

    /// SIGKILL takes nothing from a file, so a file system in memory does.
    @Option(help: "Folder to work in; made and removed.")
    var folder =
        "\(getenv("TMPDIR").map { String(cString: $0) } ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"))/vigil-fl.\(getpid())"

    @Option(help: "Seed: claims, the order of boards, the kills.")
    var seed: UInt64 = 1

    @Option(help: "After how many writes, syncs, renames and sends boards are killed, on average; 0: never.")
    var boardEvery = 60

    @Option(help: "The same of the registry.")
    var registryEvery = 60

    @Option(help: "A fault on purpose, and nothing else: the proof has to fail.")
    var fault: FleetFault?

    @Flag(help: "Leaves out the faults on purpose, which take minutes on a busy machine.")
    var withoutFaults = false

    @Option(help: "PKCS#11 module of a token that has the registry's key.")
    var pkcs11: String?

    @Option(help: "Label of that token; a key is made in it.")
    var token: String?

    @Option(help: "File with its PIN.")
    var pinFile: String?

    func validate() throws {
        guard [token == nil, pinFile == nil].allSatisfy({ $0 == (pkcs11 == nil) }) else {
            throw ValidationError("a token takes --pkcs11, --token and --pin-file")
        }
        guard (1...100_000).contains(boards) else { throw ValidationError("--boards takes 1 to 100,000") }
        guard (0...1_000_000).contains(boardEvery), (0...1_000_000).contains(registryEvery) else {
            throw ValidationError("--board-every and --registry-every take 0 to 1,000,000")
        }
    }

    func run() throws {
        defer { KillProof.clear(folder) }
        if fault == nil, !withoutFaults { try control() }
        let start = ContinuousClock.now
        var scale = FleetTrial.Scale(boards: boards, seed: seed, boardEvery: boardEvery, registryEvery: registryEvery)
        if let pkcs11, let token, let pinFile {
            scale.token = (.init(module: pkcs11, label: token, name: "vigil-lab prove fleet"), pinFile)
        }
        let verdict = try played(scale, fault, isShown: true)
        for (place, count) in verdict.kills.sorted(by: { $0.key < $1.key }) { print("\(place): \(count) kills") }
        if let wave = verdict.wave {
            print(
                """
                renewals due within \(Terminal.fixed(Double(wave.window.upperBound - wave.window.lowerBound) / 86_400, 1)) days; in \
                \(wave.parts.count) equal parts of that \(wave.parts.min() ?? 0) to \(wave.parts.max() ?? 0): the busiest has \
                \(Terminal.fixed(wave.ratio, 2)) × the mean
                """)
        }
        if let problem = verdict.problem { print("seed \(seed): \(problem)") }
        print(
            """
            \(Terminal.grouped(boards)) boards, \(Terminal.grouped(verdict.total)) kills, \
            \(Terminal.fixed((ContinuousClock.now - start) / .seconds(60), 1)) min
            """)
        print(
            "\(verdict.problem == nil ? 1 : 0) passed, \(verdict.problem == nil ? 0 : 1) failed; go on with --seed \(seed &+ 1)"
        )
        if verdict.problem != nil { throw ExitCode.failure }
    }

    private func played(_ scale: FleetTrial.Scale, _ fault: FleetFault?, isShown: Bool) throws -> FleetTrial.Verdict {
        try KillProof.make(folder)
        defer { KillProof.clear(folder) }
        let trial = FleetTrial(program: "/proc/self/exe", folder: folder)
        guard isShown else { return try trial.play(scale, fault: fault) }
        var bar = ProgressBar("enrolled, then renewed")
        return try trial.play(scale, fault: fault) { name, share in
            bar.update(UInt64((name == "renewal" ? 1 + share : share) * 1_000), of: 2_000)
        }
    }

    /// What must be noticed is made wrong on purpose first.
    private func control() throws {
        for fault in FleetFault.allCases {
            var problem: String?
            for seed: UInt64 in 1...4 where problem == nil {
                problem = try played(.init(boards: 160, seed: seed), fault, isShown: false).problem
            }
            guard let problem, problem.contains(fault.word) else {
                print("\(fault) on purpose is not noticed: \(problem ?? "nothing is wrong")")
                throw ExitCode.failure
            }
            print("on purpose, \(fault): noticed (\(problem))")
            // Whoever waits for a long proof wants to have seen it.
            fflush(nil)
        }
    }
}

extension FleetFault: ExpressibleByArgument {}

/// Boards that are killed; not for people.
struct FleetBoardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet-boards", shouldDisplay: false)

    @Argument var folder: String
    @Option var boards: Int
    @Option var seed: UInt64
    @Option var fault: FleetFault?

    func run() throws { try BoardsLife(folder: folder, count: boards, seed: seed, fault: fault).play() }
}

/// A registry that is killed; not for people.
struct FleetRegistryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet-registry", shouldDisplay: false)

    @Argument var folder: String
    @Option var fault: FleetFault?
    @Option var pinFile: String?

    func run() throws { try RegistryLife(folder: folder, fault: fault, pinFile: pinFile).play() }
}
