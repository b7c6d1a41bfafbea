// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import HCI

/// An event on the radio, for its owner. Times are durations on the owner's clock.
public enum RadioEvent: Sendable, Equatable {
    /// The controller was reset and answered what it is; it is ready.
    case controllerReady(ControllerFacts)
    /// Advertising was switched on with the identity that the controller holds; one that was asked for meanwhile follows.
    case onAir
    /// Advertising is off until ``onAir`` comes again. With the reason `trouble` that is certain only when the controller is ready again or has
    /// lost power: one that cannot be reached may go on.
    case offAir(OffAirReason)
    /// The receiver was switched on for a new scan.
    case scanStarted
    /// An Exposure Notification advertisement, while scanning. `rssi` in dBm as the controller said it, -127 to 20; `at` on the owner's clock.
    case heard(AdvertisingPayload, rssi: Int8, at: Duration)
    /// A scan is over, with its counts.
    case scanFinished(ScanSummary)
    /// Something went wrong (`because`), and the step `to` is taken about it.
    case climbed(to: Rung, because: Trouble)
    /// The controller cannot advertise and scan at once: until it is set up anew, advertising pauses while it scans.
    case timeSlicing
    /// A silence after noise was examined to the top of the ladder: it is taken for a quiet room.
    case silenceAccepted

    /// The reasons why advertising is off; they follow from what the owner asked, or from trouble.
    public enum OffAirReason: String, Sendable {
        /// The owner took the identity away: no time, or an orderly stop.
        case told
        /// Between two identities, for some milliseconds.
        case rotation
        /// While a controller that cannot do both at once scans.
        case scan
        /// The controller is being reset, or is gone.
        case trouble
    }
}

/// A controller's answers about itself, as far as it was asked.
public struct ControllerFacts: Sendable, Equatable {
    /// Versions and manufacturer; `nil` until it has answered.
    public var version: LocalVersion?
    /// The abilities of its link layer; empty until it has answered, and for controllers that do not.
    public var features: LEFeatures = []
    /// Commands that it says it knows; `nil` until it has answered, and for controllers that do not.
    public var commands: SupportedCommands?
    /// The power of legacy advertising that the controller claims, in dBm; `nil` until it has answered, when it does not say, and with the commands
    /// of Bluetooth 5.
    public var claimedTransmitPower: Int8?
    /// Whether the commands of Bluetooth 5 are used; false until that is chosen.
    public var usesExtendedCommands = false

    /// Facts of a controller that was not asked yet: nothing is known.
    public init() {}
}

/// The result of one scan, as counts.
public struct ScanSummary: Sendable, Equatable {
    /// The time when the controller first confirmed that the receiver is on, on the owner's clock.
    public var start: Duration
    /// The time when the receiver was off again, or gone, on the owner's clock; not before ``start``.
    public var end: Duration
    /// The number of reports that were heard in the scan, of any kind and by anybody; fragments of one advertisement count once; 0 or more.
    public var reports = 0
    /// The number of these reports without data, which prove nothing; 0 or more.
    public var emptyReports = 0
    /// The number of well-formed Exposure Notification advertisements in the scan, 0 or more; those without a signal
    /// strength are not handed out.
    public var exposureNotifications = 0
    /// The number of these advertisements without a signal strength, 0 or more.
    public var withoutRSSI = 0
    /// The number of advertisements in the scan with Exposure Notification service data of a wrong length, 0 or more.
    public var malformed = 0
    /// The number of different addresses heard in the scan with content, of any kind; 0 to ``maximumAdvertisers``.
    public var advertisers = 0
    /// The number of events in the scan that could not be read, 0 or more.
    public var refusedEvents = 0
    /// Whether the scan ended before its time, because of trouble or a stop.
    public var isCutShort = false

    /// The most advertisers that are counted in a scan; bounds its memory. Our own bound.
    public static let maximumAdvertisers = 64

    /// Whether nothing with content was heard: a quiet room, or a deaf receiver.
    public var isQuiet: Bool { reports == emptyReports }

    init(start: Duration) {
        self.start = start
        end = start
    }
}
