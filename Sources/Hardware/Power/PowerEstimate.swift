// SPDX-License-Identifier: Apache-2.0

/// The currents of a board in each state, with the source of these figures.
public struct PowerFigures: Sendable, Hashable {
    /// How reliable the figures are. Raw values are the words of the board's file.
    public enum Confidence: String, Sendable, CaseIterable {
        /// The figures were inferred from similar boards.
        case estimated
        /// The figures come from the manufacturers' data sheets.
        case dataSheet
        /// The figures were measured with an instrument on this kind of board.
        case measured
    }

    /// The voltage at which the currents are drawn, in mV; 1,000 to 100,000 in a file.
    public var millivolts: Int
    /// The current of the whole board in µA while the processor is idle and the radio is between two bursts; 1 to
    /// 10,000,000 in a file.
    public var idleMicroamps: Int
    /// The additional current while the processor works, in µA; 0 to 10,000,000 in a file.
    public var awakeMicroamps: Int
    /// The time for which the processor works at each wake-up, in µs; 0 to 1,000,000 in a file.
    public var wakeMicroseconds: Int
    /// The additional current while the receiver is on, in µA; 0 to 1,000,000 in a file.
    public var receiveMicroamps: Int
    /// The additional current while the board sends, in µA; 0 to 1,000,000 in a file.
    public var transmitMicroamps: Int
    /// The share of the battery's energy that reaches the board at that voltage, in percent; 10 to 100 in a file, 100 by
    /// default.
    public var converterPercent: Int
    /// The origin of the figures, as a text for people who assess them; 1 to 300 bytes in a file.
    public var source: String
    /// How reliable the figures are: estimated, from data sheets, or measured.
    public var confidence: Confidence

    /// Creates figures without checking them; ``BoardPower/init(parsing:)`` checks those of a file.
    public init(
        millivolts: Int, idleMicroamps: Int, awakeMicroamps: Int, wakeMicroseconds: Int, receiveMicroamps: Int,
        transmitMicroamps: Int, converterPercent: Int, source: String, confidence: Confidence
    ) {
        self.millivolts = millivolts
        self.idleMicroamps = idleMicroamps
        self.awakeMicroamps = awakeMicroamps
        self.wakeMicroseconds = wakeMicroseconds
        self.receiveMicroamps = receiveMicroamps
        self.transmitMicroamps = transmitMicroamps
        self.converterPercent = converterPercent
        self.source = source
        self.confidence = confidence
    }
}

/// The load that a profile puts on the radio and the processor.
public struct Duty: Sendable, Hashable {
    /// The length of a scan in ms; 0 or less counts as none.
    public var scanMilliseconds: Double
    /// The mean time between the starts of two scans, in ms; 0 or less counts as never.
    public var scanPeriodMilliseconds: Double
    /// The mean time between two advertisements, in ms; 0 or less counts as never.
    public var advertisingMilliseconds: Double
    /// The number of times per second that the processor wakes up, for all processes together; less than 0 counts as 0.
    public var wakesPerSecond: Double

    /// The time for which one advertisement is on air: 1,128 µs, which is 47 bytes of 8 µs on each of three channels
    /// (Bluetooth Core Specification 5.4, volume 6, part B, 2.1 and 2.3.1.3: preamble 1, access address 4, header 2,
    /// address 6, data 31, CRC 3; 1 Mbit/s).
    public static let advertisementMicroseconds = 3.0 * 47 * 8

    /// Creates a load without checking it. Times are in ms; a period of 0 or less counts as never.
    public init(
        scanMilliseconds: Double, scanPeriodMilliseconds: Double, advertisingMilliseconds: Double, wakesPerSecond: Double
    ) {
        self.scanMilliseconds = scanMilliseconds
        self.scanPeriodMilliseconds = scanPeriodMilliseconds
        self.advertisingMilliseconds = advertisingMilliseconds
        self.wakesPerSecond = wakesPerSecond
    }

    /// The share of the time for which the receiver is on, 0 to 1.
    public var receiving: Double { Self.share(scanMilliseconds, scanPeriodMilliseconds) }
    /// The share of the time for which the board sends, 0 to 1.
    public var sending: Double { Self.share(Self.advertisementMicroseconds / 1_000, advertisingMilliseconds) }

    private static func share(_ part: Double, _ whole: Double) -> Double {
        guard whole > 0, part > 0 else { return 0 }
        return min(1, part / whole)
    }
}

/// An estimate of a battery's life, calculated from figures and only as good as these.
public struct PowerEstimate: Sendable, Hashable {
    /// The mean current of the idle board, in µA, 0 or more.
    public let idle: Double
    /// The mean additional current for the work of the processor, in µA, at most that of a processor that always works. 0
    /// or more with figures from a file.
    public let waking: Double
    /// The mean additional current for listening, in µA, 0 or more.
    public let receiving: Double
    /// The mean additional current for sending, in µA, 0 or more.
    public let sending: Double
    /// The mean power drawn from the battery, in mW, including losses in the converter; 0 or more with figures from a file.
    public let milliwatts: Double
    private let milliwattHours: Double

    /// Calculates the estimate from the currents of the board and the load. Cannot fail; a `converterPercent` below
    /// 1 counts as 1.
    ///
    /// - Parameters:
    ///   - milliwattHours: The energy of the battery in mWh.
    ///   - usablePercent: The share of this energy that the board uses before it stops, limited to 0 to 100.
    public init(_ figures: PowerFigures, _ duty: Duty, milliwattHours: Int, usablePercent: Int = 100) {
        idle = Double(figures.idleMicroamps)
        waking =
            Double(figures.awakeMicroamps)
            * min(1, max(0, duty.wakesPerSecond) * Double(figures.wakeMicroseconds) / 1_000_000)
        receiving = Double(figures.receiveMicroamps) * duty.receiving
        sending = Double(figures.transmitMicroamps) * duty.sending
        milliwatts =
            (idle + waking + receiving + sending) * Double(figures.millivolts) / 1_000_000
            * 100 / Double(max(1, figures.converterPercent))
        self.milliwattHours = Double(milliwattHours) * Double(min(max(usablePercent, 0), 100)) / 100
    }

    /// The mean current at the board's voltage, in µA, without losses in the converter.
    public var microamps: Double { idle + waking + receiving + sending }

    /// The battery's life in hours; 0 if no power is drawn or the battery has no energy.
    public var hours: Double { milliwatts > 0 ? milliwattHours / milliwatts : 0 }
}
