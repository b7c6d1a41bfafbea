// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials

/// The figures that must not be missed, kept in the tree (Benchmarks/thresholds.json).
public struct Thresholds: Decodable, Sendable {
    public struct Bound: Decodable, Sendable {
        public let atMost: Double?
        public let atLeast: Double?
        /// Where the number comes from.
        public let why: String
    }

    private let bounds: [String: [String: Bound]]

    public init(from decoder: any Decoder) throws {
        bounds = try decoder.singleValueContainer().decode([String: [String: Bound]].self)
    }

    public init(path: String) throws {
        do {
            self = try JSONDecoder().decode(Thresholds.self, from: Data(Files.read(path, limit: 1 << 20)))
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(file: path, "is not a file of thresholds")
        }
    }

    /// How a figure stands: `nil` when nothing is asked of it.
    public func verdict(_ figure: Figure, of benchmark: String) -> (isMet: Bool, bound: Bound)? {
        guard let bound = bounds[benchmark]?[figure.name], figure.note == nil else { return nil }
        let isMet = bound.atMost.map { figure.value <= $0 } ?? true && bound.atLeast.map { figure.value >= $0 } ?? true
        return (isMet, bound)
    }

    /// Figures a threshold asks for and this machine did not give, for example for want of AES instructions.
    public func absent(in result: BenchmarkResult) -> [String] {
        (bounds[result.benchmark] ?? [:]).keys.filter { name in
            !result.figures.contains { $0.name == name && $0.note == nil }
        }.sorted()
    }
}
