// SPDX-License-Identifier: Apache-2.0

/// Numbers that stand still within an hour.
///
/// A monitoring asks every few seconds and keeps what it hears. A count of warnings that it saw grow would tell the moment of each, and
/// whoever knows when boards were connected could look up who it was. So each hour's first question decides what all others of that hour
/// are told.
public struct HourlyMetrics {
    private static let seconds: Int64 = 3_600
    private var hour: Int64?
    private var kept: [MetricFamily] = []

    /// Keeps nothing until it is asked for the first time.
    public init() {}

    /// The answer to the first question of the hour (UTC) of `now` (Unix seconds), made by `make` then; all other questions of that hour get the
    /// same. An error of `make` is passed on; the next question asks it again.
    public mutating func families<Failure>(
        now: Int64, _ make: () throws(Failure) -> [MetricFamily]
    ) throws(Failure) -> [MetricFamily] {
        let current = now / Self.seconds
        if hour != current {
            kept = try make()
            hour = current
        }
        return kept
    }
}
