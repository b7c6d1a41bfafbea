// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Benchmarks
import CommandFiles
import Glibc
import SyncKillTrial
import VenueKillTrial
import VirtualAir

/// Power cuts while a wearer checks in, is warned, and warns: the real plugin, killed at its steps, on a disk that forgets.
struct VenueKillProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "venue-kills",
        abstract: "Cuts the power while `vigil-plugins venue` works; then asks what of visits and warnings is there.",
        discussion: """
            `vigil-plugins` and `vigil-zip` are taken from the folder of this program. The story of each seed has cuts of its own, and those of odd ones have hidden visits; the last line \
            says with which seed to go on. docs/check-in-rules.md has the rest.
            """)

    @Option(help: "Number of cuts.")
    var kills = 1_000

    /// In memory it takes half the time, and what is on a disk after a cut is decided here.
    @Option(help: "Folder to work in; made and removed.")
    var folder =
        "\(getenv("TMPDIR").map { String(cString: $0) } ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"))/vigil-vk.\(getpid())"

    @Option(help: "Folder with vigil-plugins and vigil-zip; that of this program if not given.")
    var programs: String?

    @Option(help: "Seed of the first story; each further one has the next.")
    var seed: UInt64 = 1

    @Flag(help: "Plays the story of that seed alone, to repeat a failure.")
    var only = false

    @Flag(help: "Prints the steps of a story that is not disturbed, and ends.")
    var list = false

    func validate() throws {
        guard (0...1_000_000).contains(kills) else { throw ValidationError("--kills takes 0 to 1,000,000") }
    }

    /// In which order the steps of an act are tried.
    private struct Order {
        let all: [KillTrial.Death]
        let stores: [KillTrial.Death]
    }

    /// Everything so far.
    private struct Sums {
        var scores: [String: (kills: Int, sound: Int)] = [:]
        var stories = 0
        var cuts = 0
        var missed = 0
        var failures = 0
    }

    func run() throws {
        try KillProof.make(folder)
        defer { KillProof.clear(folder) }
        let places = KillPlaces(folder: folder, programs: try programs ?? ProgramFolder.path())
        let trial = try VenueTrial(places, laboratory: "/proc/self/exe")
        let start = ContinuousClock.now
        let surveys = [false: try trial.survey(hides: false), true: try trial.survey(hides: true)]
        if list {
            for hides in [false, true] {
                for (number, act) in (surveys[hides] ?? []).enumerated() {
                    print("act \(number + 1)\(hides ? " of hidden visits" : ""), \(act.calls) calls")
                    for step in act.steps { print("  \(step)") }
                }
            }
            return
        }
        // The order in which steps are tried is the same whatever the first seed is.
        var random = SplitMix64(seed: 1)
        func order(_ acts: [VenueTrial.Survey]) -> [Order] {
            acts.map { act in
                Order(
                    all: SyncKillProof.order(act.steps, using: &random),
                    stores: SyncKillProof.order(act.steps, using: &random).filter {
                        $0.step.hasPrefix("write state/") || $0.step.hasPrefix("sync state/")
                    })
            }
        }
        let plans = try [false, true].map { hides in
            guard let acts = surveys[hides] else { throw ExitCode.failure }
            return (acts: acts, orders: order(acts))
        }
        // Every other story has hidden visits.
        func story(_ seed: UInt64) throws -> VenueTrial.Verdict {
            let hides = !seed.isMultiple(of: 2)
            let plan = plans[hides ? 1 : 0]
            return try trial.play(seed: seed, hides: hides, deaths: Self.deaths(seed / 2, plan.acts, plan.orders))
        }
        if only {
            let verdict = try story(seed)
            print("\(verdict)")
            guard verdict.problem == nil else { throw ExitCode.failure }
            return
        }
        try control(trial)
        var sums = Sums()
        var bar = ProgressBar("cuts")
        var next = seed
        while sums.cuts < kills {
            add(try story(next), seed: next, &sums)
            next &+= 1
            bar.update(UInt64(min(sums.cuts, kills)), of: UInt64(kills))
        }
        report(sums, seconds: (ContinuousClock.now - start) / .seconds(1))
        print(
            "\(Terminal.grouped(sums.stories - sums.failures)) passed, \(sums.failures) failed; go on with --seed \(next)")
        if sums.failures > 0 { throw ExitCode.failure }
    }

    /// What must be noticed is made wrong on purpose first.
    private func control(_ trial: VenueTrial) throws {
        for sabotage in VenueTrial.Sabotage.allCases {
            // A visit was confirmed, or is there and was not.
            let death = KillTrial.Death(step: "send to a caller", occurrence: 2, isAfter: sabotage == .diskForgets)
            let verdict = try trial.play(
                seed: 1, hides: sabotage == .attemptForgotten,
                deaths: [.diskForgets, .attemptForgotten].contains(sabotage) ? [[death]] : [], sabotage: sabotage)
            guard let problem = verdict.problem, problem.contains(sabotage.word) else {
                print("\(sabotage) on purpose is not noticed: \(verdict)")
                throw ExitCode.failure
            }
            print("on purpose, \(sabotage): noticed (\(problem))")
        }
    }

    /// In each act one of its steps, so that all kinds of them have their turn, one of those that write the store, so that every two writes are
    /// parted, and every other time a call of any kind, in lives one after the other.
    private static func deaths(_ seed: UInt64, _ acts: [VenueTrial.Survey], _ orders: [Order]) -> [[KillTrial.Death]] {
        var random = SplitMix64(seed: seed)
        return zip(acts, orders).map { act, order in
            var chain = [order.all, order.stores].filter { !$0.isEmpty }.map { $0[Int(seed % UInt64($0.count))] }
            if Bool.random(using: &random) {
                chain.append(
                    KillTrial.Death(
                        step: TracedLife.anyCall, occurrence: Int.random(in: 1...max(1, act.calls), using: &random),
                        isAfter: .random(using: &random)))
            }
            return chain.shuffled(using: &random)
        }
    }

    private func add(_ verdict: VenueTrial.Verdict, seed: UInt64, _ sums: inout Sums) {
        sums.stories += 1
        sums.cuts += verdict.cuts.count
        sums.missed += verdict.missed
        if let problem = verdict.problem {
            sums.failures += 1
            print("seed \(seed), \(verdict.cuts.joined(separator: ", then ")): \(problem)")
            // Whoever stops a long proof wants to have seen it.
            fflush(nil)
        }
        for cut in verdict.cuts {
            // before WHAT, after WHAT: one row.
            let words = cut.split(separator: " ")
            let name = "\(words[0]) \(words.dropFirst(2).joined(separator: " "))"
            sums.scores[name, default: (0, 0)].kills += 1
            sums.scores[name, default: (0, 0)].sound += verdict.problem == nil ? 1 : 0
        }
    }

    private func report(_ sums: Sums, seconds: Double) {
        let width = (sums.scores.keys.map(\.count).max() ?? 0) + 2
        for (name, score) in sums.scores.sorted(by: { $0.key < $1.key }) {
            let title = name + String(repeating: " ", count: max(1, width - name.count))
            print("\(title)\(score.kills) cuts, \(score.sound) in sound stories")
        }
        print(
            """
            \(Terminal.grouped(sums.cuts)) cuts in \(Terminal.grouped(sums.stories)) stories, \(sums.scores.count) kinds of steps, \
            \(Terminal.fixed(seconds, 0)) s; \(sums.missed) were not reached
            """)
    }
}

/// A plugin on its way to one of its steps; not for people.
struct TracedVisitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "traced-visits", shouldDisplay: false)

    @Argument var folder: String
    @Option var seed: UInt64
    @Option var step: String?
    @Option var occurrence = 1
    @Flag var after = false
    @Flag var deaf = false
    @Flag var list = false
    @Argument(parsing: .postTerminator) var command: [String] = []

    func run() throws {
        guard let program = command.first else { throw InputError(file: folder, "nothing is to be started") }
        let places = KillPlaces(folder: folder, programs: "")
        var life = TracedVisits(places)
        life.death = step.map { KillTrial.Death(step: $0, occurrence: occurrence, isAfter: after) }
        (life.seed, life.isDeaf, life.isListed) = (seed, deaf, list)
        let lines = try life.play(program, Array(command.dropFirst()))
        try Files.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: places.testimony)
    }
}
