// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Benchmarks
import CommandFiles
import Glibc
import SyncKillTrial
import VirtualAir

/// SIGKILL of the real sync process before and after each of its steps, beside a real core and a real server.
struct SyncKillProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-kills",
        abstract: "Kills `vigil-plugins sync` at every step of fetching 14 days; then asks the core what it has.",
        discussion: """
            `vigil`, `vigil-plugins` and `vigil-zip` are taken from the folder of this program. A step is a call of the system by which \
            the process does something to its files, to the server, to the core or to its supervisor. docs/sync.md has the rest.
            """)

    @Option(help: "Number of kills.")
    var kills = 1_000

    /// What a kill leaves is the same on any file system; in memory it takes half the time.
    @Option(help: "Folder to work in; made and removed.")
    var folder =
        "\(getenv("TMPDIR").map { String(cString: $0) } ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"))/vigil-sk.\(getpid())"

    @Option(help: "Folder with vigil, vigil-plugins and vigil-zip; that of this program if not given.")
    var programs: String?

    @Option(help: "Where among the steps to begin, when there are more than kills.")
    var seed: UInt64 = 1

    @Option(help: "Number of kills of the core beside these, spread over its steps.")
    var coreKills = 200

    @Option(help: "Instead of everything: sync is killed once at the step of this name, to repeat a failure.")
    var step: String?

    @Option(help: "Which one of that name.")
    var occurrence = 1

    @Flag(help: "When that step is done, not before it.")
    var after = false

    @Flag(help: "Prints the steps of lives that are not killed, and ends.")
    var list = false

    func validate() throws {
        guard (0...1_000_000).contains(kills), (0...100_000).contains(coreKills) else {
            throw ValidationError("--kills takes 0 to 1,000,000, --core-kills 0 to 100,000")
        }
    }

    /// A step and what became of those who died there.
    private struct Score {
        var kills = 0
        var sound = 0
    }

    /// Everything so far.
    private struct Sums {
        var scores: [String: Score] = [:]
        var lives = 0
        var kills = 0
        var notReached = 0
        var extraCalls = 0
        var extraRequests = 0
        var failures = 0
    }

    func run() throws {
        let places = KillPlaces(folder: folder, programs: try programs ?? ProgramFolder.path())
        try KillProof.make(folder)
        defer { KillProof.clear(folder) }
        let trial = try KillTrial(places, laboratory: "/proc/self/exe")
        try trial.survey(.sync)
        try trial.survey(.core)
        if list {
            for victim in KillTrial.Victim.allCases {
                for (place, step) in (trial.steps[victim] ?? []).enumerated() { print("\(victim) \(place + 1) \(step)") }
            }
            return
        }
        if let step {
            let verdict = try trial.kill([KillTrial.Death(step: step, occurrence: occurrence, isAfter: after)])
            print("\(verdict)")
            guard verdict.problem == nil else { throw ExitCode.failure }
            return
        }
        try control(trial)
        let wish = try trial.wish()
        print("killed after a wish for a run: \(wish.problem ?? "the next life runs unasked")")
        let start = ContinuousClock.now
        var sums = Sums()
        try killSync(trial, &sums)
        let syncSeconds = (ContinuousClock.now - start) / .seconds(1)
        report("sync", sums, seconds: syncSeconds)
        var coreSums = Sums()
        try killCore(trial, &coreSums)
        report("core", coreSums, seconds: (ContinuousClock.now - start) / .seconds(1) - syncSeconds)
        let trials = sums.lives + coreSums.lives + 1
        let failures = sums.failures + coreSums.failures + (wish.problem == nil ? 0 : 1)
        print("\(Terminal.grouped(trials - failures)) passed, \(failures) failed")
        if failures > 0 { throw ExitCode.failure }
    }

    /// What must be noticed is made wrong on purpose first.
    private func control(_ trial: KillTrial) throws {
        // The package lies in the spool and is noted as attempted; the core does not hear of it.
        let death = KillTrial.Death(step: "send to the core: ProvideDiagnosisKeys", occurrence: 10, isAfter: false)
        for (sabotage, word) in [
            (KillTrial.Sabotage.notedBeforeTaken, "lost"), (.coreForgets, "lost"), (.publishedAgain, "matched twice"),
            (.fileLeft, "left in the spool"),
        ] {
            let verdict = try trial.kill([death], sabotage: sabotage)
            guard let problem = verdict.problem, problem.contains(word) else {
                print("\(sabotage) on purpose is not noticed: \(verdict)")
                throw ExitCode.failure
            }
            print("on purpose, \(sabotage): noticed (\(problem))")
        }
    }

    private func killSync(_ trial: KillTrial, _ sums: inout Sums) throws {
        var random = SplitMix64(seed: seed)
        let steps = trial.steps[.sync] ?? []
        let deaths = Self.order(steps, using: &random)
        var bar = ProgressBar("kills")
        var place = 0
        while sums.kills < kills, !deaths.isEmpty {
            // Once everybody died at every step, lives after them are killed, too.
            var chain = [deaths[place % deaths.count]]
            // Every other time the life after it is killed, too, at one of the steps that are left.
            let first = chain[0]
            let done = (steps.indices.filter { steps[$0] == first.step }.dropFirst(first.occurrence - 1).first ?? 0) + 1
            if place % 2 == 1, let end = steps.indices.dropFirst(done).randomElement(using: &random) {
                let occurrence = steps[done...end].filter { $0 == steps[end] }.count
                chain.append(KillTrial.Death(step: steps[end], occurrence: occurrence, isAfter: .random(using: &random)))
            }
            place += 1
            let verdict = try trial.kill(chain)
            add(verdict, "sync \(chain)", &sums)
            bar.update(UInt64(min(sums.kills, kills)), of: UInt64(kills))
        }
    }

    private func killCore(_ trial: KillTrial, _ sums: inout Sums) throws {
        var random = SplitMix64(seed: seed &+ 1)
        let deaths = Self.order(trial.steps[.core] ?? [], using: &random)
        var bar = ProgressBar("kills of the core")
        for place in 0..<coreKills where !deaths.isEmpty {
            let death = deaths[place % deaths.count]
            add(try trial.killCore(death), "core \(death)", &sums)
            bar.update(UInt64(place), of: UInt64(coreKills))
        }
    }

    private func add(_ verdict: KillTrial.Verdict, _ name: String, _ sums: inout Sums) {
        sums.lives += 1
        if let problem = verdict.problem {
            sums.failures += 1
            print("\(name), \(verdict.steps.joined(separator: ", then ")): \(problem)")
            // Whoever stops a long proof wants to have seen it.
            fflush(nil)
        }
        for step in verdict.steps {
            guard step != "not reached" else {
                sums.notReached += 1
                continue
            }
            // before WHAT, after WHAT: one row.
            let name = step.split(separator: " ").dropFirst().joined(separator: " ")
            sums.kills += 1
            sums.scores[name, default: Score()].kills += 1
            sums.scores[name, default: Score()].sound += verdict.problem == nil ? 1 : 0
        }
        sums.extraCalls += verdict.extraCalls
        sums.extraRequests += verdict.extraRequests
    }

    /// All deaths, so that few of them are of all kinds: what comes first has another name each.
    static func order(_ steps: [String], using random: inout SplitMix64) -> [KillTrial.Death] {
        var seen: [String: Int] = [:]
        let deaths = steps.flatMap { step in
            seen[step, default: 0] += 1
            return [false, true].map { KillTrial.Death(step: step, occurrence: seen[step] ?? 0, isAfter: $0) }
        }
        var ranks: [String: Int] = [:]
        let ranked = deaths.shuffled(using: &random).map { death in
            let name = "\(death.step)\(death.isAfter)"
            ranks[name, default: 0] += 1
            return (rank: ranks[name] ?? 0, death: death)
        }
        return ranked.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.death)
    }

    private func report(_ victim: String, _ sums: Sums, seconds: Double) {
        guard sums.lives > 0 else { return }
        let width = (sums.scores.keys.map(\.count).max() ?? 0) + 2
        func row(_ cells: [String]) {
            print(
                cells.enumerated().map { place, cell in
                    let space = String(repeating: " ", count: max(1, (place == 0 ? width : 8) - cell.count))
                    return place == 0 ? cell + space : space + cell
                }.joined())
        }
        row(["step of \(victim)", "kills", "ok"])
        for (name, score) in sums.scores.sorted(by: { $0.key < $1.key }) {
            row([name, "\(score.kills)", "\(score.sound)"])
        }
        print(
            """
            \(Terminal.grouped(sums.kills)) kills of \(victim) in \(Terminal.grouped(sums.lives)) trials, \(sums.scores.count) kinds of steps, \
            \(Terminal.fixed(seconds, 0)) s; \(sums.notReached) were not reached
            provided again: \(sums.extraCalls) calls; asked for again: \(sums.extraRequests) paths
            """)
    }
}

/// A process on its way to one of its steps; not for people.
struct TracedLifeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "traced-life", shouldDisplay: false)

    @Argument var folder: String
    @Option var victim: String
    @Option var step: String?
    @Option var occurrence = 1
    @Flag var after = false
    @Argument(parsing: .postTerminator) var command: [String] = []

    func run() throws {
        guard let victim = KillTrial.Victim(rawValue: victim), let program = command.first else {
            throw InputError(file: victim, "is nobody")
        }
        let places = KillPlaces(folder: folder, programs: "")
        let life = TracedLife(
            step: step, occurrence: occurrence, isAfter: after, places: KillTrial.watched(victim, in: places))
        var lines: [String] = []
        let ending = try life.play(program, Array(command.dropFirst())) { if step == nil { lines.append("did \($0)") } }
        try Files.write(Array((lines + ending).map { $0 + "\n" }.joined().utf8), to: places.testimony)
    }
}
