// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signal that is expected at a distance: NHS COVID-19's logarithm of the attenuation (spec checkin-and-nhs B.1).
package struct DistanceObservation: Sendable {
    /// The factor of the logarithm of the distance (or of the power loss); must be positive, which is not checked
    /// here: otherwise the attenuation would fall with distance.
    package var weightCoefficient: Double
    /// The constant that is added to the logarithm of dB; for ``NHSSecondParameters/ObservationType/log`` it is the
    /// logarithm of dB at a distance of 1 m.
    package var intercept: Double
    /// The formula that is used.
    package var type: NHSSecondParameters.ObservationType
    /// The power loss, used only for ``NHSSecondParameters/ObservationType/gen``.
    package var powerLoss: PowerLoss

    /// Creates an observation from these numbers, which are not checked.
    package init(
        weightCoefficient: Double, intercept: Double, type: NHSSecondParameters.ObservationType, powerLoss: PowerLoss
    ) {
        self.weightCoefficient = weightCoefficient
        self.intercept = intercept
        self.type = type
        self.powerLoss = powerLoss
    }

    /// Returns the expected observation, a logarithm of dB, at `distance` metres, which must not be negative. At 0 it
    /// is minus infinity for ``NHSSecondParameters/ObservationType/log``.
    package func callAsFunction(_ distance: Double) -> Double {
        switch type {
        case .log: weightCoefficient * log(distance) + intercept
        case .gen: weightCoefficient * log(-powerLoss.friis(distance)) + intercept
        }
    }
}

/// The library's power-loss helper as it was released: the logarithm of the distance is not multiplied by the path
/// loss factor, but the inverse formula divides by it.
package struct PowerLoss: Sendable {
    /// The wavelength in metres; 0.125 at Bluetooth's 2.4 GHz.
    package var wavelength: Double
    /// The loss in dB per decade of distance, 20 in free space.
    package var pathLossFactor: Double
    /// The loss of the receiving device in dB, which is added.
    package var referenceDeviceLoss: Double
    /// The corrections for receiver and transmitter together in dB, which are added.
    package var corrections: Double

    /// Creates a power loss from these numbers, which are not checked; `corrections` are in dB.
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

    /// Returns the library's power loss at `distance` metres. It is always below 0, so that its negative has a
    /// logarithm: results of 0 and above become -0.001, and distances of 0 and below count as 1 mm.
    package func friis(_ distance: Double) -> Double {
        let loss = -log10(distance > 0 ? distance : 0.001) + offset
        return loss >= 0 ? -0.001 : loss
    }

    /// Returns the distance in metres at which `rssi`, in dBm, would be received; infinite or NaN if the path loss
    /// factor is 0.
    package func distance(rssi: Double) -> Double { pow(10, (offset - rssi) / pathLossFactor) }
}
