// SPDX-License-Identifier: Apache-2.0

/// The number of a device in a ``VirtualAir``: controllers are 1, 2, 3 ... in the order in which they were attached,
/// devices without a controller count from ``firstScripted``; no number is used twice.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
    /// Number of the first phone or advertiser, out of the way of controllers, so that theirs do not depend on who else is there.
    public static let firstScripted = 1_000_001

    /// The device's number; from 1 on for every device of an air.
    public let rawValue: Int

    /// Takes any number; only the air knows which devices exist. Cannot fail.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Orders by number: whether `left` has the smaller one.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
