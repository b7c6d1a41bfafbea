// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An unscented Kalman filter over one distance, and the smoother over its results (spec checkin-and-nhs B.1; Lovett and others,
/// arXiv 2007.05057).
///
/// The state is augmented by both noises, which makes seven sigma points; they are not drawn again between prediction and update.
/// Parameters that make numbers impossible make NaN, never a trap.
package struct DistanceFilter: Sendable {
    /// The estimate at one step.
    package struct State: Sendable {
        /// The expected distance in metres; NaN under impossible parameters.
        package var mean: Double
        /// The variance of the distance in square metres.
        package var covariance: Double
        /// Before the observation of this step.
        fileprivate var predictedMean: Double
        fileprivate var predictedCovariance: Double
        /// Of this step's state and the next step's prediction.
        fileprivate var crossCovariance: Double
    }

    private let initialMean: Double
    private let initialCovariance: Double
    private let observation: DistanceObservation
    /// Of the first point, for means and for covariances, and of each of the other six.
    private let meanWeight: Double
    private let covarianceWeight: Double
    private let weight: Double
    private let scale: Double
    private let transitionNoise: Double
    private let observationNoise: Double

    /// Creates a filter that begins at a distance of `initialMean` metres. Covariances of distances are in square
    /// metres, and that of observations in squared logarithms of dB; the transition's is that of one step. `alpha`,
    /// `beta` and `kappa` place the sigma points. Nothing is checked.
    package init(
        initialMean: Double, initialCovariance: Double, transitionCovariance: Double, observationCovariance: Double,
        alpha: Double, beta: Double, kappa: Double, observation: DistanceObservation
    ) {
        let lambda = alpha * alpha * (3 + kappa) - 3
        scale = 3 + lambda
        meanWeight = lambda / scale
        covarianceWeight = meanWeight + (1 - alpha * alpha + beta)
        weight = 1 / (2 * scale)
        transitionNoise = sqrt(scale * transitionCovariance)
        observationNoise = sqrt(scale * observationCovariance)
        self.initialMean = initialMean
        self.initialCovariance = initialCovariance
        self.observation = observation
    }

    /// Replaces `states` by one state per observation. Observations are logarithms of dB, one per step; those that
    /// are not finite count as missing. Takes linear time in their number.
    package func filter(_ observations: [Double], into states: inout [State]) {
        states.removeAll(keepingCapacity: true)
        states.reserveCapacity(observations.count)
        var mean = initialMean
        var covariance = initialCovariance
        var deviation = sqrt(scale * covariance)
        // The first step has no prediction: its points are as drawn.
        var predictedMean = mean
        var predictedCovariance = covariance
        var points = (
            centre: mean, above: mean + deviation, below: mean - deviation, noiseAbove: mean, noiseBelow: mean
        )
        for (index, observed) in observations.enumerated() {
            if index > 0 {
                deviation = sqrt(scale * covariance)
                // Distances have no sign: what falls below zero is reflected.
                points.centre = abs(mean)
                points.above = abs(mean + deviation)
                points.below = abs(mean - deviation)
                points.noiseAbove = abs(mean + transitionNoise)
                points.noiseBelow = abs(mean - transitionNoise)
                predictedMean =
                    meanWeight * points.centre + weight
                    * (points.above + points.below + points.noiseAbove + points.noiseBelow + 2 * points.centre)
                let centre = points.centre - predictedMean
                let above = points.above - predictedMean
                let below = points.below - predictedMean
                let noiseAbove = points.noiseAbove - predictedMean
                let noiseBelow = points.noiseBelow - predictedMean
                predictedCovariance =
                    covarianceWeight * centre * centre + weight
                    * (above * above + below * below + noiseAbove * noiseAbove + noiseBelow * noiseBelow
                        + 2 * centre * centre)
                // Only two of the drawn points differ from their mean.
                states[index - 1].crossCovariance = weight * deviation * (points.above - points.below)
                mean = predictedMean
                covariance = predictedCovariance
            }
            if observed.isFinite {
                let central = observation(abs(points.centre))
                let expected = (
                    above: observation(abs(points.above)), below: observation(abs(points.below)),
                    noiseAbove: observation(abs(points.noiseAbove)), noiseBelow: observation(abs(points.noiseBelow))
                )
                let expectedMean =
                    meanWeight * central + weight
                    * (expected.above + expected.below + expected.noiseAbove + expected.noiseBelow + 2 * central)
                func term(_ weight: Double, _ point: Double, _ expected: Double) -> (own: Double, cross: Double) {
                    let difference = expected - expectedMean
                    return (weight * difference * difference, weight * (point - mean) * difference)
                }
                let terms = (
                    term(covarianceWeight, points.centre, central), term(weight, points.above, expected.above),
                    term(weight, points.below, expected.below), term(weight, points.noiseAbove, expected.noiseAbove),
                    term(weight, points.noiseBelow, expected.noiseBelow),
                    term(weight, points.centre, central + observationNoise),
                    term(weight, points.centre, central - observationNoise)
                )
                let own =
                    terms.0.own + terms.1.own + terms.2.own + terms.3.own + terms.4.own + terms.5.own + terms.6.own
                let cross =
                    terms.0.cross + terms.1.cross + terms.2.cross + terms.3.cross + terms.4.cross + terms.5.cross
                    + terms.6.cross
                let gain = cross / own
                mean += gain * (observed - expectedMean)
                covariance -= gain * cross
            }
            states.append(
                State(
                    mean: mean, covariance: covariance, predictedMean: predictedMean,
                    predictedCovariance: predictedCovariance, crossCovariance: 0))
        }
    }

    /// Replaces the estimate of each step from ``filter(_:into:)`` by one that takes the later steps into account;
    /// does nothing with fewer than two states.
    package func smooth(_ states: inout [State]) {
        states.withUnsafeMutableBufferPointer { states in
            guard states.count > 1 else { return }
            for index in stride(from: states.count - 2, through: 0, by: -1) {
                let next = states[index + 1]
                let gain = states[index].crossCovariance / next.predictedCovariance
                states[index].mean += gain * (next.mean - next.predictedMean)
                states[index].covariance += gain * gain * (next.covariance - next.predictedCovariance)
            }
        }
    }
}
