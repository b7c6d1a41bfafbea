// SPDX-License-Identifier: Apache-2.0

import GAEN
import Logging
import Radio
import TimeTrust
import Vault

extension Beacon {
    func scanStarted(at now: BootInstant) {
        collector = ScanCollector()
        scanStart = now.duration
        // Awake anyway: the separate wake-up for the time is put off.
        if now.duration + Self.timeCheckInterval / 2 >= tickDue, !isStopping { tick(at: now) }
    }

    func keep(_ payload: AdvertisingPayload, rssi: Int8, heardAt moment: Duration) {
        let offset = UInt8(clamping: max(0, (moment - scanStart).components.seconds))
        collector?.add(payload: payload, rssi: rssi, offset: offset)
        strengths.add(rssi)
        measure(payload, rssi, at: moment)
    }

    /// Stores what a scan heard, for a person. A cut before this is done loses this scan and nothing else.
    func scanFinished(_ summary: ScanSummary, at now: BootInstant) {
        lastScan = summary
        scanAgainIfMeasuring(at: now)
        defer { collector = nil }
        // Told by the clock as it is now: had it been set during the scan, this is the better time for its start, too.
        guard var collector, let end = time.now(at: now).time else { return }
        let start = end.advanced(by: .zero - (summary.end - summary.start))
        tally.droppedIdentifiers += UInt64(collector.droppedCount)
        let record = collector.finish(
            start: UInt32(clamping: start.seconds), previousScan: previousScanStop,
            profileRevision: corrections.revision(profile))
        previousScanStop = UInt32(clamping: end.seconds)
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
            storageRecovered()
        } catch {
            tally.lostScans += 1
            storageFailed(error, doing: "storing a scan")
        }
    }

    /// Says that a store refused, once per kind of refusal.
    @discardableResult
    func storageFailed(_ error: any Error, doing what: String) -> StorageFailure {
        let failure = error as? StorageFailure ?? StorageFailure(.failed, "\(error)")
        if storageTrouble != failure { log.error("\(failure)", metadata: ["while": "\(what)"]) }
        storageTrouble = failure
        return failure
    }

    func storageRecovered() {
        if storageTrouble != nil { log.notice("the disk takes data again") }
        storageTrouble = nil
        for finding in vault.findings.dropFirst(reportedFindings) { log.warning("\(finding)") }
        reportedFindings = vault.findings.count
    }
}
