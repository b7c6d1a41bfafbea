// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a distance makes of a signal: NHS COVID-19's expected logarithm of the attenuation (spec checkin-and-nhs B.1).
package struct DistanceObservation: Sendable {
    package var weightCoefficient: Double
    package var intercept: Double
    package var type: NHSSecondParameters.ObservationType
    /// For ``NHSSecondParameters/ObservationType/gen`` only.
    package var powerLoss: PowerLoss

    package init(
        weightCoefficient: Double, intercept: Double, type: NHSSecondParameters.ObservationType, powerLoss: PowerLoss
    ) {
        self.weightCoefficient = weightCoefficient
        self.intercept = intercept
        self.type = type
        self.powerLoss = powerLoss
    }

    /// The expected observation at `distance` metres, which must not be negative.
    package func callAsFunction(_ distance: Double) -> Double {
        switch type {
        case .log: weightCoefficient * log(distance) + intercept
        case .gen: weightCoefficient * log(-powerLoss.friis(distance)) + intercept
        }
    }
}

/// The library's power-loss helper, as shipped: the distance's logarithm is not multiplied by the path loss factor, its inverse is.
package struct PowerLoss: Sendable {
    package var wavelength: Double
    package var pathLossFactor: Double
    package var referenceDeviceLoss: Double
    /// Of receiver and transmitter together.
    package var corrections: Double

    package init(
        wavelength: Double, pathLossFactor: Double, referenceDeviceLoss: Double, corrections: Double = 0
    ) {
        self.wavelength = wavelength
        self.pathLossFactor = pathLossFactor
        self.referenceDeviceLoss = referenceDeviceLoss
        self.corrections = corrections
    }

    private var offset: Double {
        corrections + pathLossFactor * log10(wavelength / (4 * .pi)) + referenceDeviceLoss
    }

    /// Below zero always, so that it has a logarithm: 0 and above count as -0.001, distances of 0 and below as 1 mm.
    package func friis(_ distance: Double) -> Double {
        let loss = -log10(distance > 0 ? distance : 0.001) + offset
        return loss >= 0 ? -0.001 : loss
    }

    /// Metres at which `rssi` would be received.
    package func distance(rssi: Double) -> Double { pow(10, (offset - rssi) / pathLossFactor) }
}
