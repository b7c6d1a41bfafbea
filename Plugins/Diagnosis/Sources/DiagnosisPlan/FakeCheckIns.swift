// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How phones make submissions with and without check-ins look alike: now and then as many bytes as a random number of check-ins would
/// take (specification cwa-protocols 6; app configuration, `PresenceTracingPlausibleDeniabilityParameters`).
///
/// Our own submissions have one constant size instead (``SubmissionShape``); this is for servers and simulations that compare with
/// phones.
public struct FakeCheckIns: Sendable, Hashable {
    /// Of `p·q^(r·(s·(x+t))^u) + a·x² + b·x + c`, as published.
    public var p = 100.0
    public var q = 1.4
    public var r = -1.0
    public var s = 0.8
    public var t = -1.5
    public var u = 2.0
    public var a = 0.0
    public var b = 0.0
    public var c = 0.0
    /// What the random number is brought into.
    public var range: ClosedRange<Double> = -9_999...9_999
    /// One of these is drawn for every fake check-in.
    public var sizes = [46]
    public var probabilityWithoutCheckIns = 0.0
    public var probabilityWithCheckIns = 0.01

    /// More than any submission may have; what parameters give beyond is not followed.
    public static let maximumCount = 1_000

    public init() {}

    /// The formula's value, not rounded. May be anything, not a number included, when parameters are odd.
    public func count(_ x: Double) -> Double {
        let exponent = r * pow(s * (x + t), u)
        return p * pow(q, exponent) + a * x * x + b * x + c
    }

    /// Bytes of padding for a submission with so many real check-ins.
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
