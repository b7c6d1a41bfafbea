// SPDX-License-Identifier: Apache-2.0

/// The kind of controller to simulate: version, abilities, power and delays.
public struct ControllerModel: Sendable {
    /// Version of the specification, by the number it has in HCI (Assigned Numbers 2.1).
    public enum Version: UInt8, Sendable {
        /// Bluetooth 4.2: legacy commands only.
        case v42 = 8
        /// Bluetooth 5.0: extended advertising and scanning, too.
        case v50 = 9
        /// Bluetooth 5.2: as 5.0, with the number of many present controllers.
        case v52 = 11
    }

    /// Version of the specification that it claims.
    public var version = Version.v50
    /// Whether the commands for advertising sets and extended scanning are offered (for legacy packets); `false` unless set. Without effect if
    /// ``version`` is below 5.0.
    public var hasExtendedAdvertising = false
    /// Whether it can advertise and scan at once; `true` unless set. If not, switching one on while the other is on is refused with 0x0C (command
    /// disallowed).
    public var canAdvertiseAndScanAtOnce = true
    /// Power at the antenna, in dBm; 0 unless set. Not checked.
    public var transmitPower: Int8 = 0
    /// Virtual time from a command to its answer; zero unless set. Not checked.
    public var answerDelay = Duration.zero
    /// The controller's public address; `nil` makes one from the node's number: `00:02:AA:00:hh:ll`, with the number's lowest 16 bits at the end.
    public var publicAddress: AirAddress?
    /// Whether it measures signal strength; `true` unless set. If not, every report says 127, "not available".
    public var measuresRSSI = true
    /// The number of advertising sets that it has; 4 unless set, our own choice. Held in 1 to 240. Without effect where these are not offered.
    public var advertisingSetCount = 4
    /// Whether unknown commands are answered with Command Status instead of Command Complete; `false` unless set. Both kinds of controller exist.
    public var answersUnknownCommandsWithStatus = false
    /// Bytes for a host that does not read: above this many reports are dropped, answers are not. Our own choice.
    public var reportLimit = 65_536

    /// A controller of Bluetooth 5.0 without extended advertising that answers at once.
    public init() {}

    var offersExtended: Bool { hasExtendedAdvertising && version.rawValue >= Version.v50.rawValue }
}
