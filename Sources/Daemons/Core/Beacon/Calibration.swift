// SPDX-License-Identifier: Apache-2.0

import GAEN

/// The correction that was set on this board in place of its profile's, how strong signals were, and the technician's last measurement, which only
/// proposes: `SetCorrection` sets.
struct Calibration {
    /// Between two scans of a measurement, where the controller can listen and send at once.
    private static let pause = Duration.milliseconds(500)

    /// What was set on this board in place of its profile's calibration.
    var corrections = ReceiverCorrections()
    /// How strong what was heard was, since the start.
    private(set) var strengths = StrengthHistogram()
    /// The last that somebody asked for; `nil` if nobody did.
    private(set) var measurement: StrengthMeasurement?
    /// The last of a calibration at the console; `nil` if there was none.
    private(set) var neighbours: NeighbourMeasurement?

    /// Begins to measure until `end`, on the boot clock; what was measured before is gone. `reference` is in dBm.
    mutating func measure(reference: Int, until end: Duration) {
        measurement = StrengthMeasurement(reference: reference, end: end)
    }

    /// Begins to measure the loudest neighbour until `end`, on the boot clock; what was measured before is gone.
    mutating func measureNeighbours(until end: Duration) { neighbours = NeighbourMeasurement(end: end) }

    /// A scan has begun.
    mutating func scanStarted(at now: Duration) { neighbours?.scanStarted(at: now) }

    /// Something was heard. `rssi` is raw, in dBm.
    mutating func hear(_ payload: AdvertisingPayload, _ rssi: Int8, at moment: Duration) {
        strengths.add(rssi)
        measurement?.add(payload, rssi, at: moment)
        neighbours?.add(payload, rssi, at: moment)
    }

    /// How long after a scan the next one is wanted; `nil` while nothing is measured. `slice` is how long the controller must send in between
    /// where it cannot do both at once.
    func scanPause(at now: Duration, slice: Duration?) -> Duration? {
        if let neighbours, neighbours.isRunning(at: now) { return slice ?? .zero }
        guard let measurement, measurement.isRunning(at: now) else { return nil }
        return slice ?? Self.pause
    }
}
