// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyArchive
import KeyExport
import Matching
import Trust
import VirtualAir

/// The work every benchmark of matching does: random keys of 14 days against random sightings of the same days, with some
/// keys really met (shared facts: matching-bench).
struct Workload {
    static let planted = 100
    let keys: [DiagnosisKey]
    let sightings: [Sighting]
    /// First interval of the day after the last.
    static let now = ENIN((firstDay + 14) * ENIN.perDay)
    static let firstDay: UInt32 = 20_000
    /// Unix seconds of ``now``, or of the same for another first day.
    private let end: UInt64

    /// - Parameters:
    ///   - hours: Hours of the UTC day in which sightings were recorded.
    ///   - firstDay: UTC day; another than ``firstDay`` for processes that ask a clock.
    init(
        keys keyCount: Int, sightings sightingCount: Int, hours: Range<UInt32> = 0..<24, seed: UInt64 = 1,
        firstDay: UInt32 = Workload.firstDay
    ) {
        var generator = SplitMix64(seed: seed)
        end = UInt64(firstDay + 14) * 86_400
        keys = (0..<keyCount).map { _ in
            let day = firstDay + .random(in: 0..<14, using: &generator)
            return DiagnosisKey(
                data: Block(low: generator.next(), high: generator.next()), rollingStart: ENIN(day * ENIN.perDay),
                transmissionRiskLevel: 3, reportType: .confirmedTest, daysSinceOnset: 0)!
        }
        func moment(day: UInt32) -> UInt32 {
            day * 86_400 + .random(in: (hours.lowerBound * 3_600)..<(hours.upperBound * 3_600), using: &generator)
        }
        var sightings = (0..<(sightingCount - 3 * min(Self.planted, keyCount))).map { _ in
            Sighting(
                identifier: RollingProximityIdentifier(Block(low: generator.next(), high: generator.next())),
                metadata: AssociatedEncryptedMetadata(word: UInt32(truncatingIfNeeded: generator.next())),
                time: moment(day: firstDay + .random(in: 0..<14, using: &generator)), rssi: -70)
        }
        for key in keys.prefix(Self.planted) {
            let secret = SecretBytes(copying: key.data.bytes)
            guard let identifierKeys = try? IdentifierKeys(secret) else { continue }
            for _ in 0..<3 {
                let time = moment(day: key.rollingStart.day)
                let identifier = identifierKeys.identifier(for: ENIN(time / 600))
                sightings.append(
                    Sighting(
                        identifier: identifier,
                        metadata: identifierKeys.encrypt(
                            .version11(transmitPower: -10, confidence: .high), with: identifier),
                        time: time, previousScan: time - 240, rssi: -60))
            }
        }
        self.sightings = sightings.shuffled(using: &generator)
    }

    /// The keys as a signed file, and the trust that accepts it.
    func file() throws -> (zip: [UInt8], trust: TrustStore) {
        let key = try P256.SigningKey.generate()
        let trusted = TrustedKey(name: Self.signer, role: .export, key: key.verificationKey)
        return (try file(signedBy: key), try TrustStore(keys: [trusted]))
    }

    /// The name that ``file()`` and ``file(of:signedBy:)`` sign under.
    static let signer = KeyName(id: "bench", version: "v1")

    /// The first `count` keys, or all, as a signed file.
    func file(of count: Int = .max, signedBy key: P256.SigningKey) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: end - 86_400, endTimestamp: end, region: "XX",
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.signer)])
        let bin = encoder.exportBin(keys.prefix(count).map { ExportedKey($0) })
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: encoder.exportSig(for: bin, keys: [key]))
    }
}
