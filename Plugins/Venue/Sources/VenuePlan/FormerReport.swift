// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import PresenceTracing

/// What stays of a visit that was deleted after a report of it was handed out: when the report is about, and a hash of the place. Without it another visit to that place
/// would meet the wearer's own report. It is not printed.
struct FormerReport: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The deleted visit's number.
    let visit: Int
    /// ``LocationID/hash`` of its place.
    let placeHash: [UInt8]
    /// ``DiaryVisit/reported``, not empty.
    let times: [Range<Int64>]
    /// Whether the report is public, or may be.
    var isOut: Bool

    /// `nil` for a visit without a report.
    init?(_ visit: DiaryVisit) {
        guard case .coronaWarnApp(let payload) = visit.place, !visit.reported.isEmpty else { return nil }
        self.visit = visit.number
        placeHash = LocationID(payload: payload).hash
        times = visit.reported
        isOut = visit.mayMeetItself
    }

    /// The end of the last time.
    var end: Int64 { times.map(\.upperBound).max() ?? 0 }

    var description: String { "report of visit \(visit)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    var json: JSON {
        [
            "visit": .int(Int64(visit)), "place": .string(Base64.string(placeHash)), "out": .bool(isOut),
            "times": .array(times.flatMap { [.int($0.lowerBound), .int($0.upperBound)] }),
        ]
    }

    init?(_ json: JSON) {
        guard let visit = json["visit"]?.int, (1...Int64(Int32.max)).contains(visit),
            let hash = json["place"]?.string.flatMap(Base64.bytes), hash.count == LocationID.byteCount,
            let isOut = json["out"]?.bool, let ends = json["times"]?.array, !ends.isEmpty, ends.count % 2 == 0,
            ends.count <= 2 * DiaryVisit.maximumReported
        else { return nil }
        var times: [Range<Int64>] = []
        for first in stride(from: 0, to: ends.count, by: 2) {
            guard let from = ends[first].int, let until = ends[first + 1].int, from < until else { return nil }
            times.append(from..<until)
        }
        self.visit = Int(visit)
        placeHash = hash
        self.times = times
        self.isOut = isOut
    }
}
