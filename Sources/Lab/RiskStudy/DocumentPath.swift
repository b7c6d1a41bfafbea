// SPDX-License-Identifier: Apache-2.0

package import JSON

/// Where a number stands in a document: `models[0].cwaSecond.minutesAtAttenuationWeights[0].weight`.
package struct DocumentPath: Hashable, Sendable, CustomStringConvertible {
    private enum Step: Hashable, Sendable {
        case field(String)
        case index(Int)
    }

    package let description: String
    private let steps: [Step]

    /// Throws `invalidPath` for anything that is no path.
    package init(_ text: String) throws(StudyError) {
        description = text
        var steps: [Step] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            guard let name = pieces.first, !name.isEmpty || (steps.isEmpty && pieces.count > 1) else {
                throw StudyError(.invalidPath, "“\(text)” is no path. Write it like \(Self.example).")
            }
            if !name.isEmpty { steps.append(.field(String(name))) }
            for piece in pieces.dropFirst() {
                guard piece.last == "]", let index = Int(piece.dropLast()), (0..<100_000).contains(index) else {
                    throw StudyError(.invalidPath, "“\(text)” is no path. Write it like \(Self.example).")
                }
                steps.append(.index(index))
            }
        }
        self.steps = steps
    }

    private static let example = "models[0].cwaSecond.minutesAtAttenuationWeights[0].weight"

    /// The index in `models`, if that is where it leads.
    var modelIndex: Int? {
        guard steps.count > 1, steps[0] == .field("models"), case .index(let index) = steps[1] else { return nil }
        return index
    }

    /// The number there. Throws `invalidPath` with what there is instead.
    package func number(in document: JSON) throws(StudyError) -> Double {
        var (value, place) = (document, "")
        for step in steps {
            switch step {
            case .field(let name):
                guard let inner = value[name] else {
                    let names = value.object?.members.map(\.name) ?? []
                    throw nothing(
                        place, name, names.isEmpty ? Self.kind(value) : "there are \(names.joined(separator: ", "))")
                }
                value = inner
                place += place.isEmpty ? name : ".\(name)"
            case .index(let index):
                guard let elements = value.array, elements.indices.contains(index) else {
                    throw nothing(
                        place, "[\(index)]",
                        value.array.map { "the list has \($0.count), counted from 0" } ?? Self.kind(value))
                }
                value = elements[index]
                place += "[\(index)]"
            }
        }
        switch value {
        case .int(let number): return Double(number)
        case .double(let number): return number
        default:
            let inside = value.object.map { ": \($0.members.map(\.name).joined(separator: ", "))" } ?? ""
            throw StudyError(.invalidPath, "Only numbers can be varied; at \(description) there is \(value.kind)\(inside).")
        }
    }

    private static func kind(_ value: JSON) -> String { "that is \(value.kind), and ends there" }

    private func nothing(_ place: String, _ name: String, _ rest: String) -> StudyError {
        StudyError(
            .invalidPath,
            "The configuration, written as Vigil's document, has no \(name) at \(place.isEmpty ? "its beginning" : place); \(rest)."
        )
    }

    /// The document with that number. A path that leads nowhere changes nothing.
    package func setting(_ number: Double, in document: JSON) -> JSON {
        let value = Int64(exactly: number).map { JSON.int($0) } ?? .double(number)
        return Self.setting(value, at: steps[...], in: document)
    }

    private static func setting(_ new: JSON, at steps: ArraySlice<Step>, in value: JSON) -> JSON {
        guard let step = steps.first else { return new }
        switch (step, value) {
        case (.field(let name), .object(var object)):
            guard let inner = object[name] else { return value }
            object[name] = setting(new, at: steps.dropFirst(), in: inner)
            return .object(object)
        case (.index(let index), .array(var elements)) where elements.indices.contains(index):
            elements[index] = setting(new, at: steps.dropFirst(), in: elements[index])
            return .array(elements)
        default: return value
        }
    }
}
