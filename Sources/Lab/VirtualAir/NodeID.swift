// SPDX-License-Identifier: Apache-2.0

/// The number of a device in a ``VirtualAir``: controllers are 1, 2, 3 ... in the order in which they were attached,
/// devices without a controller count from ``firstScripted``; no number is used twice.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of the first phone or advertiser. It is far above those of controllers, so that their numbers do not
    /// depend on other devices.
    public static let firstScripted = 1_000_001

    /// The number of the device; 1 or more for every device of an air.
    public let rawValue: Int

    /// Creates an identifier from any number; only the air knows which devices exist. Cannot fail.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Returns whether `left` has the smaller number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
