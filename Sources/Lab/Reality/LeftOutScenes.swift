// SPDX-License-Identifier: Apache-2.0

/// A rule fitted on all scenes but one, and scored on that one, for each scene.
public struct LeftOutScenes: Sendable {
    /// One scene that was left out.
    public struct Fold: Sendable {
        /// The scene that was left out of the fit, and scored.
        public let scene: ScenePositions.Name
        /// The scenes of the fit; never the one above.
        public let fittedOn: Set<ScenePositions.Name>
        /// The steps that the fit found.
        public let steps: [Double]
        /// What the rule with these steps says of the scene's units.
        public let verdicts: RuleVerdicts
    }

    /// A fold for each scene whose other scenes have positive units and others.
    public let folds: [Fold]
    /// All scenes together, each by the numbers that were fitted without it; areas compare units of one scene.
    public let together: RuleVerdicts
    /// The units of ``together``, in their order.
    public let pairs: [MetPair]
    /// The steps of a fit on all scenes, for use elsewhere. Nothing here is scored by it.
    public let stepsOfAll: [Double]

    /// Fits and scores; `progress` is called after each fit with the number of fits that are done.
    public init(
        _ rule: FittedRule, _ pairs: [MetPair], isNearer: Bool = false, _ circumstances: Circumstances = .init(),
        resamples: Int = 1_000, progress: (Int) -> Void = { _ in }
    ) {
        var (folds, judged, units): ([Fold], [(score: Double, isAlarm: Bool)], [MetPair]) = ([], [], [])
        for scene in ScenePositions.Name.allCases {
            let (others, left) = (pairs.filter { $0.scene != scene }, pairs.filter { $0.scene == scene })
            let kinds = Set(others.map { $0.isPositive(nearer: isNearer) })
            guard !left.isEmpty, kinds.count == 2 else { continue }
            let steps = RuleFit.steps(of: rule, on: others, isNearer: isNearer, circumstances)
            progress(folds.count + 1)
            guard let moved = rule.moved(steps) else { continue }
            let verdicts = moved.judge(left, circumstances)
            folds.append(
                Fold(
                    scene: scene, fittedOn: Set(others.map(\.scene)), steps: steps,
                    verdicts: RuleVerdicts(of: verdicts, on: left, isNearer: isNearer, resamples: resamples)))
            judged += verdicts
            units += left
        }
        self.folds = folds
        self.pairs = units
        together = RuleVerdicts(of: judged, on: units, isNearer: isNearer, withinScenes: true, resamples: resamples)
        stepsOfAll = RuleFit.steps(of: rule, on: pairs, isNearer: isNearer, circumstances)
        progress(folds.count + 1)
    }
}
