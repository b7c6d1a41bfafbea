// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import FleetRegistry
import Glibc
package import SecurityToken
import SystemCalls
import VirtualAir

/// A whole fleet enrols by one command while its boards and its registry are killed at any of their writes, and renews a year later; a judge looks at
/// every disk (docs/enrolment.md). The boards are their own code on real files, the registry is the real one with SQLite in a file, and they talk HTTP
/// over a socket. Used by one thread.
package struct FleetTrial {
    /// What a trial is.
    package struct Scale: Sendable {
        /// The number of boards, 1 or more.
        package var boards: Int
        /// Decides claims, the order of boards, and the kills.
        package var seed: UInt64
        /// Before or after how many writes, syncs, renames and sends a process of boards is killed, on average; 0 for never.
        package var boardEvery: Int
        /// The same of the registry.
        package var registryEvery: Int

        /// The token with the authority's key, and the file with its PIN; `nil` for a key in a file.
        package var token: (place: TokenKey.Place, pinFile: String)?

        /// Describes a trial.
        package init(boards: Int, seed: UInt64, boardEvery: Int = 60, registryEvery: Int = 60) {
            (self.boards, self.seed, self.boardEvery, self.registryEvery) = (boards, seed, boardEvery, registryEvery)
        }
    }

    /// What came of it.
    package struct Verdict: Sendable {
        /// What is wrong, in English; `nil` if nothing is.
        package var problem: String?
        /// The kills by process and place.
        package var kills: [String: Int] = [:]
        /// How the renewals were spread; `nil` if it did not come to them.
        package var wave: RenewalWave?
        /// All kills.
        package var total: Int { kills.values.reduce(0, +) }
    }

    private let program: String
    private let folder: String
    /// The most that the busiest part of a wave may have, as a multiple of the mean.
    package static let mostOfMean = 1.3
    /// When the first board enrols, in Unix seconds.
    private static let begin: Int64 = 1_795_000_000

    /// Describes a trial in `folder`, which must exist. `program` is the path of `vigil-lab`, which plays the processes.
    package init(program: String, folder: String) { (self.program, self.folder) = (program, folder) }

    /// Plays all of it in an empty part of the folder. Blocks for minutes. `report` is told what is going on and how far it is, 0 to 1. Throws
    /// ``FleetTrialFailure`` if something fails that is not tested, or what files and cryptography refuse.
    package func play(
        _ scale: Scale, fault: FleetFault? = nil, report: (String, Double) -> Void = { _, _ in }
    ) throws -> Verdict {
        for part in [folder, "\(folder)/boards"] where mkdir(part, 0o700) != 0 && errno != EEXIST {
            throw FleetTrialFailure("\(part): \(String(cString: strerror(errno)))")
        }
        let registry = try RegistryFolder.make(
            TrialFleet.registry(folder), title: "Fleet", settings: RegistrySettings(), now: Self.begin,
            token: scale.token.map { try TokenKey($0.place, pin: PINFile.read($0.pinFile), makes: true) })
        let fleet = try TrialFleet(folder: folder, count: scale.boards, seed: scale.seed)
        try fleet.makeCards()
        var random = SplitMix64(seed: scale.seed)
        _ = try RegistryStore(path: registry.database).take(fleet.claimList(), held: false, using: &random)
        let page = try SharedPage("\(folder)/page")
        let words = ["\(folder)"] + (fault.map { ["--fault", $0.rawValue] } ?? [])
        let processes = FollowedProcesses(
            program, page: page, every: [.boards: scale.boardEvery, .registry: scale.registryEvery], seed: scale.seed
        ) { role in
            switch role {
            case .boards: ["fleet-boards"] + words + ["--boards", "\(scale.boards)", "--seed", "\(scale.seed)"]
            case .registry: ["fleet-registry"] + words + (scale.token.map { ["--pin-file", $0.pinFile] } ?? [])
            }
        }
        func turns(_ name: String, _ plan: [TurnPlan.Turn]) throws {
            try TurnPlan.write(plan, "\(folder)/plan")
            page.progress = 0
            try processes.run { report(name, Double(page.progress) / Double(max(1, plan.count))) }
        }
        var verdict = Verdict()
        let judge = FleetJudge(fleet: fleet, registry: registry)
        try turns(
            "enrolment",
            (0..<scale.boards).shuffled(using: &random).enumerated().map { ($0.element, Self.begin + Int64($0.offset)) })
        verdict.kills = processes.kills
        verdict.problem = try judge.problem(generation: 1).map(withTroubles)
        guard verdict.problem == nil else { return verdict }
        // Each board says itself when it will ask again.
        var dues: [TurnPlan.Turn] = try (0..<scale.boards).map { number in
            let outcome = try fleet.board(number).run(now: Self.begin + Int64(scale.boards), carrier: NoWeb())
            guard case .enrolled(let until) = outcome else { throw FleetTrialFailure("an enrolled board does not rest") }
            return (number, until)
        }
        let window = try window(fleet)
        if fault == .sameMoment { dues = dues.map { ($0.number, window.upperBound) } }
        try turns("renewal", dues.sorted { ($0.now, $0.number) < ($1.now, $1.number) })
        verdict.kills = processes.kills
        verdict.problem = try judge.problem(generation: 2).map(withTroubles)
        guard verdict.problem == nil else { return verdict }
        let wave = RenewalWave(try judge.renewals(), window: window)
        verdict.wave = wave
        if wave.strays > 0 { verdict.problem = "\(wave.strays) renewals outside their window" }
        if wave.parts.count > 1, wave.ratio > Self.mostOfMean {
            verdict.problem = "the busiest part of \(wave.parts.count) has \(wave.ratio) × the mean"
        }
        return verdict
    }

    /// From the first moment at which a board may renew to the last at which one does.
    private func window(_ fleet: TrialFleet) throws -> ClosedRange<Int64> {
        var (first, last) = (Int64.max, Int64.min)
        for number in 0..<fleet.count {
            guard let validity = try fleet.board(number).certificate()?.validity else { continue }
            let earliest = RenewalRule.earliest(validity)
            first = min(first, earliest)
            last = max(last, earliest + (validity.notAfter - validity.notBefore) / 10)
        }
        guard first <= last else { throw FleetTrialFailure("nobody is enrolled") }
        return first...last
    }

    private func withTroubles(_ problem: String) -> String {
        let said = (try? WholeFile.read("\(folder)/troubles", limit: 1 << 20)) ?? []
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
        return lines.isEmpty ? problem : "\(problem); boards said: \(lines.prefix(3).joined(separator: ", "))"
    }
}
