// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import KeyExport
import Trust
import VirtualAir

/// Another authority: what the table says of each key is what it publishes, under rules of the scene.
final class ForeignSceneSource: SceneSource {
    private let authority: ForeignAuthority
    private let table: SceneTable
    private let day: Int64
    private let own: [UInt8]
    private var documents: [String: (document: [UInt8], approvals: [UInt8])] = [:]

    /// A source for the scenes of `table`. `folder` is for the state of an authority that lends its default rules.
    init(_ table: SceneTable, folder: String, day: Int64) throws {
        self.table = table
        self.day = day
        authority = try ForeignAuthority()
        let lender = try PublishingAuthority(below: folder)
        try lender.publish(at: UTCDay(number: day).start)
        own = try lender.rules().document
    }

    var trust: TrustStore { authority.trust }

    func rules(of scene: Scene) throws -> (document: [UInt8], approvals: [UInt8]) {
        let name = "\(scene.models) \(scene.mapping)"
        if let known = documents[name] { return known }
        guard let mapping = table.mappings[scene.mapping] else { throw WarningFailure("\(scene.name): no mapping") }
        let rules = try authority.rules(
            version: 1, models: scene.models, mapping: mapping, reportTypes: scene.mapping == "A" ? .codes : .stated,
            own: own)
        documents[name] = rules
        return rules
    }

    func delivery(of scene: Scene, number: Int, at time: Int64) throws -> Delivery {
        let senders = SceneSenders(scene, number: number, day: day)
        var packages: [[UInt8]] = []
        for person in scene.persons where UTCDay(number: day).start + person.submit <= time {
            let keys = person.keys.enumerated().compactMap { index, key in
                SceneSubmission.foreign(key, number: index, of: person, senders, day: day).map { (key, $0) }
            }
            let end = UTCDay(number: day).start + person.submit
            for place in 0..<(keys.map(\.0.packages).max() ?? 0) {
                let start = end - 3_600 - Int64(place)
                packages.append(try authority.package(keys.filter { $0.0.packages > place }.map(\.1), period: start..<end))
            }
        }
        // Somebody else always warns.
        packages.append(try authority.package([stranger(at: time)], period: (time - 3_600)..<time))
        return try Delivery(packages, trust: trust, at: time)
    }

    private func stranger(at time: Int64) -> ExportedKey {
        var key = ExportedKey()
        key.data = Block(low: UInt64(time), high: 2)
        key.dataByteCount = 16
        key.rollingStart = Int32((UTCDay(containing: time).number - 1) * Int64(ENIN.perDay))
        key.rollingPeriod = Int32(ENIN.perDay)
        key.reportType = 1
        return key
    }
}
