// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The properties in which kinds of boards differ: how often they scan, how loud they send and how well they receive.
///
/// ``problems`` checks the values; a profile with any problem is refused as a whole (docs/profiles.md).
public struct BoardProfile: Sendable, Equatable {
    /// The role of a board: whether it represents a person's risk.
    public enum Role: String, Sendable, CaseIterable {
        /// The board is worn by a person.
        case person
        /// The board stands in a place and represents no person's risk.
        case place
    }

    /// The generation of HCI commands to use. The packets on air are the same: those of Bluetooth 4.
    public enum Commands: String, Sendable, CaseIterable {
        /// The commands of Bluetooth 4, unless the controller reports that it lacks them but has extended advertising.
        /// Every LE controller that can advertise supports them, and manufacturers have tested them most.
        case automatic
        /// The commands of Bluetooth 4, no matter what the controller supports.
        case legacy
        /// The commands of Bluetooth 5 if the controller reports extended advertising; otherwise those of Bluetooth 4.
        case extended
    }

    /// The name of the kind of board for people: `token`, `kiosk`, or the board's name; 1 to 64 bytes.
    public var name: String
    /// The revision of the calibration, which increases with every change; 0 to 32,767, because higher numbers
    /// stand for corrections that were set on the board. It is stored with each scan. Scans made under a correction
    /// that was set on the board keep that correction; all others get the profile's present value.
    public var revision: UInt16
    /// The role of the board, which determines what it stores and sends.
    public var role: Role
    /// The generation of HCI commands for the radio. ``ControllerFacts/usesExtendedCommands`` shows which one was chosen.
    public var commands: Commands
    /// Whether advertising stops during scans from the start. A controller that cannot do both at once is detected in any
    /// case.
    public var mustTimeSlice: Bool
    /// The parameters of sending: interval, rotation and format.
    public var beacon: Beacon
    /// The parameters of scanning: duration, period and spread.
    public var scan: Scan
    /// The calibration of the board's sender and receiver.
    public var calibration: Calibration
    /// Whether the board has a button for the consent to warn others. With one, the page alone cannot give that consent.
    /// `false` by default.
    public var hasConsentButton = false
    /// The time without a packet after which the controller is checked, 5 to 90 s (our own bounds). Limits how long
    /// a dead controller stays unnoticed.
    public var controllerCheck: Duration

    /// The parameters of sending: interval, rotation and format.
    public struct Beacon: Sendable, Equatable {
        /// The time between two advertisements, to which the controller adds 0 to 10 ms: 200 to 270 ms by default
        /// (shared facts: gaen-core section 2), within 100 to 1,000 ms: 100 is the least that old controllers
        /// accept, 1,000 our own choice.
        public var interval: ClosedRange<Duration>
        /// The time for which one identifier is used, chosen at random: 10 to 20 minutes by default (Bluetooth
        /// specification v1.2; gaen-core section 2), and always within that range.
        public var rotation: ClosedRange<Duration>
        /// The format of the data: whether advertisements contain flags before the service.
        public var form: AdvertisingPayload.Form

        /// Creates parameters without checking them; ``BoardProfile/problems`` checks them. The defaults are those of the
        /// Bluetooth Specification 1.2.
        public init(
            interval: ClosedRange<Duration> = .milliseconds(200) ... .milliseconds(270),
            rotation: ClosedRange<Duration> = .seconds(600) ... .seconds(1_200), form: AdvertisingPayload.Form = .withFlags
        ) {
            self.interval = interval
            self.rotation = rotation
            self.form = form
        }
    }

    /// The parameters of scanning: duration, period and spread.
    public struct Scan: Sendable, Equatable {
        /// The time for which the receiver is on in a scan, 0.5 to 20 s.
        public var duration: Duration
        /// The longest time between the starts of two scans, at most 300 s, because longer gaps are not counted as
        /// time together. Minus ``spread``, it is at least half a second longer than ``duration``.
        public var period: Duration
        /// The largest random amount, in whole milliseconds, by which a period is shortened, so that two boards cannot miss
        /// each other forever. Not negative.
        public var spread: Duration

        /// Creates parameters without checking them; ``BoardProfile/problems`` checks them.
        public init(duration: Duration, period: Duration, spread: Duration) {
            self.duration = duration
            self.period = period
            self.spread = spread
        }
    }

    /// The transmit power of a kind of board, and the correction of its measurements. The built-in values are estimates.
    public struct Calibration: Sendable, Equatable {
        /// The power stated in the encrypted metadata, in dBm, -50 to 20. This is the power at which an average phone would
        /// be received with the same strength, not the setting of the controller.
        public var transmitPower: Int8
        /// How reliable the calibration is; it is broadcast in the metadata.
        public var confidence: CalibrationConfidence
        /// The correction in dB, -60 to 60, that is added to measured signal strengths when sightings are compared. The
        /// stored values are uncorrected.
        public var rssiCorrection: Int8

        /// Creates a calibration without checking it; ``BoardProfile/problems`` checks it. `transmitPower` is in dBm,
        /// `rssiCorrection` in dB.
        public init(transmitPower: Int8, confidence: CalibrationConfidence, rssiCorrection: Int8) {
            self.transmitPower = transmitPower
            self.confidence = confidence
            self.rssiCorrection = rssiCorrection
        }
    }

    /// Creates a profile without checking it; ``problems`` checks it.
    public init(
        name: String, revision: UInt16, role: Role, commands: Commands = .automatic, mustTimeSlice: Bool = false,
        beacon: Beacon,
        scan: Scan, calibration: Calibration, controllerCheck: Duration
    ) {
        self.name = name
        self.revision = revision
        self.role = role
        self.commands = commands
        self.mustTimeSlice = mustTimeSlice
        self.beacon = beacon
        self.scan = scan
        self.calibration = calibration
        self.controllerCheck = controllerCheck
    }
}

extension BoardProfile.Calibration {
    /// An estimate for boards like the Raspberry Pi 3, to be replaced by a measurement. Two of them receive each other with
    /// -51 dBm at 1.5 m (NIST's measurements, fitted in `VirtualAir.PathLoss`), where phones should see an attenuation of
    /// 55 dB (the end of the nearest bucket of the Corona-Warn-App); 55 - 51 = 4.
    public static let raspberryPi = BoardProfile.Calibration(transmitPower: 4, confidence: .lowest, rssiCorrection: 0)
}

extension BoardProfile {
    /// The rules that this profile breaks, as sentences with the name of the field; empty for a usable profile.
    public var problems: [String] {
        var problems: [String] = []
        func require(_ holds: Bool, _ sentence: String) { if !holds { problems.append(sentence) } }
        require(!name.isEmpty && name.utf8.count <= 64, "name: 1 to 64 bytes")
        require(revision < 0x8000, "revision: at most 32767 (those above are given to corrections set on the board)")
        require(
            beacon.interval.lowerBound >= .milliseconds(100) && beacon.interval.upperBound <= .milliseconds(1_000),
            "beacon.interval: within 100 to 1000 ms (the specification says 200 to 270)")
        require(
            beacon.rotation.lowerBound >= .seconds(600) && beacon.rotation.upperBound <= .seconds(1_200),
            "beacon.rotation: within 600 to 1200 s (the specification's 10 to 20 minutes)")
        require(
            scan.duration >= .milliseconds(500) && scan.duration <= .seconds(20), "scan.duration: within 0.5 to 20 s")
        require(
            scan.period <= .seconds(300),
            "scan.period: at most 300 s (gaps above five minutes are not counted as time together)")
        require(scan.spread >= .zero, "scan.spread: not negative")
        require(
            scan.period - scan.spread >= scan.duration + .milliseconds(500),
            "scan.period: less scan.spread, still half a second longer than scan.duration")
        require(
            (-50...20).contains(calibration.transmitPower),
            "calibration.transmitPower: within -50 to 20 dBm (receivers refuse others)")
        require((-60...60).contains(calibration.rssiCorrection), "calibration.rssiCorrection: within -60 to 60 dB")
        require(
            controllerCheck >= .seconds(5) && controllerCheck <= .seconds(90), "controllerCheck: within 5 to 90 s")
        return problems
    }

    /// The profile of a battery-powered token, with the rhythm of phones: 4 s every 211 to 300 s (shared facts: gaen-core
    /// section 3).
    public static let token = BoardProfile(
        name: "token", revision: 1, role: .person, beacon: Beacon(),
        scan: Scan(duration: .seconds(4), period: .seconds(300), spread: .seconds(89)),
        calibration: .raspberryPi, controllerCheck: .seconds(60))

    /// The profile of a kiosk on mains power, which represents a place and scans for 4 s every 50 to 60 s. Our own choice.
    public static let kiosk = BoardProfile(
        name: "kiosk", revision: 1, role: .place, beacon: Beacon(),
        scan: Scan(duration: .seconds(4), period: .seconds(60), spread: .seconds(10)),
        calibration: .raspberryPi, controllerCheck: .seconds(30))
}
