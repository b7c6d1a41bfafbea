// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
public import JSON
import RiskConfiguration

extension StudyDataset {
    // Datasets have seven levels.
    private static let maximumDepth = 16
    /// How many levels of a document get lines of their own: down to the windows of a case.
    private static let levelsOnLines = 4

    /// Reads a dataset from the bytes of its JSON document. Throws `tooLarge` for more than 32 MiB, and `invalidDataset`
    /// with everything that is wrong, at most 100 problems.
    public init(parsing bytes: [UInt8]) throws(StudyError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw StudyError(.tooLarge, "it has more than \(Self.maximumByteCount >> 20) MiB")
        }
        let json: JSON
        do { json = try JSON(parsing: bytes, maximumDepth: Self.maximumDepth) } catch {
            throw StudyError(.invalidDataset, problems: [RiskProblem("", "\(error)")])
        }
        self = try Self.read(json) { $0 }
    }

    static func read(_ json: JSON, place: (RiskProblem) -> RiskProblem) throws(StudyError) -> StudyDataset {
        var list = ProblemList()
        let dataset = DatasetForm.document.read(json, JSONPath(), &list)
        guard list.problems.isEmpty else {
            throw StudyError(.invalidDataset, problems: list.problems.map(place))
        }
        return dataset
    }

    /// The dataset as JSON text (format ``format``), with a line for each window. The same dataset always gives the same
    /// bytes, and reading them gives the same dataset.
    public var document: [UInt8] {
        var bytes: [UInt8] = []
        Self.write(DatasetForm.document.write(self), depth: 0, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func write(_ json: JSON, depth: Int, to bytes: inout [UInt8]) {
        let isList = json.array != nil
        let parts: [(name: String?, value: JSON)]
        switch json {
        case .array(let elements) where depth < levelsOnLines && !elements.isEmpty: parts = elements.map { (nil, $0) }
        // A truth fits one line.
        case .object(let object) where depth < levelsOnLines && object["cases"] != nil || object["windows"] != nil:
            parts = object.members.map { ($0.name, $0.value) }
        default:
            bytes += json.bytes
            return
        }
        bytes.append(UInt8(ascii: isList ? "[" : "{"))
        for (index, part) in parts.enumerated() {
            bytes += index == 0 ? Array("\n".utf8) : Array(",\n".utf8)
            bytes += [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth + 2)
            if let name = part.name {
                bytes += JSON.string(name).bytes
                bytes += ": ".utf8
            }
            write(part.value, depth: depth + 1, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth)
        bytes.append(UInt8(ascii: isList ? "]" : "}"))
    }

    /// The JSON Schema (draft 2020-12) of ``document``, generated from the reader's rules.
    public static var schema: JSON {
        var schema: JSON.Object = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Vigil exposure windows",
            "description": "Encounters to judge and to exchange, without dates and times of day; docs/risk-study.md.",
        ]
        for member in DatasetForm.document.schema.members { schema[member.name] = member.value }
        return .object(schema)
    }

    /// Returns one dataset with all cases of several, in their order, without origin and licence; a single dataset is
    /// returned as it is. If a name occurs more than once, it is preceded by the number of its dataset, from 1, and
    /// followed by an apostrophe if it is still not unique.
    public static func joined(_ datasets: [StudyDataset]) -> StudyDataset {
        guard datasets.count != 1 else { return datasets[0] }
        var counts: [String: Int] = [:]
        for one in datasets.flatMap(\.cases) { counts[one.name, default: 0] += 1 }
        var taken = Set<String>()
        var cases: [StudyCase] = []
        for (number, dataset) in datasets.enumerated() {
            for var one in dataset.cases {
                if counts[one.name, default: 0] > 1 { one.name = "\(number + 1): \(one.name)" }
                while !taken.insert(one.name).inserted { one.name += "'" }
                cases.append(one)
            }
        }
        return StudyDataset(cases: cases)
    }
}
