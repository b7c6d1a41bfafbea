// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signal strength at which one board hears another, by distance: log-distance path loss with Gaussian fading in
/// decibels.
///
/// Fitted to NIST's measurements of two Raspberry Pi 3 in line of sight, 0.5 to 4 m (ececli/Exposure-Notification-on-RPi,
/// 16 series: `Tests/Vectors/gaen/rssi_distance.json`). Least squares over log10(distance), weighted by the number of
/// packets, gives -46.6 dBm at 1 m and an exponent of 2.5, with every series within 3.3 dB of the line; spread within a series
/// is 6.7 to 8.8 dB, on average 7.6. Below a metre the measured level no longer rises, so the model is held there.
public struct PathLoss: Sendable {
    /// The mean level in dBm at one metre from a sender of 0 dBm; -46.6 unless set.
    public var rssiAtOneMetre: Double = -46.6
    /// The path-loss exponent, 0 or more: 2 in free space, usually higher where there are people and walls. The default
    /// of 2.5 is the fit to NIST's measurements (see the type).
    public var exponent: Double = 2.5
    /// The standard deviation of fading in dB, 0 or more; 7.6, the average of NIST's measurements, unless set.
    public var fading: Double = 7.6

    /// Creates a path loss with the defaults stated, which fit the measurements named above.
    public init() {}

    /// Returns the mean level in dBm at a distance of `metres`; below one metre it is that at one metre. Cannot fail.
    public func meanRSSI(metres: Double) -> Double {
        rssiAtOneMetre - 10 * exponent * log10(max(metres, 1))
    }

    /// Returns one reading in dBm, limited to -127 to 20, with fading drawn from `generator`. Cannot fail.
    public func rssi(metres: Double, using generator: inout some RandomNumberGenerator) -> Int8 {
        // The sum of twelve uniform numbers is near enough to a Gaussian for a radio (and has no tail to clip).
        let gaussian = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        let level = meanRSSI(metres: metres) + fading * gaussian
        return Int8(min(max(level.rounded(), -127), 20))
    }
}
