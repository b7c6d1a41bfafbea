// SPDX-License-Identifier: Apache-2.0

package import GAEN
package import TimeTrust
package import Vault

/// What the scan under way has heard, until it is a record.
package struct ScanStore {
    private var collector: ScanCollector?
    /// When it began, on the boot clock.
    private var start = Duration.zero
    /// When the scan before it ended, Unix seconds; 0 without one.
    private var previousStop: UInt32 = 0

    /// Creates a store that has heard nothing yet.
    package init() {}

    /// A scan has begun; what an unfinished one heard is gone.
    package mutating func begin(at now: Duration) {
        collector = ScanCollector()
        start = now
    }

    /// Something was heard. `rssi` is raw, in dBm.
    package mutating func hear(_ payload: AdvertisingPayload, _ rssi: Int8, at moment: Duration) {
        collector?.add(
            payload: payload, rssi: rssi, offset: UInt8(clamping: max(0, (moment - start).components.seconds)))
    }

    /// The scan is over and took `length`. Gives its record, and how many senders were more than it can hold; `nil` when nothing was begun, or
    /// nobody knows when it was (`end`).
    package mutating func finish(
        end: UnixTime?, length: Duration, profileRevision: UInt16
    ) -> (record: ScanRecord, droppedCount: Int)? {
        defer { collector = nil }
        guard var collector, let end else { return nil }
        let start = end.advanced(by: .zero - length)
        let dropped = collector.droppedCount
        let record = collector.finish(
            start: UInt32(clamping: start.seconds), previousScan: previousStop, profileRevision: profileRevision)
        previousStop = UInt32(clamping: end.seconds)
        return (record, dropped)
    }

    /// Nothing was heard, and no scan was before.
    mutating func forget() {
        collector = nil
        previousStop = 0
    }
}
