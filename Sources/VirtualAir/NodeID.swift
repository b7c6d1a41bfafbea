// SPDX-License-Identifier: Apache-2.0

/// Which device of a ``VirtualAir`` is meant: 1, 2, 3 ... in the order in which devices were added; never used twice.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
