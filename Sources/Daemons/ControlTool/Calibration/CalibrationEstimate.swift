// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What twelve orientations at one metre come to: a level, how far the orientations lie apart, and whether that is good enough. Pure arithmetic.
///
/// The level is the mean of the middle six of the twelve medians. An antenna has directions in which it is nearly deaf, and a room has places
/// where reflections cancel: such values lie far below all others and never above, so a mean is pulled down by them. The median of twelve
/// resists as well and is coarser; `CalibrationEstimateTests` compares all three.
struct CalibrationEstimate: Equatable {
    /// Why there is no result. Each says something else to a technician.
    enum Problem: Error, Equatable {
        /// Not all orientations were measured.
        case incomplete
        /// The quartiles of the orientations lie so many dB apart.
        case tooWide(Double)
        /// This would be the result, in dB or dBm: it is not to be believed.
        case unbelievable(Double)
    }

    static let orientationCount = 12
    /// Attenuation between two calibrated devices at 1 m, dB, and its standard deviation: from an anechoic chamber (docs/calibration.md).
    static let attenuation = 48.5
    private static let attenuationError = 2.0
    /// What one room adds at one place: the standard deviation of the results of three rooms (docs/calibration.md), dB.
    private static let roomError = 3.3
    /// How well the power of one phone, or the correction of one board, is known, dB.
    private static let referenceError = 2.0
    /// Quartiles that lie further apart, dB, are refused: from simulation (docs/calibration.md).
    static let mostSpread = 6.0
    /// An orientation that lies further from the level, dB, is measured again.
    static let farOff = 8.0
    /// A correction beyond this, dB, has another cause.
    static let mostCorrection = 20.0
    /// A correction beyond this, dB, is unusual.
    static let usualCorrection = 8.0

    /// The level of all orientations, dBm, as the controller gives it.
    let level: Double
    /// The distance between the quartiles of the orientations, dB.
    let spread: Double

    /// Computes level and spread of the medians of all orientations, in dBm.
    /// - Throws: ``Problem`` if there are not twelve, or they lie too far apart.
    init(_ medians: [Int]) throws(Problem) {
        guard medians.count == Self.orientationCount else { throw .incomplete }
        level = Self.level(medians)
        spread = Self.spread(medians)
        guard spread <= Self.mostSpread else { throw .tooWide(spread) }
    }

    /// The mean of the middle half.
    static func level(_ medians: [Int]) -> Double {
        let middle = medians.sorted().dropFirst(medians.count / 4).dropLast(medians.count / 4)
        return Double(middle.reduce(0, +)) / Double(max(middle.count, 1))
    }

    /// The distance between the quartiles, each the middle between two neighbours.
    private static func spread(_ medians: [Int]) -> Double {
        let sorted = medians.sorted(), quarter = sorted.count / 4
        let lower = Double(sorted[quarter - 1] + sorted[quarter]) / 2
        let upper = Double(sorted[sorted.count - quarter - 1] + sorted[sorted.count - quarter]) / 2
        return upper - lower
    }

    /// The orientations that lie far off all others, from 0.
    static func farOff(_ medians: [Int]) -> [Int] {
        let level = level(medians)
        return medians.indices.filter { abs(Double(medians[$0]) - level) > farOff }
    }

    /// What to add to what this receiver says, dB, if the sender has this calibrated power in dBm.
    /// - Throws: ``Problem/unbelievable(_:)`` beyond 20 dB.
    func correction(power: Int) throws(Problem) -> Double {
        let correction = Double(power) - Self.attenuation - level
        guard abs(correction) <= Self.mostCorrection else { throw .unbelievable(correction) }
        return correction
    }

    /// The transmit power of the sender, dBm, if this receiver's correction in dB is right.
    /// - Throws: ``Problem/unbelievable(_:)`` if a profile cannot have it.
    func transmitPower(correction: Int) throws(Problem) -> Double {
        let power = level + Double(correction) + Self.attenuation
        guard (-50...20).contains(power.rounded()) else { throw .unbelievable(power) }
        return power
    }

    /// The standard deviation of the result in dB: chamber, room, reference, and the scatter of the orientations.
    var uncertainty: Double {
        // Of a Gaussian, quartiles lie 1.35 deviations apart, and the middle mean is about 1.1 times as uncertain as the mean.
        let scatter = spread / 1.35 * 1.1 / Double(Self.orientationCount).squareRoot()
        let parts = [Self.attenuationError, Self.roomError, Self.referenceError, scatter]
        return parts.map { $0 * $0 }.reduce(0, +).squareRoot()
    }
}
