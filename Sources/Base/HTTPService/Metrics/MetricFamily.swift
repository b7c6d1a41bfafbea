// SPDX-License-Identifier: Apache-2.0

/// One number for a monitoring system, with all of its variants.
public struct MetricFamily: Hashable, Sendable {
    /// The kind of number: a counter only grows while the process runs; a gauge goes both ways.
    public enum Kind: String, Sendable { case counter, gauge }

    /// One variant of the number: a value, and the labels that tell it from the others.
    public struct Sample: Hashable, Sendable {
        /// Names of labels and their values, which tell the sample from the family's others; empty for the only one.
        public var labels: [String: String]
        /// The number itself, in the unit that the family's name says.
        public var value: Double

        /// A value in the family's unit, and the labels that tell it from the family's other samples; no labels for the
        /// only one. Not checked.
        public init(_ value: Double, _ labels: [String: String] = [:]) {
            self.value = value
            self.labels = labels
        }
    }

    /// Letters, digits and underscores; ends in its unit where it has one, as Prometheus recommends. Not checked.
    public var name: String
    /// One sentence in English for whoever sets up the monitoring.
    public var help: String
    /// The kind of number: a counter only grows, a gauge goes both ways.
    public var kind: Kind
    /// The family's variants, in the order in which they are written; with none the family is left out.
    public var samples: [Sample]

    /// A number with several variants, in the order given; without any it is not told. Nothing is checked.
    public init(_ name: String, _ kind: Kind, _ help: String, samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// A number without variants: one sample without labels. Beyond 2^53 the value is rounded, as a `Double` is. Cannot
    /// fail.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        self.init(name, kind, help, samples: [Sample(Double(value))])
    }

    /// A number for each value of one label, in the order of these values; with an empty `values` the family is left out.
    public init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [String: Int]) {
        self.init(
            name, kind, help,
            samples: values.sorted { $0.key < $1.key }.map { Sample(Double($0.value), [label: $0.key]) })
    }
}
