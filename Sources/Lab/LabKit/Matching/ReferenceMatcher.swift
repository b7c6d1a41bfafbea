// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN
public import Matching

/// Matching written directly from the rules: every key, every interval, every sighting. It is slow, and exists to be
/// compared with.
///
/// It shares only the value types and the cryptographic library with the fast matcher: every block is one call of Mbed TLS,
/// every look-up a plain loop.
public enum ReferenceMatcher {
    /// Returns the matches of one file's keys, in the order of the file, as ``Matcher`` must give them. `now` is
    /// the interval of matching. A key gives no match if it ended before or at the beginning of the UTC day that is
    /// 14 days before that of `now`, is recursive, or has no sighting with a power of -50 to 20 dBm.
    public static func matches(_ keys: [DiagnosisKey], _ sightings: [Sighting], now: ENIN) -> [Match] {
        keys.compactMap { key in
            let oldestEnd = Int64(now.day) - 14
            guard Int64(key.end.number) > oldestEnd * 144, key.reportType != .recursive else { return nil }
            let matched = matchedSightings(key, sightings)
            return matched.allSatisfy { $0.transmitPower < -50 || $0.transmitPower > 20 }
                ? nil : Match(key: key, sightings: matched)
        }
    }

    private static func matchedSightings(_ key: DiagnosisKey, _ sightings: [Sighting]) -> [MatchedSighting] {
        let secret = SecretBytes(copying: key.data.bytes)
        guard let identifierKey = try? HKDFSHA256.derive(from: secret, info: Array("EN-RPIK".utf8), count: 16),
            let identifiers = try? PublicKeyAES128(key: identifierKey),
            let cipher = try? PublishedMetadataCipher(publishedKey: secret)
        else { return [] }
        var all: [MatchedSighting] = []
        for number in key.rollingStart.number..<key.end.number {
            let interval = ENIN(number)
            let little = [UInt8(number & 255), UInt8(number >> 8 & 255), UInt8(number >> 16 & 255), UInt8(number >> 24)]
            let padded = Block(Array("EN-RPI".utf8) + [0, 0, 0, 0, 0, 0] + little)!
            let identifier = RollingProximityIdentifier(identifiers.encrypt(padded))
            let heard = sightings.enumerated()
                .filter { $0.element.identifier == identifier }
                .filter { abs(Int64($0.element.time / 600) - Int64(number)) <= 12 }
                .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            guard let first = heard.first else { continue }
            for (position, sighting) in heard where Int64(sighting.time) - Int64(first.element.time) <= 1_200 {
                let metadata = cipher.decrypt(sighting.metadata, with: identifier)
                all.append(
                    MatchedSighting(
                        position: UInt32(position), interval: interval, time: sighting.time,
                        previousScan: sighting.previousScan, rssi: sighting.rssi,
                        transmitPower: metadata.transmitPower, confidence: metadata.calibrationConfidence))
            }
        }
        return all.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// Returns the exposure windows of one match by a mapping, in one pass over its sightings, as the rule says. Empty if
    /// the report type is not confirmed test, clinical diagnosis or self-report, or no sighting has a power of -50 to 20
    /// dBm.
    public static func windows(_ match: Match, mapping: DiagnosisKeyMapping) -> [ExposureWindow] {
        let type = effectiveType(match, mapping)
        guard [.confirmedTest, .clinicalDiagnosis, .selfReport].contains(type) else { return [] }
        let onset = match.key.daysSinceOnset
        let infectiousness =
            onset.map { (-14...14).contains($0) } == true
            ? mapping.infectiousness[Int(onset! + 14)] : mapping.infectiousnessWhenOnsetMissing
        var windows: [(start: MatchedSighting, scans: [(attenuations: [Int], seconds: Int)])] = []
        var previous: UInt32 = 0
        for sighting in match.sightings where sighting.transmitPower >= -50 && sighting.transmitPower <= 20 {
            let startsWindow = windows.last.map { sighting.time - $0.start.time >= 30 * 60 } ?? true
            if startsWindow { windows.append((sighting, [])) }
            let last = windows.count - 1
            if !startsWindow, Double(sighting.time - previous) <= 1.5 * (4 + 13) {
                windows[last].scans[windows[last].scans.count - 1].attenuations.append(sighting.attenuation)
            } else {
                windows[last].scans.append(([sighting.attenuation], seconds(sighting)))
            }
            previous = sighting.time
        }
        return windows.map { window in
            ExposureWindow(
                day: window.start.time / 86_400, firstSighting: window.start.time, reportType: type,
                infectiousness: infectiousness, calibrationConfidence: window.start.confidence,
                scanInstances: window.scans.map {
                    let mean = Double($0.attenuations.reduce(0, +)) / Double($0.attenuations.count)
                    return ScanInstance(
                        typicalAttenuation: Int((mean + 0.5).rounded(.down)),
                        minimumAttenuation: $0.attenuations.min()!, secondsSinceLastScan: $0.seconds)
                })
        }
    }

    private static func seconds(_ sighting: MatchedSighting) -> Int {
        if sighting.previousScan == 0 { return 120 }
        return 60 * max(0, min(5, Int(sighting.time / 60) - Int(sighting.previousScan / 60)))
    }

    private static func effectiveType(_ match: Match, _ mapping: DiagnosisKeyMapping) -> ReportType {
        func mapped(_ type: ReportType) -> ReportType { type == .unknown ? mapping.reportTypeWhenMissing : type }
        let first = mapped(match.key.reportType)
        let allowed: [ReportType: [ReportType]] = [
            .selfReport: [.confirmedTest, .clinicalDiagnosis, .revoked], .clinicalDiagnosis: [.confirmedTest, .revoked],
        ]
        for later in match.laterReportTypes where allowed[first]?.contains(mapped(later)) == true { return mapped(later) }
        return first
    }
}
