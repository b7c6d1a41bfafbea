// SPDX-License-Identifier: Apache-2.0

/// Metrics that change at most one time in an hour.
///
/// A monitoring system reads the metrics every few seconds and stores them. If it saw a count of warnings grow, it would
/// reveal the moment of each warning, and anyone who knows when boards were connected could find out whose it was. So the
/// first request of an hour fixes the values for all other requests of that hour.
public struct HourlyMetrics {
    private static let seconds: Int64 = 3_600
    private var hour: Int64?
    private var kept: [MetricFamily] = []

    /// Creates a cache without values.
    public init() {}

    /// Returns the metrics for the hour (UTC) of `now` (Unix seconds): those that `make` returned at the first call of that
    /// hour. Throws only what `make` throws; the next call then calls `make` again.
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
