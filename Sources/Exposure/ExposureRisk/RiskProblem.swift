// SPDX-License-Identifier: Apache-2.0

/// A rule that a risk configuration breaks, and the path of the value that breaks it.
public struct RiskProblem: Hashable, Sendable, CustomStringConvertible {
    /// The path of the value in the parameters, such as `minutesAtAttenuationWeights[2].attenuationRange.max`, or
    /// of the document from which they were read; empty for the parameters as a whole.
    public var path: String
    /// The sentence in English that states the problem and a correct value, beginning in lower case and without a
    /// full stop.
    public var sentence: String

    /// Creates a problem at `path`, which is empty for the parameters as a whole; `sentence` begins in lower case and
    /// has no full stop.
    public init(_ path: String, _ sentence: String) {
        self.path = path
        self.sentence = sentence
    }

    /// The path and the sentence, for operators and logs; they can have numbers of the configuration, but no secrets.
    public var description: String { path.isEmpty ? sentence : "\(path): \(sentence)" }
}

/// The parameters of a model. Any values can be created, but only parameters without ``problems`` may be used to
/// judge people.
public protocol RiskParameters: Hashable, Sendable {
    /// All problems, with paths relative to these parameters; empty if there are none.
    var problems: [RiskProblem] { get }
}
