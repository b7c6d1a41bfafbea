// SPDX-License-Identifier: Apache-2.0

package import ExposureRisk
import ForeignText

/// The path of a value in a document, such as `models[0].cwaSecond.trlFilters[2].dropIfTrlInRange.max`.
package struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as text; empty for the whole document. Paths from ``field(_:)`` are printable ASCII.
    package let description: String

    /// Creates a path from its text, which is not checked; empty for the whole document.
    package init(_ description: String = "") { self.description = description }

    /// Returns the path of a field of this object. Names that would make the path ambiguous, or that are unsafe for a
    /// terminal, are quoted and cut.
    package func field(_ name: String) -> JSONPath {
        let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isPlain)
        guard !isPlain else { return JSONPath(description.isEmpty ? name : "\(description).\(name)") }
        let shown = String(ForeignText.ascii(name, limit: 60).map { $0 == "\"" ? "?" : $0 })
        return JSONPath("\(description)[\"\(shown)\"]")
    }

    /// Returns the path of an element of this list, from 0.
    package func index(_ index: Int) -> JSONPath { JSONPath("\(description)[\(index)]") }

    /// Returns the path of a value whose path relative to this one is `relative`.
    package func joined(_ relative: String) -> JSONPath {
        if relative.isEmpty { return self }
        if description.isEmpty { return JSONPath(relative) }
        return JSONPath(relative.utf8.first == UInt8(ascii: "[") ? description + relative : "\(description).\(relative)")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}

/// The problems of one document, in the order of the document.
package struct ProblemList {
    /// The problems, at most ``RiskConfigurationError/mostProblems``; further ones are left out.
    package private(set) var problems: [RiskProblem] = []
    /// Whether each of the problems is a number that no authority can mean; `true` also without problems.
    package private(set) var areAllOutOfRange = true

    /// Creates a list without problems.
    package init() {}

    /// Adds a problem; `isRange` states that it is a number that no authority can mean. `sentence` must be printable.
    package mutating func report(_ path: JSONPath, _ sentence: String, isRange: Bool = false) {
        areAllOutOfRange = areAllOutOfRange && isRange
        guard problems.count < RiskConfigurationError.mostProblems else { return }
        problems.append(RiskProblem(path.description, sentence))
    }

    /// Adds the problems of a model's parameters; `place` turns their paths into those of the document. Places at
    /// which the document already has a problem are left out, because the parameters have stand-ins there.
    package mutating func report(_ judged: [RiskProblem], place: (String) -> JSONPath) {
        let known = problems.map(\.path)
        for problem in judged {
            let path = place(problem.path)
            let isTold = known.contains { Self.holds($0, path.description) || Self.holds(path.description, $0) }
            if !isTold { report(path, problem.sentence) }
        }
    }

    /// Whether `inner` is `outer` or lies in it.
    private static func holds(_ outer: String, _ inner: String) -> Bool {
        guard inner.utf8.starts(with: outer.utf8) else { return false }
        let next = inner.utf8.dropFirst(outer.utf8.count).first
        return outer.isEmpty || next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
