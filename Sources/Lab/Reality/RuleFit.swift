// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
import Glibc
import JSON
public import RiskConfiguration
public import RiskStudy

/// A rule whose numbers may be fitted: the lines in dB and the limit (docs/fitting-rules.md).
public struct FittedRule: Sendable {
    /// A number that may move, at one place or at several of a document that must stay equal.
    struct Lever: Sendable {
        enum Kind: Sendable {
            /// Whole dB; a step is 4.
            case decibels
            /// A step is a factor of 2.
            case limit
            /// The logarithm of an attenuation; a step is 0.06, about 4 dB.
            case logarithm
        }

        let kind: Kind
        let places: [DocumentPath]
        let published: Double

        func value(_ steps: Double) -> Double {
            switch kind {
            case .decibels: (published + 4 * steps).rounded()
            case .limit: published * exp2(steps)
            case .logarithm: published + 0.06 * steps
            }
        }
    }

    private enum Subject: Sendable {
        case document(JSON)
        case averaged(AveragedRule)
    }

    /// The number of numbers that may move.
    public let leverCount: Int
    private let subject: Subject
    private let levers: [Lever]

    /// The rule of this project, with its numbers as they are.
    public init(_ rule: AveragedRule) { (subject, levers, leverCount) = (.averaged(rule), [], 3) }

    /// A model of `configuration`, of which the others are left out. Throws ``StudyError`` if it has none of that name, or
    /// cannot be written as a document.
    public init(_ configuration: RiskConfiguration, model: RiskModelName) throws(StudyError) {
        var only = configuration
        only.models = try configuration.studied(model.rawValue)
        guard let document = try? JSON(parsing: only.document) else {
            throw StudyError(.invalidConfiguration, "The configuration cannot be written as a document.")
        }
        subject = .document(document)
        levers = try RuleLevers.of(only.models[0], in: document)
        leverCount = levers.count
    }

    /// The rule with each number moved by so many steps; `nil` if these numbers cannot be used. `steps` has
    /// ``leverCount`` numbers.
    public func moved(_ steps: [Double]) -> Rule? {
        switch subject {
        case .averaged(let rule):
            AveragedRule(
                middle: rule.middle + 4 * steps[0], width: rule.width * exp2(steps[1]),
                trigger: rule.trigger * exp2(steps[2])
            ).map { .averaged($0) }
        case .document: configuration(steps)?.models.first.map { .model($0) }
        }
    }

    /// The configuration with each number moved by so many steps, for a file; `nil` if these cannot be used, or this is no
    /// model of a configuration.
    public func configuration(_ steps: [Double]) -> RiskConfiguration? {
        guard case .document(var document) = subject else { return nil }
        for (lever, step) in zip(levers, steps) {
            for place in lever.places { document = place.setting(lever.value(step), in: document) }
        }
        return try? RiskConfiguration(parsing: document.bytes)
    }
}

/// The search for the best steps.
public enum RuleFit {
    /// What a square of a step costs.
    static let penalty = 0.005
    /// The search ends after so many rounds; each either improves or halves the steps.
    private static let mostRounds = 200

    /// The steps that are best for `pairs`; all 0 if nothing is better than the published numbers. The same pairs give the
    /// same steps.
    public static func steps(
        of rule: FittedRule, on pairs: [MetPair], isNearer: Bool = false, _ circumstances: Circumstances = .init()
    ) -> [Double] {
        maximum(rule.leverCount) { steps in
            guard let moved = rule.moved(steps) else { return nil }
            return value(of: moved.judge(pairs, circumstances), on: pairs, isNearer)
                - penalty * steps.reduce(0) { $0 + $1 * $1 }
        }
    }

    /// Area within scenes and balance, each 0.5 where it has no meaning.
    private static func value(
        of judged: [(score: Double, isAlarm: Bool)], on pairs: [MetPair], _ isNearer: Bool
    ) -> Double {
        let verdicts = RuleVerdicts(of: judged, on: pairs, isNearer: isNearer, withinScenes: true, resamples: 0)
        return (verdicts.area?.value ?? 0.5) + (verdicts.balance?.value ?? 0.5)
    }

    /// The point with the highest value that is found by steps of 1, ½ and ¼ along each of so many axes, from 0. `nil` is
    /// never taken; if that is the value at 0, the point is 0.
    static func maximum(_ axes: Int, _ value: ([Double]) -> Double?) -> [Double] {
        var point = [Double](repeating: 0, count: axes)
        guard var best = value(point) else { return point }
        var step = 1.0
        for _ in 0..<mostRounds where step >= 0.25 {
            var found: (point: [Double], value: Double)?
            for axis in 0..<axes {
                for direction in [-step, step] {
                    var other = point
                    other[axis] += direction
                    if let there = value(other), there > (found?.value ?? best + 1e-12) { found = (other, there) }
                }
            }
            if let found { (point, best) = found } else { step /= 2 }
        }
        return point
    }
}
