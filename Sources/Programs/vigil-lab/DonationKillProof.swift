// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import DonationKillTrial
import Glibc

/// Power cuts in every state of issuance and donation: a real core, a real issuer and a real donation server.
struct DonationKillProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "donation-kills",
        abstract:
            "Kills a board, an issuer and a donation server in every state of donations, error logs and surveys; then asks what was sent and what is left.",
        discussion: """
            Each story has weeks of one wearer in virtual time, and cuts of its own; the last line says with which seed to go on. docs/donation.md has the rest.
            """)

    @Option(help: "Number of cuts.")
    var cuts = 1_000

    /// SIGKILL takes nothing from a file, so a file system in memory does.
    @Option(help: "Folder to work in; made and removed.")
    var folder =
        "\(getenv("TMPDIR").map { String(cString: $0) } ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"))/vigil-dk.\(getpid())"

    @Option(help: "Seed of the first story; each further one has the next.")
    var seed: UInt64 = 1

    @Option(help: "A fault that the board has on purpose: the proof has to fail.")
    var fault: DonationFault?

    func validate() throws {
        guard (0...1_000_000).contains(cuts) else { throw ValidationError("--cuts takes 0 to 1,000,000") }
    }

    func run() throws {
        try KillProof.make(folder)
        defer { KillProof.clear(folder) }
        let start = ContinuousClock.now
        let trial = try KilledDonations(program: "/proc/self/exe", folder: folder, quota: cuts < 100 ? 2 : 3)
        if fault == nil { try control(trial) }
        var sums: [DonationState: KilledDonations.Cuts] = [:]
        var (made, stories, failures, days) = (0, 0, 0, Int64(0))
        var (donations, logs, digests, redeemed) = (0, 0, 0, 0)
        var next = seed
        do {
            var bar = ProgressBar("cuts")
            while made < cuts {
                let verdict = try trial.story(seed: next, fault: fault)
                if let problem = verdict.problem {
                    failures += 1
                    print("seed \(next): \(problem)")
                    // Whoever stops a long proof wants to have seen it.
                    fflush(nil)
                }
                for (state, cuts) in verdict.cuts {
                    sums[state, default: .init()].board += cuts.board
                    sums[state, default: .init()].servers += cuts.servers
                }
                (made, stories, next) = (made + verdict.total, stories + 1, next &+ 1)
                (days, donations, logs) = (days + verdict.days, donations + verdict.donations, logs + verdict.logs)
                (digests, redeemed) = (digests + verdict.digests, redeemed + verdict.redeemed)
                bar.update(UInt64(min(made, cuts)), of: UInt64(cuts))
                if fault != nil, failures > 0 { break }
            }
        }
        report(sums)
        print(
            """
            \(Terminal.grouped(made)) cuts in \(stories) stories, \(Terminal.grouped(Int(days))) virtual days, \(Terminal.grouped(donations)) donations, \(Terminal.grouped(logs)) error logs and \(Terminal.grouped(digests)) digests of surveys taken, \
            \(Terminal.grouped(redeemed)) passwords redeemed, \
            \(Terminal.fixed((ContinuousClock.now - start) / .seconds(1), 0)) s
            """)
        print("\(stories - failures) passed, \(failures) failed; go on with --seed \(next)")
        let rare = DonationState.allCases.filter { sums[$0, default: .init()].total < cuts / 100 }
        if cuts >= 1_000, fault == nil, !rare.isEmpty {
            print("fewer than \(cuts / 100) cuts: \(rare.map(\.rawValue).joined(separator: "; "))")
            throw ExitCode.failure
        }
        if failures > 0 { throw ExitCode.failure }
    }

    /// What must be noticed is made wrong on purpose first.
    private func control(_ trial: KilledDonations) throws {
        for fault in DonationFault.allCases {
            var problem: String?
            // Which days are asked for, and when, the core draws: no seed has a fault for certain, and few stories have none.
            for seed: UInt64 in 1...40 where problem == nil { problem = try trial.story(seed: seed, fault: fault).problem }
            guard let problem, problem.contains(fault.word) else {
                print("\(fault) on purpose is not noticed: \(problem ?? "nothing is wrong")")
                throw ExitCode.failure
            }
            print("on purpose, \(fault): noticed (\(problem))")
            fflush(nil)
        }
    }

    private func report(_ sums: [DonationState: KilledDonations.Cuts]) {
        func row(_ cells: [String]) {
            print(cells.map { $0 + String(repeating: " ", count: max(1, 22 - $0.count)) }.joined())
        }
        row(["state", "cuts", "board", "servers"])
        for state in DonationState.allCases {
            let cuts = sums[state, default: .init()]
            row([state.rawValue, "\(cuts.total)", "\(cuts.board)", "\(cuts.servers)"])
        }
    }
}

extension DonationFault: ExpressibleByArgument {}

/// A process that is killed; not for people.
struct DonationLifeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "donation-life", shouldDisplay: false)

    enum Role: String, ExpressibleByArgument {
        case board, issuer, server
    }

    @Argument var role: Role
    @Argument var folder: String
    @Option var time: Int64 = 0
    @Option var seed: UInt64 = 0
    @Option var fault: DonationFault?

    func run() throws {
        switch role {
        case .board: try BoardLife(folder: folder, at: time, seed: seed, fault: fault).play()
        case .issuer: try IssuerLife(folder: folder).play()
        case .server: try ServerLife(folder: folder).play()
        }
    }
}
