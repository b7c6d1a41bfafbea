// SPDX-License-Identifier: Apache-2.0

import GAEN
public import Interfaces
import Radio
public import TimeTrust

extension Beacon {
    /// Between two scans of a measurement, where the controller can listen and send at once.
    private static let pause = Duration.milliseconds(500)

    /// Listens as much as it can for so long, to find out how the strongest sender sounds. `seconds` and `reference` are in the ranges the
    /// interface names.
    public func measureStrength(seconds: Int, reference: Int, at now: BootInstant) {
        measurement = StrengthMeasurement(reference: reference, end: now.duration + .seconds(seconds))
        scanAgain(after: .zero, at: now)
        radio.advance(to: now.duration)
        obeyRadio(at: now)
    }

    /// The running or last measurement; `nil` if there was none.
    public func strengthMeasurement(at now: BootInstant) -> Device1.Measurement? { measurement?.result(at: now.duration) }

    func measure(_ payload: AdvertisingPayload, _ rssi: Int8, at moment: Duration) {
        measurement?.add(payload, rssi, at: moment)
    }

    /// A scan is over: the next one is soon, while something is being measured.
    func scanAgainIfMeasuring(at now: BootInstant) {
        guard let measurement, measurement.isRunning(at: now.duration) else { return }
        // Who sends and listens in turns sends as long as it listens.
        scanAgain(after: radio.timeSlices ? profile.scan.duration : Self.pause, at: now)
    }

    private func scanAgain(after pause: Duration, at now: BootInstant) {
        guard !isStopping else { return }
        radio.scanEarly(at: now.duration + pause)
    }
}
