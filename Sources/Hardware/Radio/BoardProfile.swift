// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The differences between kinds of boards: how often one listens, how loud it is, how well it hears.
///
/// Values are checked by ``problems``; a profile that has any is refused as a whole (docs/profiles.md).
public struct BoardProfile: Sendable, Equatable {
    /// The role of a board: whether it stands for a person's risk.
    public enum Role: String, Sendable, CaseIterable {
        /// Worn by a person.
        case person
        /// Stands in a place; nobody's personal risk.
        case place
    }

    /// The generation of HCI commands to use. What goes on air is the same: packets of Bluetooth 4.
    public enum Commands: String, Sendable, CaseIterable {
        /// Those of Bluetooth 4, unless the controller says that it lacks them and has extended advertising: every LE controller that can advertise
        /// has them, and they are the ones its makers tested most.
        case automatic
        /// The commands of Bluetooth 4, whatever the controller can do.
        case legacy
        /// The commands of Bluetooth 5 if the controller says that it has extended advertising; otherwise those of Bluetooth 4.
        case extended
    }

    /// Name of the kind of board for people: `token`, `kiosk`, or the board's name; 1 to 64 bytes.
    public var name: String
    /// Goes up with every change of calibration; 0 to 32,767. Kept with each scan: scans that were heard
    /// under a correction set on the board keep that one; all others get the profile's present value.
    public var revision: UInt16
    /// The role of the board; decides what it stores and sends.
    public var role: Role
    /// The generation of HCI commands that the radio uses; ``ControllerFacts/usesExtendedCommands`` tells what came of it.
    public var commands: Commands
    /// Whether advertising stops while scanning, from the start. Controllers that cannot do both are found out anyway.
    public var mustTimeSlice: Bool
    /// The parameters of sending: interval, rotation and form.
    public var beacon: Beacon
    /// The parameters of listening: duration, period and spread.
    public var scan: Scan
    /// The calibration of the board's transmit power and of its receiver.
    public var calibration: Calibration
    /// Whether the board has a button for agreeing to warn others: then a page alone cannot. False unless it is set.
    public var hasConsentButton = false
    /// Quiet time after which the controller is asked whether it is still there, 5 to 90 s. Bounds how long a controller that went silent stays
    /// unnoticed.
    public var controllerCheck: Duration

    /// Parameters of sending: interval, rotation and form.
    public struct Beacon: Sendable, Equatable {
        /// Time between two advertisements, to which controllers add 0 to 10 ms: 200 to 270 ms by default (shared facts: gaen-core section 2),
        /// within 100 to 1,000 ms.
        public var interval: ClosedRange<Duration>
        /// Time for which one identifier is used, at random within this: 10 to 20 minutes by default (Bluetooth specification v1.2; gaen-core
        /// section 2), and never less or more.
        public var rotation: ClosedRange<Duration>
        /// The form of the data: whether advertisements carry flags in front of the service.
        public var form: AdvertisingPayload.Form

        /// Takes the times unchecked; ``BoardProfile/problems`` judges them. The defaults are the specification's
        /// (Bluetooth Specification 1.2).
        public init(
            interval: ClosedRange<Duration> = .milliseconds(200) ... .milliseconds(270),
            rotation: ClosedRange<Duration> = .seconds(600) ... .seconds(1_200), form: AdvertisingPayload.Form = .withFlags
        ) {
            self.interval = interval
            self.rotation = rotation
            self.form = form
        }
    }

    /// Parameters of listening: duration, period and spread.
    public struct Scan: Sendable, Equatable {
        /// Time for which the receiver is on in one scan, 0.5 to 20 s.
        public var duration: Duration
        /// Time from one start to the next, at most; 300 s or less. Less ``spread``, it is half a second longer than ``duration`` at least.
        public var period: Duration
        /// Most by which a period is shortened, at random and in whole milliseconds, so that two boards cannot miss each other for ever. Not
        /// negative.
        public var spread: Duration

        /// Takes the times unchecked: the length of a scan, the time from start to start, and the most by which that is shortened at random.
        /// ``BoardProfile/problems`` judges them.
        public init(duration: Duration, period: Duration, spread: Duration) {
            self.duration = duration
            self.period = period
            self.spread = spread
        }
    }

    /// How loud a kind of board is, and what to add to what it hears. The built-in values are guesses.
    public struct Calibration: Sendable, Equatable {
        /// The power in the encrypted metadata, in dBm, -50 to 20: the power with which an average phone would be heard as loud, not the controller's
        /// setting.
        public var transmitPower: Int8
        /// The confidence in the calibration; goes on air in the metadata.
        public var confidence: CalibrationConfidence
        /// Added to what the controller measures when sightings are compared, in dB, -60 to 60. What is stored is raw.
        public var rssiCorrection: Int8

        /// Takes the values unchecked, `transmitPower` in dBm and `rssiCorrection` in dB; ``BoardProfile/problems`` judges
        /// them.
        public init(transmitPower: Int8, confidence: CalibrationConfidence, rssiCorrection: Int8) {
            self.transmitPower = transmitPower
            self.confidence = confidence
            self.rssiCorrection = rssiCorrection
        }
    }

    /// Takes the values unchecked; ``problems`` judges them.
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
    /// A guess for boards like the Raspberry Pi 3, to be replaced by a measurement: two of them hear each other at -51 dBm
    /// from 1.5 m (NIST's measurements, fitted in `VirtualAir.PathLoss`), where phones are meant to see 55 dB of attenuation
    /// (the nearest bucket of the Corona-Warn-App ends there); 55 - 51 = 4.
    public static let raspberryPi = BoardProfile.Calibration(transmitPower: 4, confidence: .lowest, rssiCorrection: 0)
}

extension BoardProfile {
    /// Every rule this profile breaks, as sentences with the name of the field; empty for a usable one.
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

    /// A token on a battery: phones' rhythm of 4 s every 211 to 300 s (shared facts: gaen-core section 3).
    public static let token = BoardProfile(
        name: "token", revision: 1, role: .person, beacon: Beacon(),
        scan: Scan(duration: .seconds(4), period: .seconds(300), spread: .seconds(89)),
        calibration: .raspberryPi, controllerCheck: .seconds(60))

    /// A kiosk on mains power, which stands for a place: listens for 4 s every 50 to 60 s. Our own choice.
    public static let kiosk = BoardProfile(
        name: "kiosk", revision: 1, role: .place, beacon: Beacon(),
        scan: Scan(duration: .seconds(4), period: .seconds(60), spread: .seconds(10)),
        calibration: .raspberryPi, controllerCheck: .seconds(30))
}
