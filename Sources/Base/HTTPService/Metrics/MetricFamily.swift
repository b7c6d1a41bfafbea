// SPDX-License-Identifier: Apache-2.0

/// One number that is told to a monitoring, with all of its variants.
public struct MetricFamily: Hashable, Sendable {
    /// Whether it only grows.
    public enum Kind: String, Sendable { case counter, gauge }

    /// One variant.
    public struct Sample: Hashable, Sendable {
        /// Names and values that tell it from the others.
        public var labels: [String: String]
        public var value: Double

        public init(_ value: Double, _ labels: [String: String] = [:]) {
            self.value = value
            self.labels = labels
        }
    }

    /// Letters, digits and underscores.
    public var name: String
    /// One sentence.
    public var help: String
    public var kind: Kind
    public var samples: [Sample]

    /// A number with several variants; without any it is not told.
    public init(_ name: String, _ kind: Kind, _ help: String, samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// A number without variants.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        self.init(name, kind, help, samples: [Sample(Double(value))])
    }

    /// A number for each value of one label.
    public init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [String: Int]) {
        self.init(
            name, kind, help,
            samples: values.sorted { $0.key < $1.key }.map { Sample(Double($0.value), [label: $0.key]) })
    }
}
