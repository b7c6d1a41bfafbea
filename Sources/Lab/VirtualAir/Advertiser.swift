// SPDX-License-Identifier: Apache-2.0

/// The kind of a legacy advertising packet, by its number in HCI (Core Specification, Vol 4 Part E 7.8.5). Directed kinds
/// are not modelled.
public enum AdvertisingKind: UInt8, Sendable {
    /// Any device may connect and may request more data (ADV_IND).
    case connectable = 0
    /// Any device may request more data, and none may connect (ADV_SCAN_IND).
    case scannable = 2
    /// No device may answer (ADV_NONCONN_IND): a beacon.
    case nonConnectable = 3

    var isScannable: Bool { self != .nonConnectable }
    /// Event type in extended reports (7.7.65.13, table of legacy packets).
    var extendedType: UInt8 {
        switch self {
        case .connectable: 0x13
        case .scannable: 0x12
        case .nonConnectable: 0x10
        }
    }
}

/// One thing on air: a phone's beacon, the advertising of a legacy controller, or one advertising set.
final class Advertiser {
    let node: NodeID
    let handle: UInt8
    /// Where the air keeps it.
    let slot: Int
    var kind = AdvertisingKind.nonConnectable
    var interval: Microseconds
    var address: AirAddress
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    /// The host's wish in dBm, an upper bound.
    var requestedPower: Int8?
    var usesRandomAddress = false
    /// Of an advertising set; legacy advertising uses the controller's.
    var randomAddress: AirAddress?

    var isOn = false
    var schedule: AdvertiserSchedule?
    /// Unique over the whole air, new with every start and wake: older events in the queue no longer count.
    var generation: UInt64 = 0
    var isQueued = false
    /// The sleep it is in because nobody who scans can hear it, if any.
    var sleep: (number: UInt64, end: Microseconds)?
    /// What observers were last told.
    var broadcast: Broadcast?

    init(node: NodeID, handle: UInt8, slot: Int, interval: Microseconds, address: AirAddress) {
        self.node = node
        self.handle = handle
        self.slot = slot
        self.interval = interval
        self.address = address
    }
}

/// A period in which one device sent the same data from the same address, as an ideal receiver next to its antenna would
/// see it.
public struct Broadcast: Hashable, Sendable {
    /// The number of the sending device.
    public let node: NodeID
    /// The handle of the advertising set; 0 for a sender without advertising sets.
    public let set: UInt8
    /// The sender's address in the packets.
    public let address: AirAddress
    /// The advertising data, without a scan response.
    public let data: [UInt8]
    /// The time of the air at which the sending began.
    public let start: Duration
    /// The time of the air at which the sending ended; `nil` while it lasts. Equal to ``start`` when a host passed through
    /// this state in no time; a real controller, which takes time for a command, might have been heard.
    public var end: Duration?

    /// Creates a broadcast of these parts, for tests. Times are of the air; `end` is `nil` while the sending lasts.
    public init(
        node: NodeID, set: UInt8, address: AirAddress, data: [UInt8], start: Duration, end: Duration?
    ) {
        self.node = node
        self.set = set
        self.address = address
        self.data = data
        self.start = start
        self.end = end
    }
}
