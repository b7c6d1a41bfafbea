// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import KeyExport

/// The key files of one scene: of each authority one for each second at which it publishes something of the scene's persons.
struct SourcesPublications {
    private let scene: SourcesScene
    private let senders: SceneSenders
    private let day: Int64
    private var packages: [String: [Int64: [UInt8]]] = [:]

    /// `day` is that of the submission, counted from 1970, UTC.
    init(_ scene: SourcesScene, _ senders: SceneSenders, day: Int64) {
        self.scene = scene
        self.senders = senders
        self.day = day
    }

    /// Everything of `authority` that is public at `time`, Unix seconds, in the order in which it was published.
    mutating func packages(of authority: SceneAuthority, at time: Int64) throws -> [[UInt8]] {
        var keys: [Int64: [ExportedKey]] = [:]
        for person in scene.persons {
            for (number, key) in person.keys.enumerated() {
                for (place, statement) in (key.statements[authority.name] ?? []).enumerated() {
                    let end = UTCDay(number: day).start + (statement.time ?? person.submit)
                    let secret = senders.secret(of: person.name, number)
                    keys[end, default: []].append(exported(key, statement, secret, isRevised: place > 0))
                }
            }
        }
        var files: [[UInt8]] = []
        for end in keys.keys.sorted() where end <= time {
            let package = try packages[authority.name]?[end] ?? authority.package(keys[end] ?? [], end: end)
            packages[authority.name, default: [:]][end] = package
            files.append(package)
        }
        return files + [try authority.strangersPackage(end: time)]
    }

    private func exported(
        _ key: SourcesScene.Key, _ statement: SourcesScene.Statement, _ secret: Block, isRevised: Bool
    ) -> ExportedKey {
        var exported = ExportedKey()
        exported.data = secret
        exported.dataByteCount = 16
        exported.rollingStart = Int32((day - key.age) * Int64(ENIN.perDay) + key.start)
        exported.rollingPeriod = Int32(key.period)
        exported.reportType = statement.reportType
        exported.hasOnset = statement.onset != nil
        exported.daysSinceOnset = statement.onset ?? 0
        exported.transmissionRiskLevel = statement.level
        exported.isRevised = isRevised
        return exported
    }
}
