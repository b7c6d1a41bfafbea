// SPDX-License-Identifier: Apache-2.0

public import DoorBroadcast
public import GAEN
public import HCI

/// An event of the radio for its owner. Times are durations on the owner's clock.
public enum RadioEvent: Sendable, Equatable {
    /// The controller was reset and has answered the questions about itself; it is ready.
    case controllerReady(ControllerFacts)
    /// Advertising was switched on with the identity that the controller holds. If another one was requested meanwhile, it
    /// follows.
    case onAir
    /// Advertising is off until the next ``onAir``. With the reason `trouble` this is certain only when the controller is
    /// ready again or has lost power: an unreachable controller may continue to advertise.
    case offAir(OffAirReason)
    /// The receiver was switched on for a new scan.
    case scanStarted
    /// An Exposure Notification advertisement was received in a scan. `rssi` is in dBm as the controller reported it, -127
    /// to 20; `at` is on the owner's clock.
    case heard(AdvertisingPayload, rssi: Int8, at: Duration)
    /// A fragment of a place's code was received, in a scan of any kind, while ``Radio/collectDoors(_:)`` asked for them. `rssi` is in dBm as the
    /// controller reported it, -127 to 20. It may be forged.
    case heardDoor(DoorFragment, from: BluetoothAddress, rssi: Int8)
    /// A scan has ended, with these counts.
    case scanFinished(ScanSummary)
    /// A scan for places' codes has ended, which ``Radio/listenForDoors(at:)`` asked for. It began without ``scanStarted``, and
    /// has no counts.
    case doorScanFinished
    /// There was trouble (`because`), and the step `to` is taken against it.
    case climbed(to: Rung, because: Trouble)
    /// The controller cannot advertise and scan at once. Until it is set up again, advertising pauses during scans.
    case timeSlicing
    /// A sudden silence was examined up to the last step of the ladder, and is now considered a quiet room.
    case silenceAccepted

    /// The reasons why advertising is off.
    public enum OffAirReason: String, Sendable {
        /// The owner removed the identity, because there is no time or for an orderly stop.
        case told
        /// The identity is being changed, which takes some milliseconds.
        case rotation
        /// A controller that cannot do both at once is scanning.
        case scan
        /// The controller is being reset, or is gone.
        case trouble
    }
}

/// The answers of a controller about itself.
public struct ControllerFacts: Sendable, Equatable {
    /// Versions and manufacturer; `nil` until the controller has answered.
    public var version: LocalVersion?
    /// The features of the link layer; empty until the controller has answered, and if it cannot answer.
    public var features: LEFeatures = []
    /// The commands that the controller reports as supported; `nil` until it has answered, and if it cannot answer.
    public var commands: SupportedCommands?
    /// The transmit power of legacy advertising that the controller states, in dBm; `nil` until it has answered, if it
    /// cannot answer, and with the commands of Bluetooth 5.
    public var claimedTransmitPower: Int8?
    /// Whether the commands of Bluetooth 5 are used; false until they are chosen.
    public var usesExtendedCommands = false

    /// Creates the facts of a controller that has not been asked.
    public init() {}
}

/// The result of one scan, as counts.
public struct ScanSummary: Sendable, Equatable {
    /// The time when the controller first confirmed that the receiver is on, on the owner's clock.
    public var start: Duration
    /// The time when the receiver was off again, or the controller gone, on the owner's clock; not before ``start``.
    public var end: Duration
    /// The number of reports in the scan, of any kind and from anybody. The fragments of an advertisement count as one.
    public var reports = 0
    /// The number of ``reports`` without data, which do not show that the receiver works.
    public var emptyReports = 0
    /// The number of well-formed Exposure Notification advertisements in the scan. Those without a signal strength are
    /// counted but not passed on.
    public var exposureNotifications = 0
    /// The number of ``exposureNotifications`` without a signal strength.
    public var withoutRSSI = 0
    /// The number of advertisements in the scan with Exposure Notification service data of a wrong length.
    public var malformed = 0
    /// The number of different addresses from which advertisements with data were received; 0 to ``maximumAdvertisers``.
    public var advertisers = 0
    /// The number of events in the scan that could not be read.
    public var refusedEvents = 0
    /// Whether the scan ended early, because of trouble or a stop.
    public var isCutShort = false

    /// The largest number of advertisers that are counted in a scan, which limits the memory. Our own bound.
    public static let maximumAdvertisers = 64

    /// Whether no advertisement with data was received: a quiet room, or a receiver that does not work.
    public var isQuiet: Bool { reports == emptyReports }

    init(start: Duration) {
        self.start = start
        end = start
    }
}
