// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The common error of all attenuations of a window, in dB: the other device does not know its transmit power exactly.
///
/// The frameworks define what the four confidences mean (``GAEN/CalibrationConfidence``) and give no decibels. The standard values are
/// ours: half steps of the difference between neighbouring bands of published configurations (8 to 10 dB, 55, 63, 73), from a device
/// that was measured itself to one of which nothing is known.
public struct CalibrationError: Hashable, Sendable {
    /// Decibels that may be given for one confidence. Our own bound.
    public static let range: ClosedRange<Double> = 0...40

    /// dB either way, by ``GAEN/CalibrationConfidence/rawValue``.
    private let decibels: [Double]

    /// 8, 6, 4 and 2 dB for lowest, low, medium and high confidence: ours, see above.
    public static let standard = CalibrationError(decibels: [8, 6, 4, 2])
    /// A calibration error of 0 dB: attenuations are taken as they are.
    public static let none = CalibrationError(decibels: [0, 0, 0, 0])

    private init(decibels: [Double]) { self.decibels = decibels }

    /// Reads decibels, each in ``range``. `6`: the same for all. `8,6,4,2`: for lowest, low, medium, high. `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { Self.range.contains($0) }
        guard numbers.count == parts.count, numbers.count == 1 || numbers.count == 4 else { return nil }
        decibels = numbers.count == 4 ? numbers : Array(repeating: numbers[0], count: 4)
    }

    /// The error for a confidence, dB either way; in ``range``.
    public subscript(confidence: CalibrationConfidence) -> Double { decibels[Int(confidence.rawValue)] }

    /// Every shift that is tried, as a share of the error, rising: from nearer (-1) to further (1), in steps of at most one
    /// decibel of the largest error among `confidences`. 0 is among them, and alone if there is no confidence or no error.
    /// Cannot fail.
    public func shares(for confidences: some Sequence<CalibrationConfidence>) -> [Double] {
        let most = confidences.reduce(0) { max($0, self[$1]) }
        let steps = Int(most.rounded(.up))
        return steps == 0 ? [0] : (-steps...steps).map { Double($0) / Double(steps) }
    }

    /// The decibels for people: `6 dB` where all are the same, otherwise `lowest 8, low 6, medium 4, high 2 dB`.
    public var words: String {
        func text(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
        guard Set(decibels).count > 1 else { return "\(text(decibels[0])) dB" }
        return zip(["lowest", "low", "medium", "high"], decibels).map { "\($0) \(text($1))" }.joined(separator: ", ")
            + " dB"
    }
}
