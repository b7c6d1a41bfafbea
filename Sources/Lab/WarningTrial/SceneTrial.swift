// SPDX-License-Identifier: Apache-2.0

/// Plays the scenes: submissions through our authority or packages of another one, what the receiver heard second by
/// second, restarts, roles and the order of events. It compares what people are told, and the sums behind it, with the
/// table.
public struct SceneTrial {
    /// The interpretations that this firmware has chosen where the specifications leave room, by their names in the table:
    /// what the first model cannot read is judged by the next one (docs/decisions/0027).
    public static let ourReadings = ["restJudgedByLaterModel"]

    /// The outcome of one group of scenes.
    public struct Group: Sendable {
        /// The group's name in the table.
        public let name: String
        /// The number of scenes of the group that were played, 0 or more.
        public internal(set) var scenes = 0
        /// The comparison of the group's scenes with the table.
        public internal(set) var report = WarningTrial.Report()
    }

    private let table: SceneTable
    private let folder: String
    private let readings: [String]
    /// The day of submission: 2026-11-13.
    private static let day: Int64 = 20_770
    /// Scenes that share one authority of ours.
    private static let scenesPerAuthority = 100
    /// Table and firmware add up in another order, and the table rounds to thousandths.
    private static let tolerance = 0.001

    /// Creates a trial of `table`, which is not run yet. `folder` is for the state of authorities and boards; `readings`
    /// names the interpretations in the table that apply.
    public init(_ table: SceneTable, folder: String, readings: [String] = []) {
        self.table = table
        self.folder = folder
        self.readings = readings
    }

    /// Plays about one scene in `share` (1 or more), chosen by `first` (0 or more; each number chooses other scenes), on
    /// the calling thread. Returns the groups in the order of their first scenes. `progress` is called with the number of
    /// finished scenes and of all scenes to play. Throws when a scene cannot be played.
    public func run(share: Int = 1, first: Int = 0, progress: (Int, Int) -> Void = { _, _ in }) throws -> [Group] {
        let chosen = table.share(share, first: first)
        var groups: [Group] = []
        var done = 0
        func add(_ scene: Scene, _ number: Int, _ source: any SceneSource, _ known: [String]) throws {
            let index = groups.firstIndex { $0.name == scene.group } ?? groups.endIndex
            if index == groups.endIndex { groups.append(Group(name: scene.group)) }
            groups[index].scenes += 1
            groups[index].report.failures += known.map { "\(scene.name): \($0)" }
            try play(scene, number, source, &groups[index].report)
            done += 1
            progress(done, chosen.count)
        }
        let own = chosen.filter { $0.scene.authority == .own }
        for start in stride(from: 0, to: own.count, by: Self.scenesPerAuthority) {
            let part = Array(own[start..<min(start + Self.scenesPerAuthority, own.count)])
            let source = try OwnSceneSource(part, folder: folder, day: Self.day)
            for (number, scene) in part { try add(scene, number, source, source.problems[number] ?? []) }
        }
        let others = chosen.filter { $0.scene.authority == .foreign }
        if !others.isEmpty {
            let source = try ForeignSceneSource(table, folder: folder, day: Self.day)
            for (number, scene) in others { try add(scene, number, source, []) }
        }
        return groups
    }

    private func play(
        _ scene: Scene, _ number: Int, _ source: any SceneSource, _ report: inout WarningTrial.Report
    ) throws {
        let board = SceneBoard(scene, number: number, day: Self.day, source: source, folder: folder)
        let (answers, problems) = try board.play()
        report.failures += problems.map { "\(scene.name): \($0)" }
        for (index, (answer, chosen)) in zip(answers, scene.told(readings)).enumerated() {
            let check = scene.checks[index]
            let decided = SceneReadings.decided(scene, check: index)
            let right = decided.map { [$0] } ?? chosen
            report.note(answer.told.rawValue, right.map(\.rawValue), "\(scene.name), at \(check.time) s")
            // The table says what the sums are by its own reading only.
            guard decided == nil, right == [check.told], answer.told == check.told,
                check.told == .low || check.told == .increased
            else { continue }
            for problem in Self.problems(answer, check) {
                report.failures.append("\(scene.name), at \(check.time) s: \(problem)")
            }
        }
    }

    /// Which sums are not the table's.
    private static func problems(_ answer: SceneBoard.Answer, _ check: Scene.Check) -> [String] {
        var right: [Int64?: Double] = [:]
        for day in check.days ?? [] where day.count == 2 { right[day[0].map { Int64($0) }] = day[1] ?? 0 }
        return Set(right.keys).union(answer.days.keys).compactMap { day in
            let (found, wanted) = (answer.days[day] ?? 0, right[day] ?? 0)
            guard abs(found - wanted) > tolerance + wanted * 1e-6 else { return nil }
            return "\(day.map { "\($0) days before" } ?? "together") \(found) points and not \(wanted)"
        }.sorted()
    }
}
