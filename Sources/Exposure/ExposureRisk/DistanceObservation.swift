// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a distance makes of a signal: NHS COVID-19's expected logarithm of the attenuation (spec checkin-and-nhs B.1).
package struct DistanceObservation: Sendable {
    /// What the logarithm of the distance (or of the power loss) is multiplied with; positive, or nearer would be weaker.
    package var weightCoefficient: Double
    /// The logarithm of dB at a distance of 1 m, for ``NHSSecondParameters/ObservationType/log``.
    package var intercept: Double
    /// Which of the two formulas holds.
    package var type: NHSSecondParameters.ObservationType
    /// For ``NHSSecondParameters/ObservationType/gen`` only.
    package var powerLoss: PowerLoss

    /// An observation by these numbers, unchecked.
    package init(
        weightCoefficient: Double, intercept: Double, type: NHSSecondParameters.ObservationType, powerLoss: PowerLoss
    ) {
        self.weightCoefficient = weightCoefficient
        self.intercept = intercept
        self.type = type
        self.powerLoss = powerLoss
    }

    /// The expected observation, the logarithm of dB, at `distance` metres, which must not be negative. At 0 it is minus
    /// infinity for ``NHSSecondParameters/ObservationType/log``.
    package func callAsFunction(_ distance: Double) -> Double {
        switch type {
        case .log: weightCoefficient * log(distance) + intercept
        case .gen: weightCoefficient * log(-powerLoss.friis(distance)) + intercept
        }
    }
}

/// The library's power-loss helper, as shipped: the distance's logarithm is not multiplied by the path loss factor, its inverse is.
package struct PowerLoss: Sendable {
    /// Metres; 0.125 at Bluetooth's 2.4 GHz.
    package var wavelength: Double
    /// What a decade of distance costs in dB, in the inverse formula only; 20 in free space.
    package var pathLossFactor: Double
    /// dB that the receiving device loses, added.
    package var referenceDeviceLoss: Double
    /// dB of receiver and transmitter together, added.
    package var corrections: Double

    /// A power loss of these numbers, unchecked; `corrections` are in dB.
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

    /// The library's power loss at `distance` metres. Below zero always, so that its negative has a logarithm: results of 0
    /// and above count as -0.001, distances of 0 and below as 1 mm.
    package func friis(_ distance: Double) -> Double {
        let loss = -log10(distance > 0 ? distance : 0.001) + offset
        return loss >= 0 ? -0.001 : loss
    }

    /// Metres at which `rssi`, in dBm, would be received; infinite or NaN if the path loss factor is 0.
    package func distance(rssi: Double) -> Double { pow(10, (offset - rssi) / pathLossFactor) }
}
