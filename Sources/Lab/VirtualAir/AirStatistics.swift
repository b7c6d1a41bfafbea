// SPDX-License-Identifier: Apache-2.0

/// Totals since the air began, and the number of devices now.
public struct AirStatistics: Hashable, Sendable {
    /// The number of devices that are there now, of all kinds; 0 or more.
    public let devices: Int
    /// The number of controllers that scan now, 0 or more.
    public let scanners: Int
    /// The number of advertising events since the air began while anybody scanned who might have heard them; others
    /// are not computed; 0 or more.
    public let transmitted: Int
    /// The number of packets that arrived at a scanner since the air began, counted once for each scanner, also where its controller then reports
    /// nothing; 0 or more.
    public let delivered: Int
    /// The number of reports that a host was too slow to read, over all controllers that are there now; 0 or more.
    public let droppedReports: Int
}

/// Totals of one controller since it was attached.
public struct ControllerStatistics: Hashable, Sendable {
    /// The number of commands that its host has sent since it was attached, 0 or more.
    public internal(set) var commands = 0
    /// The number of commands that were answered with another status than success since it was attached, 0 or more.
    public internal(set) var refusals = 0
    /// The number of advertising reports that it has given to its host since it was attached, 0 or more.
    public internal(set) var reports = 0
    /// The number of reports that the host was too slow to read since it was attached, 0 or more.
    public internal(set) var droppedReports = 0
    /// The number of times that scanning was switched on since it was attached, 0 or more.
    public internal(set) var scans = 0
}

extension VirtualAir {
    /// The counts at this moment of the air.
    public var statistics: AirStatistics {
        AirStatistics(
            devices: nodes.count, scanners: scanners.count, transmitted: counters.transmitted,
            delivered: counters.delivered,
            droppedReports: nodes.reduce(0) { $0 + ($1.controller?.statistics.droppedReports ?? 0) })
    }

    /// The counts of one controller; `nil` for a device without one, and for a number that no device has.
    public func statistics(of id: NodeID) -> ControllerStatistics? { node(id)?.controller?.statistics }

    /// The addresses that a device has on air now: of legacy advertising first, then of its advertising sets in order of their handles. Empty if it
    /// sends nothing, and for a number that no device has.
    public func broadcasting(_ id: NodeID) -> [AirAddress] {
        guard let node = node(id) else { return [] }
        catchUp(node)
        let own = (node.beacon.map { [$0] } ?? []) + (node.controller?.advertisers ?? [])
        return own.filter(\.isOn).map(\.address)
    }

    /// The random address that the host set last for its controller; those of advertising sets are not meant. `nil` before the first and after a
    /// reset, for devices without a controller, and for a number that no device has.
    public func randomAddress(of id: NodeID) -> AirAddress? { node(id)?.controller?.randomAddress }

    /// Whether its controller scans now; `false` for devices without one, and for a number that no device has.
    public func isScanning(_ id: NodeID) -> Bool { node(id)?.controller?.scan.isOn ?? false }
}
