// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
public import VirtualAir

/// One scene as it was captured, and in simulated airs.
public struct AirComparison: Sendable {
    /// The means over several simulated airs.
    public struct Means: Sendable {
        /// The measures by the beginning of the range of distances, in metres.
        public let values: [Double: [AirTable.Measure: Double]]
        let change: Double?
        let nothingAgain: Double?
    }

    /// The measures that say whether an air behaves as the captures: what is heard at all, how often, how loud and how evenly.
    public static let judged: [AirTable.Measure] = [.nothing, .receptions, .median, .deviation]
    /// The simulated airs that are averaged.
    public static let repetitions = 8

    /// The scene.
    public let scene: ScenePositions.Name
    /// What was captured.
    public let captured: AirTable
    /// What is simulated, one for each environment.
    public let simulated: [Means]

    /// Compares a scene of `data` with each of `environments`, with all chance from `seed`. Throws `InputError` if positions
    /// cannot be read.
    public init(
        _ data: RecordedAfternoon, _ scene: ScenePositions.Name, environments: [Environment], resamples: Int = 1_000,
        seed: UInt64 = 1
    ) throws(InputError) {
        self.init(
            data, scene, try data.positions(scene), environments: environments, resamples: resamples, seed: seed)
    }

    /// The same with positions that were read, and averages of so many airs.
    init(
        _ data: RecordedAfternoon, _ scene: ScenePositions.Name, _ positions: ScenePositions, environments: [Environment],
        resamples: Int, seed: UInt64 = 1, repetitions: Int = Self.repetitions
    ) {
        self.scene = scene
        captured = AirTable(data.heardScans(positions, scene), resamples: resamples, seed: seed)
        let afternoon = SimulatedAfternoon(data, [(scene, positions)])
        // Other airs than those of the search.
        let first = seed &* 1_000 &+ 500
        simulated = environments.map {
            Self.means(of: afternoon, in: $0, seeds: first..<first &+ UInt64(repetitions))
        }
    }

    /// Of the judged measures of all distances: how many of the simulated environment `index` are inside of the captures'
    /// interval, and how many there are.
    public func inside(_ index: Int) -> (count: Int, all: Int) {
        var (count, all) = (0, 0)
        for row in captured.rows {
            for measure in Self.judged {
                guard let isInside = isInside(measure, row, index) else { continue }
                all += 1
                count += isInside ? 1 : 0
            }
        }
        return (count, all)
    }

    /// Whether a simulated measure is inside of the captures' interval; `nil` if it was not captured. What is not heard at
    /// all in the simulation is outside.
    public func isInside(_ measure: AirTable.Measure, _ row: AirTable.Row, _ index: Int) -> Bool? {
        guard let real = row.values[measure] else { return nil }
        guard let value = simulated[index].values[row.from]?[measure] else { return false }
        return (real.low...real.high).contains(value)
    }

    /// The means over airs of all `seeds`.
    static func means(of afternoon: SimulatedAfternoon, in environment: Environment, seeds: Range<UInt64>) -> Means {
        let tables = seeds.map { AirTable(afternoon.heardScans(in: environment, seed: $0), resamples: 0) }
        func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }
        var values: [Double: [AirTable.Measure: Double]] = [:]
        for from in AirTable.edges {
            let rows = tables.flatMap(\.rows).filter { $0.from == from }
            for measure in AirTable.Measure.allCases {
                if let mean = mean(rows.compactMap { $0.values[measure]?.value }) {
                    values[from, default: [:]][measure] = mean
                }
            }
        }
        return Means(
            values: values, change: mean(tables.compactMap { $0.change?.value }),
            nothingAgain: mean(tables.compactMap { $0.nothingAgain?.value }))
    }
}
