// SPDX-License-Identifier: Apache-2.0

/// A parameter of a configuration and the values that it takes, written `PATH=FROM:TO:STEP`.
public struct Variation: Hashable, Sendable {
    /// The most values of one parameter: 1,000; more are refused with `invalidRange`. Our own bound.
    public static let mostValues = 1_000

    /// The path of the varied number in the configuration's document, as it was given.
    public var path: String { place.description }
    /// The values to be tried, in ascending order, 1 to ``mostValues`` of them; each is rounded to nine decimal
    /// places.
    public let values: [Double]
    let place: DocumentPath

    /// Reads a variation such as `models[0].cwaSecond.minutesAtAttenuationWeights[0].weight=0:1:0.1`. Throws
    /// `invalidPath` for a malformed path; `invalidRange` if the range is missing, is not three numbers of at most
    /// 10¹² in size, has FROM above TO or a STEP that is not above 0, or has more than ``mostValues`` values.
    public init(_ text: String) throws(StudyError) {
        guard let equals = text.lastIndex(of: "=") else {
            throw StudyError(.invalidRange, "“\(text)” names no range. Write PATH=FROM:TO:STEP, such as …weight=0:1:0.1.")
        }
        place = try DocumentPath(String(text[..<equals]))
        let parts = text[text.index(after: equals)...].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { $0.isFinite && abs($0) <= 1e12 }
        guard numbers.count == 3, parts.count == 3 else {
            throw StudyError(
                .invalidRange, "The range of \(place) must be three numbers, FROM:TO:STEP, such as 0:1:0.1.")
        }
        let (from, to, step) = (numbers[0], numbers[1], numbers[2])
        guard from <= to, step > 0 else {
            throw StudyError(.invalidRange, "The range of \(place) must rise: FROM at most TO, STEP above 0.")
        }
        // The last value may miss TO by rounding.
        let count = ((to - from) / step + 1e-9).rounded(.down) + 1
        guard count <= Double(Self.mostValues) else {
            throw StudyError(
                .invalidRange, "The range of \(place) has more than \(Self.mostValues) values. Take a larger STEP.")
        }
        values = (0..<Int(count)).map { Self.clean(from + Double($0) * step) }
    }

    /// 0.3 rather than 0.30000000000000004.
    private static func clean(_ value: Double) -> Double {
        let scaled = (value * 1e9).rounded()
        return abs(scaled) < 1e15 ? scaled / 1e9 : value
    }
}
