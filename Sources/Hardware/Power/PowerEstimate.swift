// SPDX-License-Identifier: Apache-2.0

/// What a board draws in each state, and where the figures are from.
public struct PowerFigures: Sendable, Hashable {
    /// How well they are known.
    public enum Confidence: String, Sendable, CaseIterable {
        /// By likeness with other boards.
        case estimated
        /// From makers' data sheets.
        case dataSheet
        /// On this kind of board, with an instrument.
        case measured
    }

    /// At which the currents are drawn.
    public var millivolts: Int
    /// Everything there is, with an idle processor and the radio between two of its bursts.
    public var idleMicroamps: Int
    /// More than that while the processor works.
    public var awakeMicroamps: Int
    /// How long it works for one wake-up.
    public var wakeMicroseconds: Int
    /// More while the receiver is on.
    public var receiveMicroamps: Int
    /// More while it sends.
    public var transmitMicroamps: Int
    /// What of the battery's energy arrives at that voltage.
    public var converterPercent: Int
    public var source: String
    public var confidence: Confidence

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

/// What a profile asks of the radio and the processor.
public struct Duty: Sendable, Hashable {
    /// Milliseconds that a scan lasts, and from one to the next on average.
    public var scanMilliseconds: Double
    public var scanPeriodMilliseconds: Double
    /// Milliseconds from one advertisement to the next on average.
    public var advertisingMilliseconds: Double
    /// Of all processes together.
    public var wakesPerSecond: Double

    /// How long one advertisement is on air: 47 bytes of 8 µs on each of three channels (Bluetooth Core Specification 5.4, volume 6, part B, 2.1 and
    /// 2.3.1.3: preamble 1, access address 4, header 2, address 6, data 31, CRC 3; 1 Mbit/s).
    public static let advertisementMicroseconds = 3.0 * 47 * 8

    public init(
        scanMilliseconds: Double, scanPeriodMilliseconds: Double, advertisingMilliseconds: Double, wakesPerSecond: Double
    ) {
        self.scanMilliseconds = scanMilliseconds
        self.scanPeriodMilliseconds = scanPeriodMilliseconds
        self.advertisingMilliseconds = advertisingMilliseconds
        self.wakesPerSecond = wakesPerSecond
    }

    /// The part of the time that the receiver is on.
    public var receiving: Double { Self.share(scanMilliseconds, scanPeriodMilliseconds) }
    /// The part of the time that something is being sent.
    public var sending: Double { Self.share(Self.advertisementMicroseconds / 1_000, advertisingMilliseconds) }

    private static func share(_ part: Double, _ whole: Double) -> Double {
        guard whole > 0, part > 0 else { return 0 }
        return min(1, part / whole)
    }
}

/// How long a battery lasts: pure arithmetic, as good as its figures.
public struct PowerEstimate: Sendable, Hashable {
    /// What each share of the mean current comes to, µA.
    public let idle: Double
    public let waking: Double
    public let receiving: Double
    public let sending: Double
    /// Of the battery, with what the converter takes.
    public let milliwatts: Double
    private let milliwattHours: Double

    /// - Parameters:
    ///   - milliwattHours: What the battery holds.
    ///   - usablePercent: What of it the board uses before it stops.
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

    /// Mean current at the board's voltage, µA.
    public var microamps: Double { idle + waking + receiving + sending }

    public var hours: Double { milliwatts > 0 ? milliwattHours / milliwatts : 0 }
}
