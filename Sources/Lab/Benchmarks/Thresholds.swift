// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials

/// The bounds that a benchmark's figures must keep, as stated in the tree (Benchmarks/thresholds.json).
public struct Thresholds: Decodable, Sendable {
    /// The bounds of one figure: an upper limit, a lower limit, or both. With neither, which is not checked, every
    /// figure keeps them.
    public struct Bound: Decodable, Sendable {
        /// The upper limit in the figure's unit, inclusive; `nil` for none.
        public let atMost: Double?
        /// The lower limit in the figure's unit, inclusive; `nil` for none.
        public let atLeast: Double?
        /// The origin of the limit, an English sentence.
        public let why: String
    }

    private let bounds: [String: [String: Bound]]

    /// Decodes an object of benchmarks, each an object of figures with their ``Bound``. Throws what the decoder throws.
    public init(from decoder: any Decoder) throws {
        bounds = try decoder.singleValueContainer().decode([String: [String: Bound]].self)
    }

    /// Reads the file at `path`, of at most 1 MiB. Throws `InputError` when it cannot be read or does not hold thresholds.
    public init(path: String) throws {
        do {
            self = try JSONDecoder().decode(Thresholds.self, from: Data(Files.read(path, limit: 1 << 20)))
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(file: path, "is not a file of thresholds")
        }
    }

    /// Returns whether a figure keeps its bound, and the bound; `nil` if it has no bound, or has a note, which
    /// explains why it could not be measured. A value that is not a number, without a note, keeps no limit.
    public func verdict(_ figure: Figure, of benchmark: String) -> (isMet: Bool, bound: Bound)? {
        guard let bound = bounds[benchmark]?[figure.name], figure.note == nil else { return nil }
        let isMet = bound.atMost.map { figure.value <= $0 } ?? true && bound.atLeast.map { figure.value >= $0 } ?? true
        return (isMet, bound)
    }

    /// Returns the names of figures that have a threshold and that are missing in `result` or have a note, sorted:
    /// this machine could not measure them, for example because it lacks AES instructions. Cannot fail.
    public func absent(in result: BenchmarkResult) -> [String] {
        (bounds[result.benchmark] ?? [:]).keys.filter { name in
            !result.figures.contains { $0.name == name && $0.note == nil }
        }.sorted()
    }
}
