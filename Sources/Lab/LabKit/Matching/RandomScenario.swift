// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
public import Matching

/// A small random encounter with everything that is difficult near borders: keys that begin within a day, short periods,
/// several keys of a day, repeated keys, clocks two hours off, replays, and noise.
public struct RandomScenario: Sendable {
    /// The diagnosis keys as a file has them, 1 to 5, some of which may repeat each other. Tests may change them.
    public var keys: [DiagnosisKey] = []
    /// The sightings in random order, 0 to 60. Tests may change them.
    public var sightings: [Sighting] = []
    /// The interval in which keys are matched.
    public let now: ENIN
    /// A random mapping, in which any day can have any infectiousness.
    public let mapping: DiagnosisKeyMapping

    /// Draws an encounter; the same generator gives the same one.
    public init(using generator: inout some RandomNumberGenerator) {
        let firstDay: UInt32 = 18_500
        now = ENIN((firstDay + .random(in: 3...16, using: &generator)) * 144 + .random(in: 0..<144, using: &generator))
        let levels = (0..<30).map { _ in Infectiousness.allCases.randomElement(using: &generator)! }
        mapping = DiagnosisKeyMapping(
            infectiousness: Array(levels.prefix(29)), whenOnsetMissing: levels[29],
            reportTypeWhenMissing: [.confirmedTest, .clinicalDiagnosis, .selfReport].randomElement(using: &generator)!)!
        for _ in 0..<Int.random(in: 1...5, using: &generator) { addKey(firstDay, using: &generator) }
        for _ in 0..<Int.random(in: 0...30, using: &generator) { addSighting(using: &generator) }
        addReplays(using: &generator)
        sightings.shuffle(using: &generator)
    }

    private mutating func addKey(_ firstDay: UInt32, using generator: inout some RandomNumberGenerator) {
        if let earlier = keys.randomElement(using: &generator), Int.random(in: 0..<5, using: &generator) == 0 {
            // The same key once more, perhaps of another type, perhaps with another period.
            var again = earlier
            again.reportType = ReportType.allCases.randomElement(using: &generator)!
            if Bool.random(using: &generator) { again.rollingPeriod = .random(in: 1...144, using: &generator) }
            keys.append(again)
            return
        }
        let day = firstDay + .random(in: 0...3, using: &generator)
        let isAligned = Int.random(in: 0..<3, using: &generator) > 0
        let start = day * 144 + (isAligned ? 0 : .random(in: 0..<144, using: &generator))
        let isWhole = Int.random(in: 0..<3, using: &generator) > 0
        keys.append(
            DiagnosisKey(
                data: Block(low: generator.next(), high: generator.next()), rollingStart: ENIN(start),
                rollingPeriod: isWhole ? 144 : .random(in: 1...144, using: &generator),
                transmissionRiskLevel: .random(in: 0...8, using: &generator),
                reportType: ReportType.allCases.randomElement(using: &generator)!,
                daysSinceOnset: Bool.random(using: &generator) ? .random(in: -20...20, using: &generator) : nil)!)
    }

    private mutating func addSighting(using generator: inout some RandomNumberGenerator) {
        let key = keys.randomElement(using: &generator)!
        guard let own = try? IdentifierKeyPair(key.data) else { return }
        // One interval beyond the key on either side: those must never match.
        let offset = Int64.random(in: -1...Int64(key.rollingPeriod), using: &generator)
        let interval = ENIN(UInt32(Int64(key.rollingStart.number) + offset))
        let drift: Int64
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: drift = 0
        // The border of two hours, to the second.
        case 1:
            drift =
                [-7_800, -7_200, 7_200, 7_800].randomElement(using: &generator)! + .random(in: -1...1, using: &generator)
        default: drift = .random(in: -9_000...9_000, using: &generator)
        }
        let time = UInt32(interval.unixSeconds + .random(in: 0..<600, using: &generator) + drift)
        let previous: UInt32
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: previous = 0
        case 1: previous = time + .random(in: 0...120, using: &generator)
        default: previous = time - .random(in: 1...900, using: &generator)
        }
        let identifier =
            Int.random(in: 0..<8, using: &generator) == 0
            ? RollingProximityIdentifier(Block(low: generator.next(), high: generator.next())) : own.identifier(interval)
        let metadata = BluetoothMetadata.version11(
            transmitPower: .random(in: -60...30, using: &generator),
            confidence: CalibrationConfidence.allCases.randomElement(using: &generator)!)
        sightings.append(
            Sighting(
                identifier: identifier, metadata: own.encrypt(metadata, identifier), time: time, previousScan: previous,
                rssi: .random(in: -127...20, using: &generator)))
    }

    private mutating func addReplays(using generator: inout some RandomNumberGenerator) {
        for sighting in sightings where Int.random(in: 0..<3, using: &generator) == 0 {
            var again = sighting
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: again.time += .random(in: 0...60, using: &generator)
            // The border of twenty minutes, to the second.
            case 1: again.time += .random(in: 1_199...1_201, using: &generator)
            case 2: again.time += .random(in: 0...7_200, using: &generator)
            default: again.time += 86_400
            }
            again.rssi = .random(in: -127...20, using: &generator)
            sightings.append(again)
        }
    }

    /// Returns the difference between the matcher with this kernel and the reference, in words; `nil` if both give the same
    /// matches and windows.
    public func difference(kernel: MatchKernel) -> String? {
        let matcher = Matcher(index: SightingIndex(sightings), now: now, kernel: kernel)
        for key in keys { matcher.add(key) }
        let fast = matcher.finish()
        let slow = ReferenceMatcher.matches(keys, sightings, now: now)
        guard fast == slow else { return "matches differ: \(fast.count) and \(slow.count)" }
        for match in MatchSet(fast).matches {
            guard match.exposureWindows(under: mapping) == ReferenceMatcher.windows(match, mapping: mapping) else {
                return "windows differ"
            }
        }
        return nil
    }
}

/// Identifiers and metadata of a test key, by the quick cipher: test keys are no secrets.
private struct IdentifierKeyPair: ~Copyable {
    private let identifiers: PublicKeyAES128
    private let metadata: PublicKeyAES128

    init(_ key: Block) throws(CryptographyError) {
        let secret = SecretBytes(copying: key.bytes)
        let identifiers = try PublicKeyAES128(key: HKDFSHA256.derive(from: secret, info: Array("EN-RPIK".utf8), count: 16))
        let metadata = try PublicKeyAES128(key: HKDFSHA256.derive(from: secret, info: Array("EN-AEMK".utf8), count: 16))
        self.identifiers = identifiers
        self.metadata = metadata
    }

    func identifier(_ interval: ENIN) -> RollingProximityIdentifier {
        var block = Block()
        withUnsafeMutableBytes(of: &block) { bytes in
            bytes.copyBytes(from: Array("EN-RPI".utf8))
            bytes.storeBytes(of: interval.number.littleEndian, toByteOffset: 12, as: UInt32.self)
        }
        return RollingProximityIdentifier(identifiers.encrypt(block))
    }

    func encrypt(_ plain: BluetoothMetadata, _ identifier: RollingProximityIdentifier) -> AssociatedEncryptedMetadata {
        let stream = metadata.encrypt(identifier.block)
        return AssociatedEncryptedMetadata(
            word: plain.word ^ UInt32(truncatingIfNeeded: stream.low.littleEndian).littleEndian)
    }
}
