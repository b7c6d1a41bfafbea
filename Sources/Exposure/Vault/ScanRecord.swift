// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The signals of one scan as they are stored: grouped by sender, and raw, so that a better calibration can be
/// applied later.
public struct ScanRecord: Sendable, Equatable {
    /// A sender, for as long as it kept its identifier and metadata.
    public struct Heard: Sendable, Equatable {
        /// The identifier and metadata as received.
        public var payload: AdvertisingPayload
        /// The time at which its first packet came, in seconds after the scan's start, 0 to 255.
        public var offset: UInt8
        /// The raw strengths of the sender's packets, in dBm; a sample when there were more than
        /// ``Readings/maximumCount`` packets.
        public var readings: Readings

        /// Creates a sender from these parts, which are not checked; `offset` is in seconds since the start of the
        /// scan.
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
    /// The number of the correction that applies to the raw values: 0 to 32,767 are revisions of the board profile,
    /// and 32,768 or more are corrections that were set on the board.
    public var profileRevision: UInt16
    /// The senders that were received, in the order in which they were given; 0 to ``maximumHeard``.
    public private(set) var heard: [Heard]
    /// The number of senders that were left out of this scan, which may include several packets of a sender that was
    /// not accepted; 65,535 also stands for more.
    public private(set) var leftOut: UInt16

    /// The maximum number of senders that are kept of one scan. More senders within radio range are a flood. The
    /// number is this project's own.
    public static let maximumHeard = 1_024

    /// Whether no sender was received. An empty scan need not be stored.
    public var isEmpty: Bool { heard.isEmpty }

    /// Creates a scan from these parts. Keeps the loudest ``maximumHeard`` senders of `heard` and adds the number of
    /// the others to ``leftOut``. `start` and `previousScan` are in Unix seconds. Cannot fail.
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

    /// Returns this scan with only its loudest `count` senders, in the order they had; the number of the others is
    /// added to ``leftOut``. Returns the scan unchanged when there are no more than `count`. `count` must be 0 or
    /// more: a negative one stops the program.
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
