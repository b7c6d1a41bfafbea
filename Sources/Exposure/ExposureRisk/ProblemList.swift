// SPDX-License-Identifier: Apache-2.0

/// Collects what is wrong, so that one pass finds all of it.
struct ProblemList {
    private(set) var all: [RiskProblem] = []

    /// `sentence` says what would be right.
    mutating func require(_ isRight: Bool, _ path: String, _ sentence: @autoclosure () -> String) {
        if !isRight { all.append(RiskProblem(path, sentence())) }
    }

    /// NaN is in no range.
    mutating func require(_ value: Double, in range: ClosedRange<Double>, _ path: String) {
        require(
            range.contains(value), path,
            "is \(value); a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)) is needed")
    }

    mutating func require(_ value: Int, in range: ClosedRange<Int>, _ path: String) {
        require(
            range.contains(value), path,
            "is \(value); a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
    }

    mutating func require(positive value: Double, upTo limit: Double, _ path: String) {
        require(value > 0 && value <= limit, path, "is \(value); a number above 0 and up to \(Self.text(limit)) is needed")
    }

    mutating func require(_ values: [Double], count: Int, in range: ClosedRange<Double>, _ path: String, of what: String) {
        require(values.count == count, path, "has \(values.count) entries; \(count) are needed, \(what)")
        for (index, value) in values.enumerated() { require(value, in: range, "\(path)[\(index)]") }
    }

    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
