// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
import GAEN
import Glibc
import Matching

/// How far estimates of distance are from the truth by video, scene by scene. What is fitted is fitted on the other scenes.
public struct DistanceErrors: Sendable {
    /// How far one way of estimating is off.
    public struct Error: Sendable, Hashable {
        /// The number of estimates.
        public let count: Int
        /// The mean of |estimate − truth| in metres.
        public let metres: Double
        /// The mean of |log10(estimate / truth)|: 0.3 is a factor of 2.
        public let logarithm: Double
        /// The mean of log10(estimate / truth): −0.3 is half of the truth, 0 is right on average.
        public let bias: Double

        /// `nil` without estimates, or where one is not a number above 0.
        init?(_ estimates: [(estimate: Double, truth: Double)]) {
            guard !estimates.isEmpty, estimates.allSatisfy({ $0.estimate > 0 && $0.estimate.isFinite && $0.truth > 0 })
            else { return nil }
            count = estimates.count
            metres = estimates.reduce(0) { $0 + abs($1.estimate - $1.truth) } / Double(count)
            let logarithms = estimates.map { log10($0.estimate / $0.truth) }
            logarithm = logarithms.reduce(0) { $0 + abs($1) } / Double(count)
            bias = logarithms.reduce(0, +) / Double(count)
        }
    }

    /// The errors in one scene.
    public struct Scene: Sendable {
        /// The scene.
        public let name: ScenePositions.Name
        /// The model's distance of a window.
        public let model: Error?
        /// The same windows by the median distance of the other scenes' windows.
        public let constant: Error?
        /// The same windows by the mean of what the line says of each scan.
        public let line: Error?
        /// Each scan by the median distance of the other scenes' scans.
        public let constantOfScans: Error?
        /// Each scan by the line.
        public let lineOfScans: Error?
        /// The line of the other scenes: log10 of metres is `intercept` and `slope` times dB; `nil` without other scenes.
        public let fitted: (intercept: Double, slope: Double)?
    }

    /// A scan or window: what was estimated or measured, and the truth.
    private struct Window {
        var scans: [(attenuation: Double, metres: Double)]
        var estimate: Double
        var metres: Double { scans.reduce(0) { $0 + $1.metres } / Double(scans.count) }
    }

    /// In the order of the scenes.
    public let scenes: [Scene]
    /// The units that were left out, because it is not certain which distance belongs to which scan.
    public let leftOut: Int

    /// Compares the windows of `pairs` whose scans all have a distance above 0. The model is that of `parameters`.
    public init(_ pairs: [MetPair], by parameters: NHSSecondParameters) {
        let model = NHSSecondModel(parameters)
        var windows: [ScenePositions.Name: [Window]] = [:]
        var left = 0
        for pair in pairs where !pair.windows.isEmpty {
            guard !pair.metresAtScans.isEmpty else {
                left += 1
                continue
            }
            var metres = pair.metresAtScans[...]
            for window in pair.windows {
                let scans = zip(window.scanInstances, metres).map { (Double($0.typicalAttenuation), $1) }
                metres = metres.dropFirst(window.scanInstances.count)
                guard !scans.isEmpty, scans.allSatisfy({ $0.1 > 0 }),
                    let estimate = model.contribution(of: window, today: window.day).estimatedDistance
                else { continue }
                windows[pair.scene, default: []].append(Window(scans: scans, estimate: estimate))
            }
        }
        leftOut = left
        scenes = ScenePositions.Name.allCases.compactMap { name in
            guard let own = windows[name] else { return nil }
            let others = windows.filter { $0.key != name }.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap(\.value)
            let scans = own.flatMap(\.scans)
            let line = Self.line(others.flatMap(\.scans))
            func along(_ attenuation: Double) -> Double {
                line.map { pow(10, $0.intercept + $0.slope * attenuation) } ?? .nan
            }
            let (middle, middleOfScans) = (
                Self.median(others.map(\.metres)), Self.median(others.flatMap(\.scans).map(\.metres))
            )
            return Scene(
                name: name, model: Error(own.map { ($0.estimate, $0.metres) }),
                constant: Error(own.map { (middle, $0.metres) }),
                line: Error(
                    own.map { window in
                        (window.scans.reduce(0) { $0 + along($1.attenuation) } / Double(window.scans.count), window.metres)
                    }),
                constantOfScans: Error(scans.map { (middleOfScans, $0.metres) }),
                lineOfScans: Error(scans.map { (along($0.attenuation), $0.metres) }), fitted: line)
        }
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }

    /// Least squares of log10 of metres on dB; `nil` where all attenuations are the same.
    static func line(_ scans: [(attenuation: Double, metres: Double)]) -> (intercept: Double, slope: Double)? {
        guard !scans.isEmpty else { return nil }
        let logs = scans.map { log10($0.metres) }
        let count = Double(scans.count)
        let meanX = scans.reduce(0) { $0 + $1.attenuation } / count
        let meanY = logs.reduce(0, +) / count
        let spread = scans.reduce(0) { $0 + ($1.attenuation - meanX) * ($1.attenuation - meanX) }
        guard spread > 0 else { return nil }
        let slope = zip(scans, logs).reduce(0) { $0 + ($1.0.attenuation - meanX) * ($1.1 - meanY) } / spread
        return (meanY - slope * meanX, slope)
    }
}
