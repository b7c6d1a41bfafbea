// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
public import GAEN
public import Interfaces
import KeyExport
public import Matching
import Radio
public import Simulation
import TimeTrust
public import Trust
import Vault
import VirtualAir

/// Checks keys without the core: verifies and decodes files, matches them with the board's vault, and keeps the matches
/// itself. It shares nothing with the core's service and ledger, whose answers are compared with this one's. Use it on one
/// thread at a time.
public final class DirectChecking: ExposureChecking {
    /// As a transport hands files over.
    private static let chunkByteCount = 65_536

    private let trust: TrustStore
    private var sets: [ObjectIdentifier: MatchSet] = [:]
    private var mappings: [ObjectIdentifier: DiagnosisKeyMapping] = [:]

    /// Creates a checker that has matched nothing yet. Cannot fail.
    ///
    /// - Parameter trust: The keys that may sign key files.
    public init(trust: TrustStore) { self.trust = trust }

    /// Matches one file after the other. Throws when a file is refused or a store cannot be read; the files before it stay
    /// matched.
    public func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) throws {
        for file in files { try provide(file, to: board) }
    }

    private func provide(_ file: SimulatedAuthority.File, to board: SimulatedBoard) throws {
        let now = board.clock(at: board.air.now).seconds
        guard let interval = ENIN(unixSeconds: now) else {
            throw EncountersError(.unreadableBoard, "its clock shows no time")
        }
        guard let vault = board.vault else { throw SimulatedBoard.NoAnswer() }
        let correction = Int(board.setup.profile.calibration.rssiCorrection)
        let loading = SightingLoading(vault, now: UInt32(clamping: now)) { _ in correction }
        guard loading.unreadableDays.isEmpty else { throw EncountersError(.unreadableBoard, "a day of sightings") }
        let own = vault.schedule.ownKeys(at: interval).compactMap { key in
            key.secret.withBytes { Block(Array($0)) }
        }
        let matcher = Matcher(index: loading.index, now: interval, excluded: Set(own))
        try stream(file, into: matcher, time: now)
        sets[ObjectIdentifier(board), default: MatchSet()].merge(matcher.finish())
    }

    /// Nothing of the matcher counts when this throws.
    private func stream(_ file: SimulatedAuthority.File, into matcher: Matcher, time: Int64) throws {
        var verifier = ExportVerifier(
            signatures: try ExportSignatureList.read(file.exportSig), trust: trust, policy: .namedKeys, time: time)
        var decoder = ExportDecoder()
        let take = { (batch: UnsafeBufferPointer<ExportedKey>) in
            for isRevised in [false, true] {
                let keys = batch.filter { $0.isRevised == isRevised }.compactMap(\.diagnosisKey)
                keys.withUnsafeBufferPointer { matcher.add($0, areRevised: isRevised) }
            }
        }
        for start in stride(from: 0, to: file.exportBin.count, by: Self.chunkByteCount) {
            let chunk = Array(file.exportBin[start..<min(start + Self.chunkByteCount, file.exportBin.count)])
            try chunk.withUnsafeBytes { bytes in
                verifier.update(bytes)
                try decoder.decode(bytes, take)
            }
        }
        _ = try verifier.finish(try decoder.finish(take))
    }

    /// Returns every match so far; those of keys that are too old are kept.
    public func matches(of board: SimulatedBoard) -> [Match] { sets[ObjectIdentifier(board)]?.matches ?? [] }

    /// Returns the exposure windows of the present day and the 14 days before, by the board's mapping; may be empty.
    public func windows(of board: SimulatedBoard) -> [Exposure1.ExposureWindow] {
        let oldest = board.clock(at: board.air.now).day - Int64(MatchingRules.keyRetentionDays)
        return matches(of: board).flatMap { $0.exposureWindows(under: mapping(of: board)) }
            .filter { Int64($0.day) >= oldest }.map(\.asAnswer)
    }

    /// What holds for a board.
    func mapping(of board: SimulatedBoard) -> DiagnosisKeyMapping { mappings[ObjectIdentifier(board)] ?? .standard }

    /// Sets the mapping for a board, without the limits that a core has. Cannot fail.
    public func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) {
        mappings[ObjectIdentifier(board)] = mapping
    }
}
