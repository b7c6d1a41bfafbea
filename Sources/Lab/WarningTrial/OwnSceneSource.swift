// SPDX-License-Identifier: Apache-2.0

import Authority
import CivilTime
import Cryptography
import KeyExport
import Trust
import Verification

/// One authority of ours for many scenes: all their persons submit to it, in the order of time, and every board downloads everything.
final class OwnSceneSource: SceneSource {
    let trust: TrustStore
    private let authority: PublishingAuthority
    private var deliveries: [Int64: Delivery] = [:]
    private let document: (document: [UInt8], approvals: [UInt8])
    /// What was not as the table says, by scene.
    private(set) var problems: [Int: [String]] = [:]

    /// An operator that publishes each hour whatever it has, because the table knows no packages that wait for others; apart from that the
    /// defaults. `day` is that of the submission, counted from 1970, UTC.
    init(_ scenes: [(number: Int, scene: Scene)], folder: String, day: Int64) throws {
        authority = try PublishingAuthority(below: folder) {
            $0.publishing.shiftingThreshold = 1
            $0.regions = ["EUR"]
        }
        let midnight = UTCDay(number: day).start
        let persons = scenes.flatMap { number, scene in
            scene.persons.map { (number: number, senders: SceneSenders(scene, number: number, day: day), person: $0) }
        }
        // Three days after the last submission everything is public that ever is.
        let looks = Set(scenes.flatMap { Self.looks($0.scene) })
        let last = (persons.map(\.person.submit).max() ?? 0) + 3 * UTCDay.seconds
        var moments = persons.map { (time: $0.person.submit, isLook: false) } + looks.map { (time: $0, isLook: true) }
        moments += [(last, true)]
        let times = Dictionary(grouping: moments, by: \.time)
        let first = times.keys.min() ?? 0
        try authority.publish(at: midnight + min(first, 0) - 7_200)
        trust = try authority.trust()
        document = try authority.rules()
        for time in times.keys.sorted() {
            for entry in persons where entry.person.submit == time {
                submit(entry.person, entry.senders, number: entry.number, day: day)
            }
            guard times[time]?.contains(where: \.isLook) == true else { continue }
            try authority.publish(at: midnight + time)
            deliveries[midnight + time] = try Delivery(authority.packages(), trust: trust, at: midnight + time)
        }
        let published = deliveries.values.reduce(into: [Block: ExportedKey]()) { $0.merge($1.published) { $1 } }
        for entry in persons where entry.person.refused == nil {
            for (index, key) in entry.person.keys.enumerated() {
                let found = published[entry.senders.secret(entry.person, index)]
                let fields = found.map { [$0.reportType, $0.daysSinceOnset, $0.transmissionRiskLevel] }
                if fields != key.published {
                    problems[entry.number, default: []].append(
                        "\(entry.person.name)'s key of age \(key.age) published as \(fields.map { "\($0)" } ?? "nothing") and not \(key.published.map { "\($0)" } ?? "nothing")"
                    )
                }
            }
        }
    }

    /// The time when the board of `scene` may download.
    private static func looks(_ scene: Scene) -> [Int64] {
        scene.checks.filter(\.hasNetwork).map(\.time)
            + (scene.events ?? []).filter { $0.kind == .download || $0.kind == .downloadAgain }.map(\.time)
    }

    private func submit(_ person: Scene.Person, _ senders: SceneSenders, number: Int, day: Int64) {
        let body = SceneSubmission.body(person, senders, day: day)
        do {
            _ = try authority.take(body, at: UTCDay(number: day).start + person.submit)
            if let reason = person.refused {
                problems[number, default: []].append("\(person.name)'s submission was taken: \(reason)")
            }
        } catch {
            guard person.refused == nil else { return }
            problems[number, default: []].append("\(person.name)'s submission was refused: \(error)")
        }
    }

    func rules(of scene: Scene) throws -> (document: [UInt8], approvals: [UInt8]) { document }

    func delivery(of scene: Scene, number: Int, at time: Int64) throws -> Delivery {
        guard let delivery = deliveries[time] else {
            throw WarningFailure("\(scene.name): nothing was downloaded at \(time)")
        }
        return delivery
    }
}
