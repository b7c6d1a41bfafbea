// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import KeyExport
public import SyncPlan

/// A trial with a server that is honest for some days, and then answers with files that its authority did sign but that
/// were not asked for; in virtual time, with the core's own judgement of how fresh its keys are.
public struct ReplayTrial: Sendable {
    /// The answer that the server gives instead of the right one.
    public enum Replay: Sendable, CaseIterable, Hashable {
        /// The server stays honest: nothing is replayed.
        case nothing
        /// One file from thirteen days ago, for every request of a package; lists of packages stay honest, here and
        /// below.
        case oneOldFile
        /// One file from thirteen days ago, but in one hour of every 47 the right file with another region under
        /// its signature.
        case otherRegion
        /// For each hour the file of a neighbouring hour.
        case swappedHours
        /// For each day the file of one of its hours.
        case hourForDay
    }

    /// The result of one trial: when the board noticed the replay, and what it believed.
    public struct Outcome: Sendable {
        /// The whole hours from the first wrong file until the core's verdict was that its keys are outdated, 0 or more;
        /// `nil` if it never was.
        public internal(set) var hoursUntilOutdated: Int64?
        /// The plugin's last facts about the first source; the facts of a source that was never asked if the plugin cannot
        /// be created.
        public internal(set) var facts = SourceFacts()
        /// The core's last verdict on how fresh the keys are.
        public internal(set) var verdict = KeyFreshness.Verdict.never
        /// The number of files that the core was given and had matched before, 0 or more.
        public internal(set) var repeatedCount = 0
        /// The number of times, at most half an hour apart, at which the core was found to know all keys up to at most
        /// three hours before; those of the honest days are included. 0 or more.
        public internal(set) var freshLooks = 0
        /// Whether the plugin ever said that keys were known which the core had not got.
        public internal(set) var didBoast = false
    }

    private static let start: Int64 = 1_598_918_400 + 12_345
    private let source = SourceSettings(name: "trial", kind: .cwa, base: "https://localhost")

    /// Creates a trial, whose parameters are those of ``run(_:honestDays:days:losesState:isMirrored:seed:)``.
    public init() {}

    /// Runs a board against such a server in virtual time, and returns the outcome; blocks, and cannot fail. The same
    /// parameters give the same outcome.
    ///
    /// - Parameters:
    ///   - how: The answer that the server gives instead of the right files.
    ///   - honestDays: The days before the replay begins, 0 or more; with 0 the board has never seen an honest server.
    ///   - days: The days of the replay, 0 or more.
    ///   - losesState: Whether the plugin's journal is lost when the replay begins.
    ///   - isMirrored: Whether a second source has the same files.
    ///   - seed: The seed of everything random.
    public func run(
        _ how: Replay, honestDays: Int64 = 3, days: Int64 = 6, losesState: Bool = false, isMirrored: Bool = false,
        seed: UInt64 = 1
    ) -> Outcome {
        let from = Self.start + honestDays * UTCDay.seconds
        var server = TrialServer(kind: .cwa, seed: seed, badShare: 0, goodFrom: 0)
        server.replay = (from, how)
        let world = TrialWorld(seed: seed, server: server, faults: TrialWorld.Faults(), start: Self.start)
        var mirror = source
        mirror.name = "mirror"
        let sources = isMirrored ? [source, mirror] : [source]
        var outcome = Outcome()
        var state = SyncState()
        var hasLost = !losesState
        while world.time < from + days * UTCDay.seconds {
            if world.time >= from, !hasLost {
                hasLost = true
                world.loseState()
                state = SyncState()
            }
            // A process for each run, as on a board.
            guard var engine = try? SyncEngine(sources: sources, state: state, ports: world) else { return outcome }
            if (engine.secondsUntilRun() ?? 1) == 0 { try? engine.runDue() }
            state = engine.state
            note(world, state, from, &outcome)
            world.time += max(1, min(engine.secondsUntilRun() ?? 1_800, 1_800))
        }
        outcome.facts = state.sources["trial"]?.facts ?? SourceFacts()
        outcome.verdict = world.core.freshness.verdict(at: world.time)
        outcome.repeatedCount = world.core.repeatedCount
        return outcome
    }

    private func note(_ world: TrialWorld, _ state: SyncState, _ from: Int64, _ outcome: inout Outcome) {
        let verdict = world.core.freshness.verdict(at: world.time)
        if case .behind = verdict, world.time >= from, outcome.hoursUntilOutdated == nil {
            outcome.hoursUntilOutdated = (world.time - from) / 3_600
        }
        if case .current(let until) = verdict, world.time - until <= 3 * 3_600 { outcome.freshLooks += 1 }
        // What is said to be known must be here, key by key.
        guard let end = state.sources["trial"]?.facts.newestEnd else { return }
        let hours = stride(from: Self.start / 3_600 - 24, to: end / 3_600, by: 1)
        if hours.contains(where: { hour in world.server.keys(hour: hour).contains { world.core.keys[$0] == nil } }) {
            outcome.didBoast = true
        }
    }
}
