// SPDX-License-Identifier: Apache-2.0

import Ledger
import Logging
import TimeTrust

/// How the radio has worked, hour by hour: counts that the ledger keeps, and those of the hour under way.
final class EvidenceAccount {
    private let ledger: Ledger
    private let beacon: Beacon
    private let log: Logger
    private var recorder = EvidenceRecorder()

    init(_ ledger: Ledger, of beacon: Beacon, log: Logger) {
        self.ledger = ledger
        self.beacon = beacon
        self.log = log
    }

    /// Keeps the hour that has ended; with `isLast`, what there is of the present one. Gives whether there was one, kept or not: what the ledger
    /// refuses is lost, and said in the log.
    func record(at now: BootInstant, isLast: Bool) -> Bool {
        guard let civil = beacon.present(at: now).time,
            let hour = recorder.take(beacon.evidence(at: now), now: civil, isLast: isLast)
        else { return false }
        do { try ledger.write { try $0.record(hour) } } catch {
            log.error("\(error)", metadata: ["while": "recording an hour of evidence"])
        }
        return true
    }

    /// The hours that begin at `since` (Unix seconds) or later, the present one among them.
    func hours(since: Int64, at now: BootInstant) throws(Refusal) -> [EvidenceHour] {
        let seconds = max(0, since)
        let first = UInt32(clamping: seconds / 3_600 + (seconds % 3_600 > 0 ? 1 : 0))
        var hours = try reading { try ledger.evidence(from: first, to: .max) }
        // The hour under way is recorded when it is over; whoever asks wants to see it now.
        if let civil = beacon.present(at: now).time,
            let pending = recorder.pending(beacon.evidence(at: now), now: civil), pending.hour >= first
        {
            if let index = hours.firstIndex(where: { $0.hour == pending.hour }) {
                hours[index].add(pending)
            } else {
                hours.append(pending)
            }
        }
        return hours
    }
}
