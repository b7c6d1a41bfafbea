// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Computes the minutes near a person from the scans of a window (spec checkin-and-nhs B.1). Reuses its memory from
/// window to window.
package struct DistanceScorer {
    /// One scan in the form that the library takes.
    package struct Scan: Sendable {
        /// The attenuation in dB; at 0 and below the scan counts as not heard.
        package var attenuation: Double
        /// The number of seconds since the scan before, 0 or more.
        package var seconds: Double

        /// Creates a scan from these numbers, which are not checked.
        package init(attenuation: Double, seconds: Double) {
            self.attenuation = attenuation
            self.seconds = seconds
        }
    }

    /// The maximum number of steps that are considered: 36 hours at one step per second, where a window is half an
    /// hour. Later scans are ignored. The number is this project's own.
    package static let mostSteps = 131_072

    private let parameters: NHSSecondParameters
    private let filter: DistanceFilter
    private let median = GammaMedian.shared
    private var states: [DistanceFilter.State] = []
    private var distances: [Double] = []

    /// Creates a scorer with `parameters`, which are not checked; impossible ones result in NaN and never stop the
    /// program.
    package init(_ parameters: NHSSecondParameters) {
        self.parameters = parameters
        filter = DistanceFilter(
            initialMean: parameters.initialMean, initialCovariance: parameters.initialCovariance,
            transitionCovariance: parameters.expectedDistance * parameters.expectedDistance,
            observationCovariance: parameters.covariance, alpha: parameters.alpha, beta: parameters.beta,
            kappa: parameters.kappa,
            observation: DistanceObservation(
                weightCoefficient: parameters.weightCoefficient, intercept: parameters.intercept,
                type: parameters.observationType,
                powerLoss: PowerLoss(
                    wavelength: parameters.wavelength, pathLossFactor: parameters.pathLossFactor,
                    referenceDeviceLoss: parameters.referenceDeviceLoss)))
    }

    /// Returns one logarithm of dB per step of `resolution` seconds, not finite where nothing was heard; at most
    /// ``mostSteps``.
    ///
    /// The first scan is at the first step, whatever its own seconds. Two scans within one step take two steps and
    /// shorten the gap that follows, as in the library.
    package static func observations(_ scans: [Scan], resolution: Double) -> [Double] {
        var observations: [Double] = []
        var seconds = 0.0
        for (index, scan) in scans.enumerated() {
            if index > 0 { seconds += scan.seconds }
            let step = index == 0 ? 0 : (seconds / resolution).rounded(.towardZero)
            // Also when the step is no number.
            guard step < Double(mostSteps), observations.count < mostSteps else { break }
            while Double(observations.count) < step { observations.append(.nan) }
            observations.append(log(scan.attenuation))
        }
        return observations
    }

    /// Returns the weighted minutes and the median of the estimated distance in metres; `nil` without scans. Scans
    /// must be in time order. Takes linear time in the seconds that they cover.
    package mutating func score(_ scans: [Scan]) -> (minutes: Double, distance: Double)? {
        let observations = Self.observations(scans, resolution: parameters.sampleResolution)
        guard !observations.isEmpty else { return nil }
        filter.filter(observations, into: &states)
        filter.smooth(&states)
        distances.removeAll(keepingCapacity: true)
        let nearest = parameters.minimumDistance * parameters.minimumDistance
        var sum = 0.0
        for state in states {
            let distance = Self.distance(mean: state.mean, covariance: state.covariance, median)
            let square = distance * distance
            // No division by zero: nothing is nearer than nothing.
            sum += square > nearest ? nearest / square : 1
            distances.append(distance)
        }
        return (parameters.sampleResolution / 60 * sum, Self.middle(&distances))
    }

    /// Metres: the median of the gamma distribution of this mean and covariance. What has none counts as 1 mm, as in the library.
    static func distance(mean: Double, covariance: Double, _ median: GammaMedian) -> Double {
        let distance = abs(median.value(shape: mean * mean / covariance) * (covariance / mean))
        if distance.isNaN { return 0.001 }
        return distance.isFinite ? distance : .greatestFiniteMagnitude
    }

    /// The lower median by quickselect: linear, and without another list.
    private static func middle(_ values: inout [Double]) -> Double {
        let target = (values.count - 1) / 2
        var low = 0
        var high = values.count - 1
        while low < high {
            let pivot = values[low + (high - low) / 2]
            var left = low
            var right = high
            while left <= right {
                while values[left] < pivot { left += 1 }
                while values[right] > pivot { right -= 1 }
                guard left <= right else { break }
                values.swapAt(left, right)
                left += 1
                right -= 1
            }
            if target <= right {
                high = right
            } else if target >= left {
                low = left
            } else {
                break
            }
        }
        return values[target]
    }
}
