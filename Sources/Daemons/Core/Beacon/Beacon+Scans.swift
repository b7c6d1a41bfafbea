// SPDX-License-Identifier: Apache-2.0

import GAEN
import Logging
import Radio
import TimeTrust
import Vault

extension Beacon {
    func scanStarted(at now: BootInstant) {
        scan.begin(at: now.duration)
        calibration.scanStarted(at: now.duration)
        // Awake anyway: the separate wake-up for the time is put off.
        if time.isNear(now), !isStopping { tick(at: now) }
    }

    func keep(_ payload: AdvertisingPayload, rssi: Int8, heardAt moment: Duration) {
        scan.hear(payload, rssi, at: moment)
        calibration.hear(payload, rssi, at: moment)
    }

    /// Stores what a scan heard, for a person. A cut before this is done loses this scan and nothing else.
    func scanFinished(_ summary: ScanSummary, at now: BootInstant) {
        scanAgainIfMeasuring(at: now)
        scanAgainIfCollecting(at: now)
        // Told by the clock as it is now: had it been set during the scan, this is the better time for its start, too.
        let finished = scan.finish(
            end: time.now(at: now).time, length: summary.end - summary.start,
            profileRevision: calibration.corrections.revision(profile))
        guard let (record, droppedCount) = finished else { return }
        tally.droppedIdentifiers += UInt64(droppedCount)
        tally.lastScanIdentifiers = record.heard.count
        log.debug(
            "scan finished",
            metadata: [
                "reports": "\(summary.reports)", "identifiers": "\(record.heard.count)",
                "cutShort": "\(summary.isCutShort)",
            ])
        // A place has counted, and that is all.
        guard role == .person, !record.isEmpty else { return }
        do {
            try vault.append(record)
            tally.storedScans += 1
            tally.storedIdentifiers += UInt64(record.heard.count)
            storage.recovered(.new, room: vault.room, findings: vault.findings, log)
        } catch {
            tally.lostScans += 1
            _ = storage.failed(error, doing: "storing a scan", log)
        }
    }
}
