// SPDX-License-Identifier: Apache-2.0

import GAEN
public import Interfaces
import Radio
public import TimeTrust

extension Beacon {
    /// Begins a measurement of the strongest sender, for which the radio listens as much as possible for `seconds`; a
    /// measurement in progress ends. `reference` is the strength in dBm to compare with. Both must be in the ranges that
    /// `MeasureStrength` of `org.vigil.device1` names, which is not checked here.
    public func measureStrength(seconds: Int, reference: Int, at now: BootInstant) {
        calibration.measure(reference: reference, until: now.duration + .seconds(seconds))
        scanAtOnce(at: now)
    }

    /// Begins a measurement of the loudest neighbour, for which the radio listens without a pause for `seconds`; one in
    /// progress ends. The range that `MeasureNeighbours` of `org.vigil.device1` names is not checked here.
    func measureNeighbours(seconds: Int, at now: BootInstant) {
        calibration.measureNeighbours(until: now.duration + .seconds(seconds))
        scanAtOnce(at: now)
    }

    /// The measurement of the loudest neighbour, or else the last one since the program started; `nil` if there was none.
    func neighbours(at now: BootInstant) -> Device1.Neighbours? { calibration.neighbours?.result(at: now.duration) }

    /// Returns the current measurement, or else the last one since the program started; `nil` if there was none.
    public func strengthMeasurement(at now: BootInstant) -> Device1.Measurement? {
        calibration.measurement?.result(at: now.duration)
    }

    /// A scan is over: the next one is soon, while something is being measured.
    func scanAgainIfMeasuring(at now: BootInstant) {
        // Who sends and listens in turns sends as long as it listens.
        let slice = radio.timeSlices ? profile.scan.duration : nil
        let pause = calibration.scanPause(at: now.duration, slice: slice)
        radio.measure(pause != nil)
        if let pause { scanAgain(after: pause, at: now) }
    }

    private func scanAtOnce(at now: BootInstant) {
        radio.measure(true)
        scanAgain(after: .zero, at: now)
        radio.advance(to: now.duration)
        obeyRadio(at: now)
    }

    private func scanAgain(after pause: Duration, at now: BootInstant) {
        guard !isStopping else { return }
        radio.scanEarly(at: now.duration + pause)
    }
}
