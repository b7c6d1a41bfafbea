// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials

/// The bounds that a benchmark's figures must keep, as they are in the tree (Benchmarks/thresholds.json).
public struct Thresholds: Decodable, Sendable {
    /// The bounds of one figure: a limit above, one below, or both.
    public struct Bound: Decodable, Sendable {
        /// The figure must not be larger, in its own unit; `nil` for no such limit.
        public let atMost: Double?
        /// The figure must not be smaller, in its own unit; `nil` for no such limit.
        public let atLeast: Double?
        /// The origin of the number, in an English sentence.
        public let why: String
    }

    private let bounds: [String: [String: Bound]]

    /// Decodes an object of benchmarks, each an object of figures with their ``Bound``. Throws what the decoder throws.
    public init(from decoder: any Decoder) throws {
        bounds = try decoder.singleValueContainer().decode([String: [String: Bound]].self)
    }

    /// Reads the file at `path`, at most 1 MiB. Throws `InputError` when it cannot be read or is no file of thresholds.
    public init(path: String) throws {
        do {
            self = try JSONDecoder().decode(Thresholds.self, from: Data(Files.read(path, limit: 1 << 20)))
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(file: path, "is not a file of thresholds")
        }
    }

    /// Whether a figure meets its bound; `nil` when nothing is asked of it, or when it could not be had (its note says why).
    public func verdict(_ figure: Figure, of benchmark: String) -> (isMet: Bool, bound: Bound)? {
        guard let bound = bounds[benchmark]?[figure.name], figure.note == nil else { return nil }
        let isMet = bound.atMost.map { figure.value <= $0 } ?? true && bound.atLeast.map { figure.value >= $0 } ?? true
        return (isMet, bound)
    }

    /// Names of figures that a threshold asks for and this machine did not give, sorted: for example for want of AES
    /// instructions. Cannot fail.
    public func absent(in result: BenchmarkResult) -> [String] {
        (bounds[result.benchmark] ?? [:]).keys.filter { name in
            !result.figures.contains { $0.name == name && $0.note == nil }
        }.sorted()
    }
}
