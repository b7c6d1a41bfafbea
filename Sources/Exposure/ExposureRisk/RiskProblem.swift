// SPDX-License-Identifier: Apache-2.0

/// A rule that a risk configuration breaks, with the path of the value.
public struct RiskProblem: Hashable, Sendable, CustomStringConvertible {
    /// The place of the problem in the parameters, as in `cwaSecond.weights[2].attenuation.below`; empty for the whole.
    public var path: String
    /// The fault and what would be right, in English, beginning in lower case and without a full stop.
    public var sentence: String

    /// A problem at `path`, which may be empty for the whole; `sentence` begins in lower case and has no full stop.
    public init(_ path: String, _ sentence: String) {
        self.path = path
        self.sentence = sentence
    }

    /// A text for operators and logs: path and sentence, with numbers of the configuration in it and no secrets.
    public var description: String { path.isEmpty ? sentence : "\(path): \(sentence)" }
}

/// The parameters of a model. Values of any kind can be made; only those without ``problems`` may be used to judge people.
public protocol RiskParameters: Hashable, Sendable {
    /// All problems, with paths relative to these parameters; empty when they are good.
    var problems: [RiskProblem] { get }
}
