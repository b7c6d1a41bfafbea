// SPDX-License-Identifier: Apache-2.0

/// Currents of a board in each state, and the source of these figures.
public struct PowerFigures: Sendable, Hashable {
    /// The confidence in figures. Raw values are the words of the board's file.
    public enum Confidence: String, Sendable, CaseIterable {
        /// By likeness with other boards.
        case estimated
        /// From makers' data sheets.
        case dataSheet
        /// On this kind of board, with an instrument.
        case measured
    }

    /// Voltage at which the currents are drawn, in mV; 1,000 to 100,000 in a file.
    public var millivolts: Int
    /// Current of the whole board with an idle processor and the radio between two of its bursts, in µA; 1 to 10,000,000 in
    /// a file.
    public var idleMicroamps: Int
    /// Additional current while the processor works, in µA; 0 to 10,000,000 in a file.
    public var awakeMicroamps: Int
    /// Time for which the processor works for one wake-up, in µs; 0 to 1,000,000 in a file.
    public var wakeMicroseconds: Int
    /// Additional current while the receiver is on, in µA; 0 to 1,000,000 in a file.
    public var receiveMicroamps: Int
    /// Additional current while the board sends, in µA; 0 to 1,000,000 in a file.
    public var transmitMicroamps: Int
    /// Share of the battery's energy that arrives at that voltage, in percent; 10 to 100 in a file, 100 if it does not say.
    public var converterPercent: Int
    /// The origin of the figures, in words for whoever judges them; 1 to 300 bytes in a file.
    public var source: String
    /// The confidence in the figures: estimated, from data sheets, or measured.
    public var confidence: Confidence

    /// Takes the figures unchecked; ``BoardPower/init(parsing:)`` checks those of a file.
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
    /// Length of a scan, in ms; 0 or less counts as none.
    public var scanMilliseconds: Double
    /// Time from the start of one scan to the next on average, in ms; 0 or less counts as never.
    public var scanPeriodMilliseconds: Double
    /// Time from one advertisement to the next on average, in ms; 0 or less counts as never.
    public var advertisingMilliseconds: Double
    /// Wake-ups of the processor in a second, for all processes together; less than 0 counts as 0.
    public var wakesPerSecond: Double

    /// Time for which one advertisement is on air, 1,128 µs: 47 bytes of 8 µs on each of three channels (Bluetooth Core Specification 5.4, volume
    /// 6, part B, 2.1 and 2.3.1.3: preamble 1, access address 4, header 2, address 6, data 31, CRC 3; 1 Mbit/s).
    public static let advertisementMicroseconds = 3.0 * 47 * 8

    /// Takes the values unchecked, times in ms; a period of 0 or less counts as never.
    public init(
        scanMilliseconds: Double, scanPeriodMilliseconds: Double, advertisingMilliseconds: Double, wakesPerSecond: Double
    ) {
        self.scanMilliseconds = scanMilliseconds
        self.scanPeriodMilliseconds = scanPeriodMilliseconds
        self.advertisingMilliseconds = advertisingMilliseconds
        self.wakesPerSecond = wakesPerSecond
    }

    /// Share of the time for which the receiver is on, 0 to 1.
    public var receiving: Double { Self.share(scanMilliseconds, scanPeriodMilliseconds) }
    /// Share of the time for which something is being sent, 0 to 1.
    public var sending: Double { Self.share(Self.advertisementMicroseconds / 1_000, advertisingMilliseconds) }

    private static func share(_ part: Double, _ whole: Double) -> Double {
        guard whole > 0, part > 0 else { return 0 }
        return min(1, part / whole)
    }
}

/// The estimated life of a battery: pure arithmetic, as good as its figures.
public struct PowerEstimate: Sendable, Hashable {
    /// Mean current of the idle board, in µA, 0 or more.
    public let idle: Double
    /// Mean additional current for the work of the processor, in µA; at most what it draws while it works all the time. 0 or more with figures of a
    /// file.
    public let waking: Double
    /// Mean additional current for listening, in µA, 0 or more.
    public let receiving: Double
    /// Mean additional current for sending, in µA, 0 or more.
    public let sending: Double
    /// Mean power taken from the battery, in mW, with the converter's losses; 0 or more with figures of a file.
    public let milliwatts: Double
    private let milliwattHours: Double

    /// Calculates all shares. Cannot fail; a converter below 1 percent counts as 1 percent.
    ///
    /// - Parameters:
    ///   - milliwattHours: Energy that the battery holds, in mWh.
    ///   - usablePercent: Share of it that the board uses before it stops, brought into 0 to 100.
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

    /// Mean current at the board's voltage, in µA, converter's losses not included.
    public var microamps: Double { idle + waking + receiving + sending }

    /// Hours for which the battery lasts; 0 when nothing is drawn, or the battery holds nothing.
    public var hours: Double { milliwatts > 0 ? milliwattHours / milliwatts : 0 }
}
