// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// The error in dB that all attenuations of a window share, because the other device does not know its transmit power
/// exactly.
///
/// The frameworks define the four confidences (``GAEN/CalibrationConfidence``) without decibels. The standard values are
/// our own choice: half of the distance between neighbouring bands of published configurations (8 to 10 dB; 55, 63, 73),
/// falling from a device of which nothing is known to one that was measured itself.
public struct CalibrationError: Hashable, Sendable {
    /// The decibels that may be given for a confidence: 0 to 40. Our own bound.
    public static let range: ClosedRange<Double> = 0...40

    /// dB either way, by ``GAEN/CalibrationConfidence/rawValue``.
    private let decibels: [Double]

    /// The standard errors: 8, 6, 4 and 2 dB for lowest, low, medium and high confidence. Our own choice.
    public static let standard = CalibrationError(decibels: [8, 6, 4, 2])
    /// An error of 0 dB for all confidences: attenuations are taken as they are.
    public static let none = CalibrationError(decibels: [0, 0, 0, 0])

    private init(decibels: [Double]) { self.decibels = decibels }

    /// Reads decibels, each in ``range``: one number, such as `6`, for all confidences, or four, such as `8,6,4,2`, for
    /// lowest, low, medium and high. `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { Self.range.contains($0) }
        guard numbers.count == parts.count, numbers.count == 1 || numbers.count == 4 else { return nil }
        decibels = numbers.count == 4 ? numbers : Array(repeating: numbers[0], count: 4)
    }

    /// Returns the error for a confidence in dB, in both directions; in ``range``.
    public subscript(confidence: CalibrationConfidence) -> Double { decibels[Int(confidence.rawValue)] }

    /// Returns the shifts to be tried, as shares of the error, in ascending order: from -1 (nearer) to 1 (further), in
    /// steps of at most one decibel of the largest error among `confidences`. 0 is one of them, and the only one if there
    /// is no confidence or no error. Cannot fail.
    public func shares(for confidences: some Sequence<CalibrationConfidence>) -> [Double] {
        let most = confidences.reduce(0) { max($0, self[$1]) }
        let steps = Int(most.rounded(.up))
        return steps == 0 ? [0] : (-steps...steps).map { Double($0) / Double(steps) }
    }

    /// The decibels in words: `6 dB` if all are equal, otherwise `lowest 8, low 6, medium 4, high 2 dB`.
    public var words: String {
        func text(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
        guard Set(decibels).count > 1 else { return "\(text(decibels[0])) dB" }
        return zip(["lowest", "low", "medium", "high"], decibels).map { "\($0) \(text($1))" }.joined(separator: ", ")
            + " dB"
    }
}
