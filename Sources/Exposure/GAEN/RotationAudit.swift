// SPDX-License-Identifier: Apache-2.0

/// Judges, from what can be received, whether an advertiser changes its address and its identifier together.
///
/// An advertisement with a new address and the old identifier, or the reverse, links the two addresses or the two
/// identifiers and so defeats the rotation; several phone models did this (alwentiu/exposure_notification).
public struct RotationAudit: Sendable {
    /// A difference between two advertisements of one device.
    public enum Change: String, Sendable {
        /// Neither the address nor the service data changed.
        case none
        /// Both changed, as they must; also the first advertisement of a device.
        case both
        /// The old identifier under a new address: a leak.
        case addressOnly
        /// A new identifier under the old address: a leak.
        case identifierOnly

        /// Whether the change links two addresses or two identifiers of one device, which must not be possible.
        public var isLeak: Bool { self == .addressOnly || self == .identifierOnly }
    }

    private var last: (address: [UInt8], serviceData: [UInt8])?
    /// Number of leaks heard so far, 0 or more.
    public private(set) var leaks = 0

    /// Creates an audit of one device, without an advertisement so far.
    public init() {}

    /// Takes the next advertisement of the device: its address (6 bytes) and its service data; the lengths are not
    /// checked. Returns the difference from the advertisement before; the first one counts as ``Change/both``.
    public mutating func observe(address: [UInt8], serviceData: [UInt8]) -> Change {
        defer { last = (address, serviceData) }
        guard let last else { return .both }
        let change: Change
        switch (last.address != address, last.serviceData != serviceData) {
        case (false, false): change = .none
        case (true, true): change = .both
        case (true, false): change = .addressOnly
        case (false, true): change = .identifierOnly
        }
        if change.isLeak { leaks += 1 }
        return change
    }
}
