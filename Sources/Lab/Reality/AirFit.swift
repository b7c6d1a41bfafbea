// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
public import VirtualAir

/// The search for the air in which scans bring what they brought real phones: it compares the measures of ``AirTable`` in
/// two scenes, and leaves the others for judging.
public struct AirFit: Sendable {
    /// A number of an environment that is searched for.
    public struct Parameter: Sendable {
        /// Its name on the control socket of a virtual air.
        public let name: String
        /// The values that are looked at.
        let range: ClosedRange<Double>
        /// Where the search begins, and its first step.
        let start: Double
        let step: Double
        let get: @Sendable (Environment) -> Double
        let set: @Sendable (inout Environment, Double) -> Void

        /// The value in `environment`.
        public func value(in environment: Environment) -> Double { get(environment) }
    }

    /// Where the numbers come from; the other scenes are for judging.
    public static let scenes: [ScenePositions.Name] = [.lunch, .train]
    /// The airs that are simulated for each look, and averaged.
    public static let repetitions = 4

    /// What is searched for without people in between; the other numbers of ``Environment`` keep the values of ``start(bodies:)``.
    public static let parameters: [Parameter] = [
        Parameter(
            name: "pl0", range: 20...90, start: 52, step: 4, get: { -$0.pathLoss.rssiAtOneMetre },
            set: { $0.pathLoss.rssiAtOneMetre = -$1 }),
        Parameter(
            name: "n", range: 0...6, start: 2.5, step: 0.5, get: { $0.pathLoss.exponent },
            set: { $0.pathLoss.exponent = $1 }),
        Parameter(
            name: "sigma", range: 0...12, start: 3.5, step: 0.5, get: { $0.pathLoss.fading },
            set: { $0.pathLoss.fading = $1 }
        ),
        Parameter(name: "shadow", range: 0...15, start: 5, step: 2, get: { $0.shadowing }, set: { $0.shadowing = $1 }),
        Parameter(
            name: "brief", range: 0...15, start: 4, step: 2, get: { $0.briefShadowing }, set: { $0.briefShadowing = $1 }),
        Parameter(
            name: "lost", range: 0...0.95, start: 0.4, step: 0.1, get: { $0.packetLoss }, set: { $0.packetLoss = $1 }),
        Parameter(
            name: "burst", range: 0...0.3, start: 0.02, step: 0.03, get: { $0.burstLoss }, set: { $0.burstLoss = $1 }),
        Parameter(
            name: "floor", range: -115 ... -85, start: -100, step: 3, get: { $0.sensitivity }, set: { $0.sensitivity = $1 }),
        Parameter(name: "noise", range: 0...30, start: 8, step: 3, get: { $0.noise }, set: { $0.noise = $1 }),
    ]

    /// What is searched for with people in between: those, and two of their own. Distance begins as in free space.
    public static let bodyParameters: [Parameter] =
        parameters.map { parameter in
            guard parameter.name == "n" else { return parameter }
            return Parameter(
                name: "n", range: parameter.range, start: 2, step: parameter.step, get: parameter.get, set: parameter.set)
        } + [
            Parameter(
                name: "bodyWidth", range: 0...0.6, start: 0.3, step: 0.1, get: { $0.bodyWidth }, set: { $0.bodyWidth = $1 }),
            Parameter(
                name: "bodyMost", range: 0...60, start: 15, step: 5, get: { $0.mostBodyLoss },
                set: { $0.mostBodyLoss = $1 }),
        ]

    /// What the search begins with. Shadowing lasts longer than a scene, as who sits where; scans, four minutes apart, share
    /// no brief one. With people in between, brief shadows change with each metre walked.
    public static func start(bodies: Bool) -> Environment {
        var environment = Environment()
        environment.shadowingPeriod = 3_600
        if bodies { environment.briefShadowingMetres = 1 }
        for parameter in bodies ? bodyParameters : parameters { parameter.set(&environment, parameter.start) }
        return environment
    }

    /// What this search is for: ``parameters`` or ``bodyParameters``.
    public let searched: [Parameter]
    private let start: Environment
    private let captured: AirTable
    private let afternoon: SimulatedAfternoon
    private let seed: UInt64

    /// Prepares the search in `data`, with all chance from `seed`, with or without people in between. Throws `InputError` if
    /// positions cannot be read.
    public init(_ data: RecordedAfternoon, seed: UInt64 = 1, bodies: Bool = false) throws(InputError) {
        searched = bodies ? Self.bodyParameters : Self.parameters
        start = Self.start(bodies: bodies)
        captured = AirTable(try data.heardScans(Self.scenes), seed: seed)
        afternoon = try SimulatedAfternoon(data, Self.scenes)
        self.seed = seed
    }

    /// How far the simulated air is from the captures: the sum over all measures of the squared difference, each in units of
    /// the captures' own uncertainty (a quarter of the width of its interval).
    public func distance(of environment: Environment) -> Double {
        let simulated = AirComparison.means(of: afternoon, in: environment, seeds: Self.seeds(from: seed))
        var sum = 0.0
        func add(_ real: Estimate?, _ value: Double?) {
            guard let real, real.high > real.low else { return }
            // What the simulation does not have at all is as wrong as can be.
            guard let value else { return sum += 100 }
            let difference = (value - real.value) / ((real.high - real.low) / 4)
            sum += difference * difference
        }
        for row in captured.rows {
            for measure in AirTable.Measure.allCases {
                add(row.values[measure], simulated.values[row.from]?[measure])
            }
        }
        add(captured.change, simulated.change)
        add(captured.nothingAgain, simulated.nothingAgain)
        return sum
    }

    static func seeds(from seed: UInt64) -> Range<UInt64> { seed &* 1_000..<seed &* 1_000 &+ UInt64(repetitions) }

    /// Searches, looking at so many airs. Calls `progress` with the number that were looked at. Returns the best one with
    /// its numbers rounded to hundredths, and its ``distance(of:)``.
    public func search(evaluations: Int, progress: (Int) -> Void = { _ in }) -> (environment: Environment, distance: Double)
    {
        func environment(_ values: [Double]) -> Environment {
            var environment = start
            for (parameter, value) in zip(searched, values) { parameter.set(&environment, value) }
            return environment
        }
        let found = NelderMead.minimum(
            from: searched.map(\.start), steps: searched.map(\.step), in: searched.map(\.range),
            evaluations: evaluations, progress: progress
        ) { distance(of: environment($0)) }
        let rounded = environment(
            zip(searched, found.point).map { ($1 * 100).rounded() / 100 })
        return (rounded, distance(of: rounded))
    }
}
