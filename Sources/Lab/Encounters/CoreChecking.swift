// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
public import GAEN
public import Interfaces
import KeyIntake
import Ledger
public import Matching
public import Simulation
import TimeTrust
public import Trust
import VirtualAir

/// Checks keys with the board's own core: ``ExposureService`` on the board's disk, with its limits and consents. Use it on
/// one thread at a time.
///
/// Only the parts of `vigil-zip` and the sockets are left out: a file is verified and decoded in this process, from the
/// same bytes.
public final class CoreChecking: ExposureChecking {
    /// The wearer's application: it gets windows, so it may provide six times a day.
    private static var application: Caller { Caller(name: "application", reading: .windows, spool: nil, presence: "page") }
    /// Whoever is at the board's own page.
    private static var page: Caller { Caller(name: "page", reading: .nothing, spool: nil, presence: "page") }

    private let trust: TrustStore
    /// What boards have forgotten since, as the law of their design wants it; the laboratory's tables need it all the same.
    private var seen: [ObjectIdentifier: [Block: Match]] = [:]

    /// Creates a checker that knows no board yet.
    ///
    /// - Parameter trust: The keys that may sign key files; the boards' own store.
    public init(trust: TrustStore) { self.trust = trust }

    /// Provides the files as the wearer's application, within its limits. Throws the core's refusal, what the
    /// reading of a file throws, and `unreadableBoard` when a day of sightings cannot be read. Then none of the
    /// files counts, but the call counts for the limit.
    public func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) throws {
        _ = try board.ask { service, now in
            let time = try service.requireReadiness(at: now)
            try service.recordAttempt(by: Self.application, time: time)
            let loaded = Self.load(service, UnixTime(seconds: time))
            guard loaded.unreadableDays.isEmpty else { throw EncountersError(.unreadableBoard, "a day of sightings") }
            let result = try InProcessIntake(
                index: loaded.index, time: time, trust: trust, isExcluded: try service.exclusion(at: now),
                ledger: service.ledger
            ).take(files)
            return try service.commit(result, by: Self.application, at: now)
        }
        _ = try matches(of: board)
    }

    private static func load(_ service: ExposureService, _ time: UnixTime) -> SightingLoading {
        var loader = service.loader(now: time)
        while loader.loadNextDay() {}
        return loader.finish()
    }

    /// Returns the matches of a board: the present ones, and those that an earlier call of this checker saw and
    /// that the board has deleted since because they were too old. Throws ``SimulatedBoard/NoAnswer`` while the
    /// core does not run or has no ledger, and what the ledger throws.
    public func matches(of board: SimulatedBoard) throws -> [Match] {
        let present = try board.ask { service, _ in try service.ledger.matches() }
        let name = ObjectIdentifier(board)
        var missing = seen[name, default: [:]]
        for match in present {
            seen[name, default: [:]][match.key.data] = match
            missing[match.key.data] = nil
        }
        let oldest = board.clock(at: board.air.now).day - Int64(MatchingRules.keyRetentionDays)
        return present
            + missing.values.filter { Int64($0.key.end.day) <= oldest }.sorted {
                ($0.key.rollingStart.number, $0.key.data.bytes.description)
                    < ($1.key.rollingStart.number, $1.key.data.bytes.description)
            }
    }

    /// Returns the exposure windows that the core gives to the wearer's application. Throws the core's refusal.
    public func windows(of board: SimulatedBoard) throws -> [Exposure1.ExposureWindow] {
        try board.ask { service, now in try service.windows(at: now) }
    }

    /// Sets the mapping as the wearer's application. Throws the core's refusal, for instance of a second change within
    /// seven days, and `refusedFile` for a mapping that breaks a rule.
    public func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) throws {
        let isTaken = try board.ask { service, now in
            try service.setMapping(Exposure1.DiagnosisKeysDataMapping(mapping), by: Self.application, at: now)
        }
        if !isTaken { throw EncountersError(.refusedFile, "the mapping breaks a rule") }
    }

    /// The wearer agrees, and the keys are taken with that consent. Also whether a second attempt with it was refused.
    static func releaseKeys(of board: SimulatedBoard) throws -> (keys: [TemporaryExposureKey], isSpent: Bool) {
        let consent = try board.ask { service, now in try service.giveConsent(.releaseKeys, by: page, at: now) }
        let keys = try board.ask { service, now in try service.takeKeys(ticket: consent.ticket, by: application, at: now) }
        board.witness?.keysReleased(board.node, keys, at: board.air.now)
        do {
            _ = try board.ask { service, now in try service.takeKeys(ticket: consent.ticket, by: application, at: now) }
            return (keys, false)
        } catch let refusal as Refusal {
            return (keys, refusal.name == "ConsentRefused")
        }
    }
}
