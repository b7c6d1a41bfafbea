// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The padding by which phones make submissions with and without check-ins look alike: some submissions get as many
/// bytes as a random number of check-ins would take (specification cwa-protocols 6). The defaults are those of the
/// app configuration that the Corona-Warn-App published (`PresenceTracingPlausibleDeniabilityParameters`); "as
/// published" below refers to it.
///
/// Vigil's own submissions have one constant size instead (``SubmissionShape``); this type is for servers and
/// simulations that are compared with phones.
public struct FakeCheckIns: Sendable, Hashable {
    /// The factor p of the formula `p·q^(r·(s·(x+t))^u) + a·x² + b·x + c`; 100 as published. No unit; any finite number is
    /// accepted, as for the other parameters.
    public var p = 100.0
    /// The base q of the formula's power (see ``p``); 1.4 as published.
    public var q = 1.4
    /// The factor r of the formula's exponent (see ``p``); -1 as published.
    public var r = -1.0
    /// The factor s of `(x+t)` in the formula (see ``p``); 0.8 as published.
    public var s = 0.8
    /// The number t that the formula adds to x (see ``p``); -1.5 as published.
    public var t = -1.5
    /// The exponent u of `s·(x+t)` in the formula (see ``p``); 2 as published.
    public var u = 2.0
    /// The factor a of the formula's square (see ``p``); 0 as published.
    public var a = 0.0
    /// The factor b of the formula's linear part (see ``p``); 0 as published.
    public var b = 0.0
    /// The constant c of the formula (see ``p``); 0 as published.
    public var c = 0.0
    /// The range that the random number x, which is normally distributed around 0 with a deviation of 1, is limited
    /// to; -9,999 to 9,999 as published; no unit.
    public var range: ClosedRange<Double> = -9_999...9_999
    /// The sizes of a fake check-in in bytes, of which one is drawn for each; 46 as published. A size below 0 counts as 0,
    /// one above 4,096 as 4,096. If the list is empty, nothing is padded.
    public var sizes = [46]
    /// The probability with which a submission without check-ins is padded, 0 to 1; 0 as published.
    public var probabilityWithoutCheckIns = 0.0
    /// The probability with which a submission with check-ins is padded; 0.01 as published. 0 or less means never,
    /// 1 or more always.
    public var probabilityWithCheckIns = 0.01

    /// The most fake check-ins of one submission: 1,000, our choice, far above what the published parameters lead to.
    public static let maximumCount = 1_000

    /// Creates the parameters as the Corona-Warn-App published them; each may be changed before use.
    public init() {}

    /// Returns the formula's value for x, not rounded. It may be any number, infinite or not a number, if the parameters
    /// are unusual. Cannot fail.
    public func count(_ x: Double) -> Double {
        let exponent = r * pow(s * (x + t), u)
        return p * pow(q, exponent) + a * x * x + b * x + c
    }

    /// Draws the number of bytes of padding for a submission with `realCheckIns` real check-ins: 0 to ``maximumCount``
    /// times 4,096. It is 0 if the draw says no padding, or if the formula's value is not above 0.
    public func bytes(realCheckIns: Int, using random: inout some RandomNumberGenerator) -> Int {
        let probability = realCheckIns == 0 ? probabilityWithoutCheckIns : probabilityWithCheckIns
        guard !sizes.isEmpty, Double.random(in: 0..<1, using: &random) < probability else { return 0 }
        let x = min(max(Self.normal(using: &random), range.lowerBound), range.upperBound)
        let count = count(x)
        guard count > 0 else { return 0 }
        let bounded = Int(min(count, Double(Self.maximumCount)).rounded())
        return (0..<bounded).reduce(0) { sum, _ in
            sum + max(0, min(sizes[Int.random(in: 0..<sizes.count, using: &random)], 4_096))
        }
    }

    /// Normally distributed around 0 with deviation 1 (Box and Muller 1958).
    private static func normal(using random: inout some RandomNumberGenerator) -> Double {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
}
