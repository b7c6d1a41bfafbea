// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
public import GAEN
import KeyExport
public import Matching
import Radio
public import Simulation
import TimeTrust
public import Trust
import Vault
import VirtualAir

/// Verifies, decodes and matches in process, on what the board's own vault has.
public final class DirectChecking: ExposureChecking {
    /// As a transport hands files over.
    private static let chunkByteCount = 65_536

    private let trust: TrustStore
    private var sets: [ObjectIdentifier: MatchSet] = [:]
    private var generator: SplitMix64

    public init(trust: TrustStore, seed: UInt64) {
        self.trust = trust
        generator = SplitMix64(seed: seed)
    }

    public func provide(_ file: SimulatedAuthority.File, to board: SimulatedBoard) throws {
        let now = board.clock(at: board.air.now).seconds
        guard let interval = ENIN(unixSeconds: now) else {
            throw EncountersError(.unreadableBoard, "its clock shows no time")
        }
        let vault = try board.vault ?? board.openVault()
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

    public func matches(of board: SimulatedBoard) -> [Match] { sets[ObjectIdentifier(board)]?.matches ?? [] }

    public func windows(of board: SimulatedBoard, under mapping: DiagnosisKeyMapping) -> [ExposureWindow] {
        ExposureWindow.released(from: matches(of: board), mapping: mapping, using: &generator)
    }
}
