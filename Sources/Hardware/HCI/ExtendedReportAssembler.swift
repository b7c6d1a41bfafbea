// SPDX-License-Identifier: Apache-2.0

/// Puts fragmented extended advertising reports together (Core Specification, Vol 4 Part E 7.7.65.13).
///
/// Anybody on air can begin advertisements and never end them, so memory is bounded: at most ``capacity`` unfinished
/// advertisements of at most 1650 bytes. When another one begins, the one that waited longest for its next fragment is dropped
/// and counted; should it go on after that, its tail is delivered as if it were whole.
///
/// Fragments belong together when address, set identifier and kind are equal. Anonymous advertisers of one set identifier cannot
/// be told apart and may be mixed. Both faults give data that no parser of advertisements should trust any more than other data
/// from the air.
public struct ExtendedReportAssembler: Sendable {
    /// The most data of one advertisement, in bytes (Vol 6 Part B 2.3.4.9).
    public static let maximumDataByteCount = HCICommand.maximumExtendedDataByteCount

    /// The most advertisements that wait for their next fragment, 1 or more; bounds the memory.
    public let capacity: Int
    private var partials: [Key: Partial] = [:]
    private var clock: UInt64 = 0

    /// The number of unfinished advertisements that made room for others, since the assembler was made; 0 or more.
    public private(set) var droppedCount = 0
    /// The number of advertisements that ended and were longer than any may be, since the assembler was made; nothing of them is delivered; 0 or
    /// more.
    public private(set) var oversizedCount = 0
    /// The number of advertisements that lost their end in the controller, since the assembler was made, 0 or more; what
    /// came is delivered with the status `truncated`, unless it was too long.
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

    /// An assembler without unfinished advertisements. `capacity` is at least 1; smaller numbers count as 1. 64 are at most
    /// 106 kB. Cannot fail.
    public init(capacity: Int = 64) { self.capacity = max(capacity, 1) }

    /// Advertisements that wait for their next fragment, those too long included; 0 to ``capacity``.
    public var pendingCount: Int { partials.count }
    /// Bytes of data that are being held; at most `capacity` times 1650.
    public var pendingByteCount: Int { partials.values.reduce(0) { $0 + $1.report.data.count } }

    /// Takes the next report, in the order of the controller. Gives it back when it is whole, with the data of all fragments, the latest signal
    /// strength that was measured, and the status `complete` or `truncated`; `nil` when more is to come, or when the advertisement was too long.
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

    /// Forgets what is unfinished, without counting it: for the end of a scan. Cannot fail.
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
