// SPDX-License-Identifier: Apache-2.0

import CSQLite
public import CommandFiles
import Glibc

/// How strongly phones heard each other at one metre in an anechoic chamber (DP-3T/bt-measurements, exp25, 27, 28 and 29).
public struct ChamberTable: Sendable {
    /// One phone that heard another one in one experiment.
    public struct Row: Sendable, Hashable {
        /// The experiment's folder, up to its first `-`.
        public let experiment: String
        /// The model of the phone that listened, by its own name.
        public let receiver: String
        /// The model of the phone that sent.
        public let transmitter: String
        /// The power in dBm that the sender stated; the phones of other makers than Apple stated 0, which means nothing.
        public let power: Int
        /// The number of receptions.
        public let count: Int
        /// The lower quartile, the median and the upper quartile of the signal strength in dBm.
        public let quartiles: [Int]
    }

    /// No controller measures above this, in dBm; such values are left out and counted.
    static let strongest = 20

    /// By experiment, in the order of files.
    public let rows: [Row]
    /// The receptions with a signal strength that no controller measures.
    public let refused: Int

    /// Reads the databases of the four experiments in `folder`, `bt-measurements` of the published data. Throws `InputError`
    /// with the path if there is none, or one cannot be read.
    public init(folder: String) throws(InputError) {
        var (rows, refused): ([Row], Int) = ([], 0)
        for experiment in ["exp25", "exp27", "exp28", "exp29"] {
            guard let name = Self.names(in: folder).first(where: { $0.hasPrefix(experiment + "-") }) else {
                throw InputError(file: folder, "has no folder \(experiment)-…")
            }
            let files = Self.names(in: "\(folder)/\(name)").filter { $0.hasSuffix(".sqlite") }
            guard !files.isEmpty else { throw InputError(file: "\(folder)/\(name)", "has no database") }
            for file in files {
                let (found, left) = try Self.read("\(folder)/\(name)/\(file)", experiment)
                rows += found
                refused += left
            }
        }
        (self.rows, self.refused) = (rows, refused)
    }

    /// How much stronger `row`'s receiver hears its sender than `reference` hears the same model in the same experiment, by
    /// medians in dB; `nil` if `reference` did not hear it.
    public func offset(of row: Row, from reference: String) -> Int? {
        rows.first {
            $0.experiment == row.experiment && $0.transmitter == row.transmitter && $0.receiver == reference
        }.map { row.quartiles[1] - $0.quartiles[1] }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted()
    }

    static func read(_ path: String, _ experiment: String) throws(InputError) -> (rows: [Row], refused: Int) {
        struct Direction: Hashable {
            let receiver: String
            let transmitter: String
            let power: Int
        }
        func text(_ statement: OpaquePointer, _ column: Int32) -> String {
            let bytes = Int(sqlite3_column_bytes(statement, column))
            guard let start = sqlite3_column_text(statement, column), bytes <= 64 else { return "?" }
            let shown = UnsafeBufferPointer(start: start, count: bytes).map { (0x21..<0x7F).contains($0) ? $0 : 0x3F }
            return String(decoding: shown, as: UTF8.self)
        }
        var (heard, refused): ([Direction: [Int]], Int) = ([:], 0)
        try ReceptionDatabase.forEachRow(
            of: path, "SELECT receiver_model, transmitter_model, tx_power, rssi FROM results ORDER BY db_id",
            columns: "models, tx_power and rssi"
        ) { row in
            let strength = Int(sqlite3_column_int64(row, 3))
            guard (-127...strongest).contains(strength) else {
                refused += 1
                return
            }
            let power = Int(Int32(clamping: sqlite3_column_int64(row, 2)))
            heard[Direction(receiver: text(row, 0), transmitter: text(row, 1), power: power), default: []].append(strength)
        }
        let order = heard.sorted {
            ($0.key.receiver, $0.key.transmitter, $0.key.power) < ($1.key.receiver, $1.key.transmitter, $1.key.power)
        }
        return (
            order.map { direction, strengths in
                let sorted = strengths.sorted()
                return Row(
                    experiment: experiment, receiver: direction.receiver, transmitter: direction.transmitter,
                    power: direction.power, count: sorted.count,
                    quartiles: (1...3).map { sorted[min(sorted.count - 1, sorted.count * $0 / 4)] })
            }, refused
        )
    }
}
