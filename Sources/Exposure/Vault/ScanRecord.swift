// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The signals of one scan, as they are kept: raw, so that a better calibration can be applied later, and grouped by
/// sender.
public struct ScanRecord: Sendable, Equatable {
    /// One sender, as long as it kept its identifier and metadata.
    public struct Heard: Sendable, Equatable {
        /// Identifier and metadata as they came.
        public var payload: AdvertisingPayload
        /// The time when its first packet came, seconds after the scan's start, 0 to 255.
        public var offset: UInt8
        /// Raw strengths of the sender's packets, in dBm; of more than ``Readings/maximumCount`` packets a sample.
        public var readings: Readings

        /// A sender of these parts, unchecked; `offset` is in seconds since the start of the scan.
        public init(payload: AdvertisingPayload, offset: UInt8, readings: Readings) {
            self.payload = payload
            self.offset = offset
            self.readings = readings
        }
    }

    /// The time when the scan began, Unix seconds.
    public var start: UInt32
    /// The time when the scan before stopped, Unix seconds; 0 when unknown.
    public var previousScan: UInt32
    /// The number of the correction that belongs to the raw values: 0 to 32,767 are revisions of the board profile, from
    /// 32,768 on they are corrections that were set on the board.
    public var profileRevision: UInt16
    /// The senders that were heard, in the order they were given; 0 to ``maximumHeard``.
    public private(set) var heard: [Heard]
    /// The number of senders that were left out of this scan, or of packets of senders that were never let in. 65,535 stands for more.
    public private(set) var leftOut: UInt16

    /// Most senders that are kept of one scan. A place with more in radio reach at once is a flood. Our own bound.
    public static let maximumHeard = 1_024

    /// Whether no sender was heard: then there is nothing to keep.
    public var isEmpty: Bool { heard.isEmpty }

    /// A scan of these parts. Keeps the loudest ``maximumHeard`` of `heard`; the rest is counted in ``leftOut``. `start`
    /// and `previousScan` are in Unix seconds. Cannot fail.
    public init(
        start: UInt32, previousScan: UInt32, profileRevision: UInt16, heard: [Heard], leftOut: UInt16 = 0
    ) {
        self.start = start
        self.previousScan = previousScan
        self.profileRevision = profileRevision
        self.heard = heard
        self.leftOut = leftOut
        self = loudest(Self.maximumHeard)
    }

    /// This scan with its loudest `count` (0 or more) senders only, in the order they had; the others are counted in
    /// ``leftOut``. Unchanged when there are no more. A negative count stops the program.
    public func loudest(_ count: Int) -> ScanRecord {
        guard heard.count > count else { return self }
        let kept = heard.indices.sorted { left, right in
            let (a, b) = (heard[left].readings.strongest, heard[right].readings.strongest)
            return a == b ? left < right : a > b
        }.prefix(count).sorted()
        var record = self
        record.leftOut = UInt16(clamping: Int(leftOut) + heard.count - count)
        record.heard = kept.map { heard[$0] }
        return record
    }
}
