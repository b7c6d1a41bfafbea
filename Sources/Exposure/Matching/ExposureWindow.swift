// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The signal of one key in one scan (Google: `ScanInstance`).
public struct ScanInstance: Hashable, Sendable {
    /// The mean attenuation of the scan's sightings in dB, rounded half up; 0 to 255 in a window made from a match.
    public let typicalAttenuation: Int
    /// The smallest attenuation of the scan's sightings in dB; 0 to 255 in a window made from a match.
    public let minimumAttenuation: Int
    /// The number of seconds that this scan stands for: whole minutes, 0 to 300, in a window made from a match; any
    /// number otherwise.
    public let secondsSinceLastScan: Int

    /// Creates a scan from these numbers, which are not checked; attenuations are in dB.
    public init(typicalAttenuation: Int, minimumAttenuation: Int, secondsSinceLastScan: Int) {
        self.typicalAttenuation = typicalAttenuation
        self.minimumAttenuation = minimumAttenuation
        self.secondsSinceLastScan = secondsSinceLastScan
    }
}

/// The sightings of one published key within half an hour (Google: `ExposureWindow`).
public struct ExposureWindow: Hashable, Sendable {
    /// The UTC day of the first sighting, in days since 1970.
    public let day: UInt32
    /// The time of the first sighting, in Unix seconds. It stays on the device: no interface may reveal it.
    public let firstSighting: UInt32
    /// The report type of the first source that gives an exposure, after the mapping.
    public let reportType: ReportType
    /// The infectiousness that the mapping assigns to the key's days since onset.
    public let infectiousness: Infectiousness
    /// The confidence with which the sender knows its transmit power, by its own statement in the window's first
    /// sighting.
    public let calibrationConfidence: CalibrationConfidence
    /// The window's scans in time order; at least one in a window made from a match.
    public let scanInstances: [ScanInstance]

    /// Creates a window from these parts, which are not checked; `day` is in days since 1970, UTC, `firstSighting` in
    /// Unix seconds.
    public init(
        day: UInt32, firstSighting: UInt32, reportType: ReportType, infectiousness: Infectiousness,
        calibrationConfidence: CalibrationConfidence, scanInstances: [ScanInstance]
    ) {
        self.day = day
        self.firstSighting = firstSighting
        self.reportType = reportType
        self.infectiousness = infectiousness
        self.calibrationConfidence = calibrationConfidence
        self.scanInstances = scanInstances
    }
}

extension Match {
    /// Returns the exposure windows of this match under `mapping`, in time order; empty when the match gives no
    /// exposure or no sighting is believable. Windows of infectiousness `none` are included;
    /// ``ExposureWindow/released(from:mapping:using:)`` leaves them out.
    ///
    /// A window ends 30 minutes after its first sighting. A sighting at most 25 s after the one before belongs to the
    /// same scan, unless a new window begins with it (`KeyExposureEvaluator.findExposureWindows`). Sightings that are
    /// not believable are left out.
    public func exposureWindows(under mapping: DiagnosisKeyMapping) -> [ExposureWindow] {
        guard let published = standing(under: mapping) else { return [] }
        let type = published.reportType(under: mapping)
        let infectiousness = mapping.infectiousness(daysSinceOnset: published.key.daysSinceOnset)
        var windows: [ExposureWindow] = []
        var rest = sightings.filter(\.isBelievable)[...]
        while let first = rest.first {
            let members = rest.prefix { $0.time - first.time < MatchingRules.windowSeconds }
            rest = rest.dropFirst(members.count)
            windows.append(
                ExposureWindow(
                    day: first.time / 86_400, firstSighting: first.time, reportType: type,
                    infectiousness: infectiousness, calibrationConfidence: first.confidence,
                    scanInstances: Self.scanInstances(members)))
        }
        return windows
    }

    private static func scanInstances(_ sightings: ArraySlice<MatchedSighting>) -> [ScanInstance] {
        var scans: [ArraySlice<MatchedSighting>] = []
        var start = sightings.startIndex
        for index in sightings.indices.dropFirst()
        where sightings[index].time - sightings[index - 1].time > MatchingRules.sameScanSeconds {
            scans.append(sightings[start..<index])
            start = index
        }
        if start < sightings.endIndex { scans.append(sightings[start...]) }
        return scans.map { scan in
            let attenuations = scan.map(\.attenuation)
            let sum = attenuations.reduce(0, +)
            return ScanInstance(
                // Half up in integers; attenuations are never negative.
                typicalAttenuation: (2 * sum + attenuations.count) / (2 * attenuations.count),
                minimumAttenuation: attenuations.min() ?? 0,
                secondsSinceLastScan: scan.first?.secondsSinceLastScan ?? 0)
        }
    }
}

extension ExposureWindow {
    /// Returns the windows of all `matches` that may be given to callers: those whose infectiousness is not `none`,
    /// in random order. `generator` must be cryptographically secure outside of tests. Cannot fail.
    public static func released(
        from matches: [Match], mapping: DiagnosisKeyMapping, using generator: inout some RandomNumberGenerator
    ) -> [ExposureWindow] {
        matches.flatMap { $0.exposureWindows(under: mapping) }
            .filter { $0.infectiousness != .none }
            .shuffled(using: &generator)
    }
}
