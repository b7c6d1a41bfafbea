// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Interfaces

/// Plays the scenes with several authorities: profiles, rules in each system's own form, signed files, what the receiver
/// heard, restarts, and profiles that come and go. It compares with the table what people are told about all authorities
/// together and about each, the numbers, and whether there is news.
public struct SourcesTrial {
    /// The interpretations that this firmware has chosen where the documents leave room, by their names in the table. Of
    /// several codes the first one counts (docs/decisions/0028). A source that is late says so even if it left somebody
    /// unjudged; the person is told of the unjudged key and not of the delay.
    public static let ourReadings = ["firstCodeWins", "staleBeforeUnjudged"]

    private let table: SourcesTable
    private let folder: String
    private let readings: [String]
    /// The day of submission: 2026-12-03. No board believes in a time before November 2026, and these hear people 14 days before.
    private static let day: Int64 = 20_790
    /// Table and firmware add up in another order, and the table rounds to thousandths.
    private static let tolerance = 0.001

    /// Creates a trial of `table`, which is not run yet. `folder` is for the state of boards, and of an authority whose
    /// default rules are used; `readings` names the interpretations in the table that apply.
    public init(_ table: SourcesTable, folder: String, readings: [String] = []) {
        self.table = table
        self.folder = folder
        self.readings = readings
    }

    /// Plays about one scene in `share` (1 or more), chosen by `first` (0 or more; each number chooses other scenes), and
    /// at least one of each group, on the calling thread. Returns the groups in the order of the table. `progress` is
    /// called with the number of finished scenes and of all scenes to play. A scene that stops is a failure in its group's
    /// report. Throws when an authority cannot be created.
    public func run(
        share: Int = 1, first: Int = 0, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> [SceneTrial.Group] {
        let lender = try PublishingAuthority(below: folder)
        try lender.publish(at: UTCDay(number: Self.day).start)
        let own = try lender.rules().document
        let authorities = try table.systems.keys.sorted().map {
            try SceneAuthority($0, table, own: own)
        }
        let chosen = table.share(share, first: first)
        var groups: [SceneTrial.Group] = []
        for (done, (number, scene)) in chosen.enumerated() {
            let index = groups.firstIndex { $0.name == scene.group } ?? groups.endIndex
            if index == groups.endIndex { groups.append(SceneTrial.Group(name: scene.group)) }
            groups[index].scenes += 1
            // What stops one scene must not hide the others.
            do { try play(scene, number, authorities, &groups[index].report) } catch {
                groups[index].report.failures.append("\(scene.name): it stopped: \(error)")
            }
            progress(done + 1, chosen.count)
        }
        return groups
    }

    private func play(
        _ scene: SourcesScene, _ number: Int, _ authorities: [SceneAuthority], _ report: inout WarningTrial.Report
    ) throws {
        let followed = scene.sources.compactMap { name in authorities.first { $0.name == name } }
        let board = try SourcesBoard(scene, number: number, day: Self.day, authorities: followed, folder: folder)
        for (index, risk) in try board.play().enumerated() {
            let check = scene.checks[index]
            let judge = SourcesJudge(
                scene, index, readings: readings, today: Self.day + check.time / UTCDay.seconds, tolerance: Self.tolerance)
            judge.compare(risk, &report)
        }
    }
}
