// SPDX-License-Identifier: Apache-2.0

/// Kind of a legacy advertising packet, by its number in HCI (Core Specification, Vol 4 Part E 7.8.5). The directed ones are not
/// modelled.
public enum AdvertisingKind: UInt8, Sendable {
    /// Everybody may connect and ask for more data (ADV_IND).
    case connectable = 0
    /// Everybody may ask for more data, nobody connects (ADV_SCAN_IND).
    case scannable = 2
    /// Nobody may answer (ADV_NONCONN_IND): a beacon.
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

/// Something on air from one moment to another, as an ideal receiver next to the antenna would know it.
public struct Broadcast: Hashable, Sendable {
    /// Number of the device that sends.
    public let node: NodeID
    /// Handle of the advertising set; 0 for everything else.
    public let set: UInt8
    /// The sender's address in the packets.
    public let address: AirAddress
    /// The advertising data, without a scan response.
    public let data: [UInt8]
    /// The time when it went on air, in time of the air.
    public let start: Duration
    /// The time when it went off air, in time of the air; `nil` while it is on air. Equal to ``start`` when a host passed
    /// through this state in no time: on a real controller, which takes time for a command, it might have been heard.
    public var end: Duration?

    /// A broadcast with these parts; for tests. Times are of the air; `end` is `nil` while it lasts.
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
