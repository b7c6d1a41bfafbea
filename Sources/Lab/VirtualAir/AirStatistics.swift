// SPDX-License-Identifier: Apache-2.0

/// The current number of devices, and totals since the air began.
public struct AirStatistics: Hashable, Sendable {
    /// The number of present devices of all kinds, 0 or more.
    public let devices: Int
    /// The number of controllers that scan now, 0 or more.
    public let scanners: Int
    /// The number of advertising events since the air began that a scanning controller might have heard, 0 or more; other
    /// events are not computed.
    public let transmitted: Int
    /// The number of packets that arrived at a scanner since the air began, 0 or more. A packet counts once for each
    /// scanner, even if the controller then reports nothing.
    public let delivered: Int
    /// The number of reports that hosts were too slow to read, over all present controllers; 0 or more.
    public let droppedReports: Int
}

/// The totals of one controller since it was attached.
public struct ControllerStatistics: Hashable, Sendable {
    /// The number of commands that the host has sent, 0 or more.
    public internal(set) var commands = 0
    /// The number of commands that were answered with another status than success, 0 or more.
    public internal(set) var refusals = 0
    /// The number of advertising reports that the controller has given to its host, 0 or more.
    public internal(set) var reports = 0
    /// The number of reports that the host was too slow to read, 0 or more.
    public internal(set) var droppedReports = 0
    /// The number of times that scanning was switched on, 0 or more.
    public internal(set) var scans = 0
}

extension VirtualAir {
    /// The counts at the present time of the air.
    public var statistics: AirStatistics {
        AirStatistics(
            devices: nodes.count, scanners: scanners.count, transmitted: counters.transmitted,
            delivered: counters.delivered,
            droppedReports: nodes.reduce(0) { $0 + ($1.controller?.statistics.droppedReports ?? 0) })
    }

    /// Returns the counts of one controller; `nil` for a device without a controller, and if no device has this number.
    public func statistics(of id: NodeID) -> ControllerStatistics? { node(id)?.controller?.statistics }

    /// Returns the addresses from which a device sends now: that of legacy advertising first, then those of its advertising
    /// sets in the order of their handles. Empty if it sends nothing, and if no device has this number.
    public func broadcasting(_ id: NodeID) -> [AirAddress] {
        guard let node = node(id) else { return [] }
        catchUp(node)
        let own = (node.beacon.map { [$0] } ?? []) + (node.controller?.advertisers ?? [])
        return own.filter(\.isOn).map(\.address)
    }

    /// Returns the random address that the host last set for its controller, not for an advertising set. `nil` before the
    /// first one and after a reset, for a device without a controller, and if no device has this number.
    public func randomAddress(of id: NodeID) -> AirAddress? { node(id)?.controller?.randomAddress }

    /// Returns whether the device's controller scans now; `false` for a device without a controller, and if no device has
    /// this number.
    public func isScanning(_ id: NodeID) -> Bool { node(id)?.controller?.scan.isOn ?? false }
}
