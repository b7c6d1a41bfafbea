// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The signal of one key in one scan (Google: `ScanInstance`).
public struct ScanInstance: Hashable, Sendable {
    /// Mean attenuation of the scan's sightings in dB, rounded half up; 0 to 255 in a window that was made of a match.
    public let typicalAttenuation: Int
    /// Smallest attenuation of the scan's sightings in dB; 0 to 255 in a window that was made of a match.
    public let minimumAttenuation: Int
    /// Seconds this scan stands for: whole minutes, 0 to 300. Windows from elsewhere may have any number.
    public let secondsSinceLastScan: Int

    /// A scan of these numbers, unchecked; attenuations are in dB.
    public init(typicalAttenuation: Int, minimumAttenuation: Int, secondsSinceLastScan: Int) {
        self.typicalAttenuation = typicalAttenuation
        self.minimumAttenuation = minimumAttenuation
        self.secondsSinceLastScan = secondsSinceLastScan
    }
}

/// The sightings of one published key within half an hour (Google: `ExposureWindow`).
public struct ExposureWindow: Hashable, Sendable {
    /// Days since 1970, UTC, of the first sighting.
    public let day: UInt32
    /// Time of the first sighting, Unix seconds. Internal to the device: no interface may give it out.
    public let firstSighting: UInt32
    /// The report type that the key counts as, by its first source that still warns and after the mapping.
    public let reportType: ReportType
    /// The infectiousness of the person by the mapping, from the days between onset and the key.
    public let infectiousness: Infectiousness
    /// The sender's own word on how well its transmit power is known, from the window's first sighting.
    public let calibrationConfidence: CalibrationConfidence
    /// The window's scans in the order of time; at least one in a window that was made of a match.
    public let scanInstances: [ScanInstance]

    /// A window of these parts, unchecked; `day` is in days since 1970, UTC, `firstSighting` in Unix seconds.
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
    /// The exposure windows of this match under `mapping`, in time order; none when the key gives no exposure or no sighting is believable. Windows
    /// of infectiousness `none` are in it; ``ExposureWindow/released(from:mapping:using:)`` leaves them out.
    ///
    /// A window ends 30 minutes after its first sighting; a sighting at most 25 s after the one before joins its scan, unless a window has just
    /// begun (`KeyExposureEvaluator.findExposureWindows`). Sightings that are not believable are left out.
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
    /// The windows of all `matches` that may be given to callers: those of another infectiousness than `none`, in random
    /// order. `generator` must be cryptographically secure outside of tests. Cannot fail.
    public static func released(
        from matches: [Match], mapping: DiagnosisKeyMapping, using generator: inout some RandomNumberGenerator
    ) -> [ExposureWindow] {
        matches.flatMap { $0.exposureWindows(under: mapping) }
            .filter { $0.infectiousness != .none }
            .shuffled(using: &generator)
    }
}
