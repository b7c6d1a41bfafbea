// SPDX-License-Identifier: Apache-2.0

import CSQLite
public import CommandFiles

/// A published reception: how strong it was, and how far away the sender was, by video.
public struct MeasuredReception: Sendable, Hashable {
    /// The signal strength in dBm.
    public let rssi: Int
    /// The distance in metres.
    public let distance: Double

    /// Reads the receptions with a distance from the databases at `paths` (table `results` of DP-3T/bt-measurements), in
    /// their order. The files are only read, also where nothing can be written beside them.
    ///
    /// Throws `InputError` with the path of a file that cannot be read, or is no such database.
    public static func read(_ paths: [String]) throws(InputError) -> [MeasuredReception] {
        var receptions: [MeasuredReception] = []
        for path in paths { receptions += try read(path) }
        return receptions
    }

    private static func read(_ path: String) throws(InputError) -> [MeasuredReception] {
        var receptions: [MeasuredReception] = []
        try ReceptionDatabase.forEachRow(
            of: path,
            "SELECT rssi, ground_truth_distance FROM results WHERE ground_truth_distance IS NOT NULL ORDER BY db_id",
            columns: "rssi and ground_truth_distance"
        ) {
            receptions.append(
                MeasuredReception(rssi: Int(sqlite3_column_int64($0, 0)), distance: sqlite3_column_double($0, 1)))
        }
        return receptions
    }
}

/// Precision and recall of an alarm by attenuation alone, for each reception: positive is a distance of at most d, an
/// alarm an attenuation of at most a (spec reality, section 4).
public struct DistanceTable: Sendable {
    /// What an alarm at one attenuation says about one distance.
    public struct Cell: Sendable, Hashable {
        /// The receptions with an alarm whose sender was near enough.
        public let hits: Int
        /// The receptions with an alarm.
        public let alarms: Int
        /// The receptions whose sender was near enough.
        public let positives: Int
        /// The share of alarms that were right; `nil` without an alarm.
        public var precision: Double? { alarms == 0 ? nil : Double(hits) / Double(alarms) }
        /// The share of near receptions with an alarm; `nil` if none was near.
        public var recall: Double? { positives == 0 ? nil : Double(hits) / Double(positives) }
    }

    /// The attenuations in dB, one for each row.
    public let attenuations: [Int]
    /// The distances in metres, one for each column.
    public let distances: [Double]
    /// By row and column.
    public let cells: [[Cell]]
    /// The number of receptions.
    public let count: Int

    /// Counts. `power` is in dBm: the attenuation of a reception is `power` less its signal strength.
    public init(_ receptions: [MeasuredReception], power: Int, attenuations: [Int], distances: [Double]) {
        self.attenuations = attenuations
        self.distances = distances
        count = receptions.count
        cells = attenuations.map { limit in
            let alarms = receptions.filter { power - $0.rssi <= limit }
            return distances.map { distance in
                Cell(
                    hits: alarms.count { $0.distance <= distance }, alarms: alarms.count,
                    positives: receptions.count { $0.distance <= distance })
            }
        }
    }
}
