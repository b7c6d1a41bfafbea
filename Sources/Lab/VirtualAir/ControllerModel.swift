// SPDX-License-Identifier: Apache-2.0

/// The properties of a simulated controller: version, abilities, power and delays.
public struct ControllerModel: Sendable {
    /// A version of the Bluetooth specification, by its number in HCI (Assigned Numbers 2.1).
    public enum Version: UInt8, Sendable {
        /// Bluetooth 4.2: legacy commands only.
        case v42 = 8
        /// Bluetooth 5.0: extended advertising and scanning too.
        case v50 = 9
        /// Bluetooth 5.2: the same abilities as 5.0, with the version number that many current controllers have.
        case v52 = 11
    }

    /// The version of the specification that the controller reports.
    public var version = Version.v50
    /// Whether the controller has the commands for advertising sets and extended scanning (for legacy packets); `false`
    /// unless set. No effect if ``version`` is below 5.0.
    public var hasExtendedAdvertising = false
    /// Whether the controller can advertise and scan at once; `true` unless set. If not, switching one on while the
    /// other is on is refused with 0x0C, command disallowed (Core Specification, Vol 1 Part F 1.3).
    public var canAdvertiseAndScanAtOnce = true
    /// The power at the antenna in dBm; 0 unless set. Not checked.
    public var transmitPower: Int8 = 0
    /// The virtual time from a command to its answer, and from one answer to the next; zero unless set. Less than
    /// zero counts as zero.
    public var answerDelay = Duration.zero
    /// The controller's public address. With `nil` it is made from the lowest 16 bits of the node's number:
    /// `00:02:AA:00:hh:ll`.
    public var publicAddress: AirAddress?
    /// Whether the controller measures signal strength; `true` unless set. If not, every report has 127, "not available".
    public var measuresRSSI = true
    /// The number of advertising sets, limited to 1 to 240; 4 unless set. No effect if the controller has none. Our own
    /// choice.
    public var advertisingSetCount = 4
    /// Whether unknown commands are answered with Command Status instead of Command Complete; `false` unless set. Both
    /// kinds of controllers exist.
    public var answersUnknownCommandsWithStatus = false
    /// The number of unread output bytes from which on reports are dropped; 65,536 unless set. Answers are never
    /// dropped, but above 8 MiB the connection is closed. Both are our own choice.
    public var reportLimit = 65_536

    /// Creates a model of a Bluetooth 5.0 controller without extended advertising, which answers at once.
    public init() {}

    var offersExtended: Bool { hasExtendedAdvertising && version.rawValue >= Version.v50.rawValue }
}
