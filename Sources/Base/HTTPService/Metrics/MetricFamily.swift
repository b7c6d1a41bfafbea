// SPDX-License-Identifier: Apache-2.0

/// A metric for a monitoring system, with all of its samples.
public struct MetricFamily: Hashable, Sendable {
    /// The kind of number: a counter only grows while the process runs; a gauge goes both ways.
    public enum Kind: String, Sendable { case counter, gauge }

    /// One value of the metric, with the labels that distinguish it from the others.
    public struct Sample: Hashable, Sendable {
        /// The names and values of the labels that distinguish this sample from the others of its family; empty if it is
        /// the only one.
        public var labels: [String: String]
        /// The value, in the unit that the family's name gives.
        public var value: Double

        /// Creates a sample from a value in the family's unit and the labels that distinguish it; without labels for an
        /// only sample. Nothing is checked.
        public init(_ value: Double, _ labels: [String: String] = [:]) {
            self.value = value
            self.labels = labels
        }
    }

    /// The name: letters, digits and underscores, with the unit at the end if there is one, as Prometheus recommends. Not
    /// checked.
    public var name: String
    /// A sentence in English for the person who sets up the monitoring.
    public var help: String
    /// The kind of metric: a counter only grows, a gauge goes up and down.
    public var kind: Kind
    /// The samples in the order in which they are written. A family without samples is left out of the text.
    public var samples: [Sample]

    /// Creates a metric with several samples; `help` is its sentence for people. Without any, it is left out of the
    /// text. Nothing is checked.
    public init(_ name: String, _ kind: Kind, _ help: String, samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// Creates a metric with one sample and no labels. A value beyond 2^53 is rounded to a `Double`. Cannot fail.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        self.init(name, kind, help, samples: [Sample(Double(value))])
    }

    /// Creates a metric with one sample for each entry of `values`, in which the entry's key is the value of
    /// `label`, sorted by key. With empty `values` it is left out of the text.
    public init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [String: Int]) {
        self.init(
            name, kind, help,
            samples: values.sorted { $0.key < $1.key }.map { Sample(Double($0.value), [label: $0.key]) })
    }
}
