// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport

/// The body that a person of a scene submits: whatever the table says, also what no plugin of ours would send.
enum SceneSubmission {
    /// `day` is that of the submission, counted from 1970, UTC.
    static func body(_ person: Scene.Person, _ senders: SceneSenders, day: Int64) -> [UInt8] {
        var writer = ProtobufWriter()
        for (number, key) in person.keys.enumerated() {
            writer.message(1) { entry in
                entry.data(1, senders.secret(person, number).bytes)
                if let level = key.level { entry.int32(2, Int32(truncatingIfNeeded: level)) }
                entry.int32(3, Int32((day - key.age) * Int64(ENIN.perDay) + key.start))
                entry.int32(4, Int32(key.period))
                if let onset = key.onset { entry.sint32(6, Int32(truncatingIfNeeded: onset)) }
            }
        }
        return writer.bytes
    }

    /// The same as a foreign authority publishes it; `nil` for what the table does not publish.
    static func foreign(
        _ key: Scene.Key, number: Int, of person: Scene.Person, _ senders: SceneSenders, day: Int64
    ) -> ExportedKey? {
        guard let fields = key.foreign, fields.count == 3 else { return nil }
        var exported = ExportedKey()
        exported.data = senders.secret(person, number)
        exported.dataByteCount = 16
        exported.rollingStart = Int32((day - key.age) * Int64(ENIN.perDay) + key.start)
        exported.rollingPeriod = Int32(key.period)
        exported.reportType = fields[0] ?? 0
        exported.hasOnset = fields[1] != nil
        exported.daysSinceOnset = fields[1] ?? 0
        exported.transmissionRiskLevel = fields[2] ?? 0
        return exported
    }
}
