// SPDX-License-Identifier: Apache-2.0

package import ExposureRisk
import ForeignText

/// Where in a document: `models[0].cwaSecond.trlFilters[2].dropIfTrlInRange.max`.
package struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as people read it; empty for the whole document. Printable ASCII where ``field(_:)`` made it.
    package let description: String

    /// A path from its text, unchecked; empty for the whole document.
    package init(_ description: String = "") { self.description = description }

    /// The path of a field of this object. Names that would make the path ambiguous, or that a terminal must not see, are
    /// quoted and cut.
    package func field(_ name: String) -> JSONPath {
        let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isPlain)
        guard !isPlain else { return JSONPath(description.isEmpty ? name : "\(description).\(name)") }
        let shown = String(ForeignText.ascii(name, limit: 60).map { $0 == "\"" ? "?" : $0 })
        return JSONPath("\(description)[\"\(shown)\"]")
    }

    /// The path of an element of this list, from 0.
    package func index(_ index: Int) -> JSONPath { JSONPath("\(description)[\(index)]") }

    /// The place of something that is said relative to this one.
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

/// Everything wrong with one document, in the order of the document.
package struct ProblemList {
    /// At most ``RiskConfigurationError/mostProblems``; of more, the first.
    package private(set) var problems: [RiskProblem] = []
    /// Whether each of them is a number that no authority can mean; true also without any.
    package private(set) var areAllOutOfRange = true

    /// No problems yet.
    package init() {}

    /// Notes a problem; `isRange` says that it is a number that no authority can mean. `sentence` must be printable.
    package mutating func report(_ path: JSONPath, _ sentence: String, isRange: Bool = false) {
        areAllOutOfRange = areAllOutOfRange && isRange
        guard problems.count < RiskConfigurationError.mostProblems else { return }
        problems.append(RiskProblem(path.description, sentence))
    }

    /// What a model says of its parameters, where `place` says how the document calls them. Left out where the document is at fault
    /// already: the parameters hold stand-ins there.
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
