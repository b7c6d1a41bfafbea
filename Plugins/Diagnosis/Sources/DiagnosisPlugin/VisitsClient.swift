// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import Interfaces
import PluginKit

/// Asks the plugin that keeps the wearer's visits for their sealed reports (docs/decisions/0045). It may be absent, not granted, slow or wrong: a warning
/// goes out all the same. What goes wrong is in no log, which a technician reads. Used only on its host's loop.
final class VisitsClient {
    /// How long its answer is waited for: it may have to be started. The core's proof is good for longer.
    static let patience = Duration.seconds(10)

    private unowned let host: PluginHost
    /// Whether the authority takes visits at all.
    private let isWanted: Bool
    /// The name of the visits that were asked for, until what came of it is on the disk: they may still become a warning's.
    private(set) var expected: Int64?

    init(_ host: PluginHost, isWanted: Bool) {
        self.host = host
        self.isWanted = isWanted
    }

    /// Gives the visits for a warning, in a later round at the latest after ``patience``: `nil` where nobody keeps visits or the authority takes none, and
    /// none if it fails, or if there is no room for any. It is asked in each case: its start does not tell whether there is room. `othersWait` says whether
    /// another warning that is not over has visits; `then` returns whether what comes of them is on the disk.
    func take(
        _ symptoms: SymptomStatement, room: RoomForReports, othersWait: Bool, proof: String?,
        then: @escaping (GivenVisits?) -> Bool
    ) {
        guard isWanted, let proof else {
            _ = then(nil)
            return
        }
        // Named here: what is asked meanwhile about batches can be answered for this one, too.
        var random = SystemRandomNumberGenerator()
        let name = Int64.random(in: VisitsInWarning.names, using: &random)
        expected = name
        let (levels, most) = (symptoms.levels.map { Int($0) }, room.count)
        call(Checkin1.TakeReportsCall(levels: levels, most: most, proof: proof, batch: name)) { [unowned self] result in
            let visits: GivenVisits?
            switch (result, room.absence) {
            case (.failure(let error), _) where error.code == .notAvailable: visits = nil
            case (_, let absence?): visits = .nothing(absence)
            case (.success(let reply), nil):
                let given = GivenVisits(reply, most: most, name: name) ?? .nothing(.unanswered)
                visits = given.note.absence == .noneCounts && othersWait ? .nothing(.underWay) : given
            case (.failure(let error), nil):
                let isFull = error.name == "\(Checkin1.name).Refused" && error.parameters["rule"] == "tooManyWarnings"
                visits = .nothing(isFull ? .tooMany : .unanswered)
            }
            // A write that failed may be on the disk all the same; the next start knows.
            if then(visits), expected == name { expected = nil }
        }
    }

    /// Asks without a proof, and is refused. After each call of the wearer's, so that the start of the other plugin does not tell that this one was an
    /// agreement to warn: a technician sees when plugins run.
    func knock() {
        guard isWanted, !host.isStopping else { return }
        call(Checkin1.TakeReportsCall(levels: [], most: 0, proof: nil, batch: nil)) { _ in }
    }

    private func call(
        _ call: Checkin1.TakeReportsCall, then: @escaping (Result<Checkin1.ReportsReply, CallError>) -> Void
    ) {
        host.call(
            Checkin1.Method.takeReports, call, as: Checkin1.ReportsReply.self, timeout: Self.patience, then: then)
    }
}
