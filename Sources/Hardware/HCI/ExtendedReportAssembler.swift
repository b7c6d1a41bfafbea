// SPDX-License-Identifier: Apache-2.0

/// Joins the fragments of extended advertising reports (Core Specification, Vol 4 Part E 7.7.65.13).
///
/// Anybody nearby can begin advertisements and never finish them, so memory is limited to ``capacity`` unfinished
/// advertisements of at most 1650 bytes. When another one begins, the one that has waited longest for its next fragment is
/// dropped and counted. If that one continues later, its remaining fragments are delivered as if they were a complete
/// advertisement.
///
/// Fragments belong together if address, set identifier and kind are equal. Anonymous advertisers with the same set
/// identifier cannot be told apart, and their fragments may be mixed. In both cases the data is wrong, but parsers must not
/// trust any data received over the air anyway.
public struct ExtendedReportAssembler: Sendable {
    /// The largest size of the data of one advertisement, in bytes (Vol 6 Part B 2.3.4.9).
    public static let maximumDataByteCount = HCICommand.maximumExtendedDataByteCount

    /// The largest number of unfinished advertisements, 1 or more.
    public let capacity: Int
    private var partials: [Key: Partial] = [:]
    private var clock: UInt64 = 0

    /// The number of unfinished advertisements that were dropped to make room for others, 0 or more.
    public private(set) var droppedCount = 0
    /// The number of advertisements that were longer than ``maximumDataByteCount``, 0 or more. They are counted when they
    /// end, and nothing of them is delivered.
    public private(set) var oversizedCount = 0
    /// The number of advertisements whose end the controller lost, 0 or more. The data received is delivered with the
    /// status `truncated`, unless it was too long.
    public private(set) var truncatedCount = 0

    private struct Key: Hashable {
        let address: BluetoothAddress
        let setIdentifier: UInt8?
        let eventType: AdvertisingEventType

        init(_ report: AdvertisingReport) {
            address = report.address
            setIdentifier = report.extended?.setIdentifier
            eventType = report.eventType.with(.complete)
        }
    }

    private struct Partial {
        var report: AdvertisingReport
        var isOversized: Bool
        var lastTouched: UInt64

        mutating func append(_ next: AdvertisingReport) {
            report.eventType = next.eventType
            if let rssi = next.rssi { report.rssi = rssi }
            if let power = next.extended?.transmitPower { report.extended?.transmitPower = power }
            if isOversized || report.data.count + next.data.count > ExtendedReportAssembler.maximumDataByteCount {
                isOversized = true
                report.data = []
            } else {
                report.data += next.data
            }
        }
    }

    /// Creates an assembler without unfinished advertisements. A `capacity` below 1 counts as 1; 64 need at most 106 kB.
    /// Cannot fail.
    public init(capacity: Int = 64) { self.capacity = max(capacity, 1) }

    /// The number of unfinished advertisements, including those that are too long; 0 to ``capacity``.
    public var pendingCount: Int { partials.count }
    /// The number of data bytes that are held; at most ``capacity`` times 1650.
    public var pendingByteCount: Int { partials.values.reduce(0) { $0 + $1.report.data.count } }

    /// Adds the next report, in the order of the controller. Returns the advertisement when it is finished: with the data
    /// of all fragments, the last measured signal strength, and the status `complete` or `truncated`. Returns `nil` if more
    /// fragments follow or the advertisement was too long.
    public mutating func push(_ report: AdvertisingReport) -> AdvertisingReport? {
        let status = report.eventType.dataStatus
        if status == .truncated || status == .reserved { truncatedCount += 1 }
        // By far the most reports are legacy packets, or whole: nothing to look up.
        if partials.isEmpty, status != .moreToCome { return finished(report) }
        let key = Key(report)
        guard var partial = partials.removeValue(forKey: key) else {
            guard status == .moreToCome else { return finished(report) }
            makeRoom()
            keep(Partial(report: report, isOversized: false, lastTouched: 0), key)
            return nil
        }
        partial.append(report)
        if partial.isOversized {
            // Its fragments are thrown away until the last one, which would otherwise pass for a whole advertisement.
            if status == .moreToCome { keep(partial, key) } else { oversizedCount += 1 }
            return nil
        }
        guard status == .moreToCome else { return finished(partial.report) }
        keep(partial, key)
        return nil
    }

    /// Discards all unfinished advertisements without counting them, at the end of a scan. Cannot fail.
    public mutating func discardPending() { partials.removeAll() }

    private func finished(_ report: AdvertisingReport) -> AdvertisingReport {
        var report = report
        if report.eventType.dataStatus == .reserved { report.eventType = report.eventType.with(.truncated) }
        return report
    }

    private mutating func keep(_ partial: Partial, _ key: Key) {
        clock += 1
        var partial = partial
        partial.lastTouched = clock
        partials[key] = partial
    }

    private mutating func makeRoom() {
        guard partials.count >= capacity, let oldest = partials.min(by: { $0.value.lastTouched < $1.value.lastTouched })
        else { return }
        partials[oldest.key] = nil
        droppedCount += 1
    }
}
