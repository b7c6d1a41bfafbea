// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Core
import Cryptography
import ExposureKillTrial
import Glibc
import Ledger
import Simulation

/// SIGKILL at every step of what the core does with consents, files of keys, own keys and itself.
struct ExposureServiceProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exposure-service",
        abstract: "Kills a core at every step of intake, consent, release, reset and migration; then asks what is left.")

    @Option(help: "Number of kills, spread over all steps.")
    var kills = 5_200

    @Option(help: "Folder to work in; made and removed.")
    var folder = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/vigil-box.\(getpid())"

    @Option(help: "Store of release 0.2.0; without it migration is left out.")
    var store = "Tests/Vectors/store-0.2.0"

    @Option(help: "One act only.")
    var act: String?

    @Option(help: "Seed of the first round.")
    var seed: UInt64 = 1

    @Option(help: "With --act and --seed: this step only, to repeat a failure.")
    var number: Int?

    /// A step of an act and what became of it.
    private struct Target {
        let act: ServiceAct
        let variant: Int
        let number: Int
        let isAfter: Bool
    }

    private struct Score {
        var kills = 0
        var sound = 0
        var steps: Set<String> = []
    }

    func run() throws {
        let signer = try P256.SigningKey.generate()
        try KillProof.make(folder)
        defer { KillProof.clear(folder) }
        try Files.write(signer.verificationKey.subjectPublicKeyInfo, to: "\(folder)/signer")
        var acts = ServiceAct.allCases.filter { act == nil || $0.rawValue == act }
        if access(store, R_OK) != 0 {
            print("\(store) is absent: migration is left out")
            acts.removeAll { $0 == .migration }
        }
        let start = ContinuousClock.now
        var scores: [ServiceAct: Score] = [:]
        var kills = 0
        var failures = 0
        var round = seed
        var bar = ProgressBar("kills")
        while kills < self.kills {
            for act in acts {
                for variant in 0..<act.variants where kills < self.kills {
                    let trial = try Trial(self, act, variant, seed: round, signer)
                    // A round does every step once when there is time for it, and otherwise every so many, other ones each time.
                    let rounds = max(1, trial.steps * 2 * 14 / self.kills)
                    for step in 0..<(2 * trial.steps) {
                        guard number.map({ $0 == step }) ?? (step % rounds == Int(round) % rounds), kills < self.kills
                        else { continue }
                        let (name, problem) = try trial.kill(step)
                        // Steps between operations have no before and after.
                        if let problem {
                            failures += 1
                            print("\(act) variant \(variant) seed \(round) number \(step), \(name): \(problem)")
                        }
                        kills += 1
                        scores[act, default: Score()].kills += 1
                        scores[act, default: Score()].sound += problem == nil ? 1 : 0
                        scores[act, default: Score()].steps.insert(name)
                        bar.update(UInt64(kills), of: UInt64(self.kills))
                    }
                }
            }
            round += 1
            if number != nil { break }
        }
        report(scores)
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(Terminal.grouped(kills)) kills in \(Terminal.fixed(elapsed, 0)) s; \(Terminal.grouped(kills - failures)) passed, \(failures) failed"
        )
        if failures > 0 { throw ExitCode.failure }
        guard act == nil, self.kills >= 5_000 else { return }
        let seen = scores.values.reduce(into: Set<String>()) { $0.formUnion($1.steps) }
        let missed = (ExposureService.steps + Ledger.steps).filter { !seen.contains($0) }
        guard missed.isEmpty else {
            print("nobody died at \(missed.joined(separator: ", "))")
            throw ExitCode.failure
        }
    }

    private func report(_ scores: [ServiceAct: Score]) {
        func row(_ cells: [String]) {
            print(cells.map { $0 + String(repeating: " ", count: max(1, 12 - $0.count)) }.joined())
        }
        row(["act", "kills", "ok", "steps"])
        for act in ServiceAct.allCases {
            guard let score = scores[act] else { continue }
            row([act.rawValue, "\(score.kills)", "\(score.sound)", "\(score.steps.count)"])
        }
    }

    /// One act from one beginning.
    private struct Trial {
        let proof: ExposureServiceProof
        let act: ServiceAct
        let variant: Int
        let seed: UInt64
        let stage: ServiceStage
        let aftermath: ServiceAftermath
        private(set) var steps = 0

        private var living: String { "\(proof.folder)/living" }

        init(
            _ proof: ExposureServiceProof, _ act: ServiceAct, _ variant: Int, seed: UInt64, _ signer: P256.SigningKey
        ) throws {
            self.proof = proof
            self.act = act
            self.variant = variant
            self.seed = seed
            for part in ["before", "living"] {
                for below in ["data", "keys", "spool"] { KillProof.clear("\(proof.folder)/\(part)/\(below)") }
                try KillProof.make("\(proof.folder)/\(part)")
            }
            stage = try ServiceStage(
                act, variant: variant, seed: seed, folder: "\(proof.folder)/before", publicKey: signer.verificationKey)
            try stage.make(signer: signer, store: proof.store)
            aftermath = try ServiceAftermath(stage, scratch: "\(proof.folder)/living")
            guard let steps = try live(nil).steps else {
                throw InputError(file: "service-life", "does not reach the end of \(act)")
            }
            self.steps = steps
        }

        private func live(_ step: Int?) throws -> ServiceTestimony {
            try ServiceLifeCommand.refresh(stage, living)
            var arguments = [
                "service-life", proof.folder, "--act", act.rawValue, "--variant", "\(variant)", "--seed", "\(seed)",
            ]
            if let step { arguments += ["--number", "\(step / 2 + 1)"] + (step % 2 == 1 ? ["--after"] : []) }
            return ServiceTestimony(lines: try OwnProcess.output(of: arguments))
        }

        /// Kills before (even) or after (odd) a step; gives the step's name and what is wrong.
        func kill(_ step: Int) throws -> (name: String, problem: String?) {
            let testimony = try live(step)
            guard testimony.steps == nil, !testimony.step.isEmpty else { return ("step \(step / 2)", "nobody died") }
            do {
                return (testimony.step, try aftermath.problem(after: testimony, in: living))
            } catch {
                return (testimony.step, "\(error)")
            }
        }
    }
}

/// The core that is killed; not for people.
struct ServiceLifeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "service-life", shouldDisplay: false)

    @Argument var folder: String
    @Option var act: String
    @Option var variant: Int
    @Option var seed: UInt64
    @Option var number: Int?
    @Flag var after = false

    func run() throws {
        guard let act = ServiceAct(rawValue: act) else { throw InputError(file: act, "is no act") }
        let key = try P256.VerificationKey(pemOrDER: Files.read("\(folder)/signer", limit: 4_096))
        let stage = try ServiceStage(act, variant: variant, seed: seed, folder: "\(folder)/living", publicKey: key)
        try ServiceLife(stage, fatal: KillSwitch(number: number, isAfter: after)).play()
    }

    static func refresh(_ stage: ServiceStage, _ folder: String) throws { try stage.copy(to: folder) }
}
