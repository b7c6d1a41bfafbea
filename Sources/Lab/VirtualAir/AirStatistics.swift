// SPDX-License-Identifier: Apache-2.0

/// What happened so far.
public struct AirStatistics: Hashable, Sendable {
    public let devices: Int
    /// Controllers that scan at present.
    public let scanners: Int
    /// Advertising events while anybody scanned who might have heard them; others are not computed.
    public let transmitted: Int
    /// Packets that arrived at a scanner.
    public let delivered: Int
    /// Reports that a host was too slow to read, over all present controllers.
    public let droppedReports: Int
}

/// What one controller did so far.
public struct ControllerStatistics: Hashable, Sendable {
    public internal(set) var commands = 0
    /// Commands answered with another status than success.
    public internal(set) var refusals = 0
    public internal(set) var reports = 0
    /// Reports that the host was too slow to read.
    public internal(set) var droppedReports = 0
    /// How often scanning was switched on.
    public internal(set) var scans = 0
}

extension VirtualAir {
    public var statistics: AirStatistics {
        AirStatistics(
            devices: nodes.count, scanners: scanners.count, transmitted: counters.transmitted,
            delivered: counters.delivered,
            droppedReports: nodes.reduce(0) { $0 + ($1.controller?.statistics.droppedReports ?? 0) })
    }

    /// `nil` for devices without a controller.
    public func statistics(of id: NodeID) -> ControllerStatistics? { node(id)?.controller?.statistics }

    /// Addresses that a device has on air, in order of its advertising sets.
    public func broadcasting(_ id: NodeID) -> [AirAddress] {
        guard let node = node(id) else { return [] }
        catchUp(node)
        let own = (node.beacon.map { [$0] } ?? []) + (node.controller?.advertisers ?? [])
        return own.filter(\.isOn).map(\.address)
    }

    /// The random address that the host set last for its controller; `nil` after a reset.
    public func randomAddress(of id: NodeID) -> AirAddress? { node(id)?.controller?.randomAddress }

    public func isScanning(_ id: NodeID) -> Bool { node(id)?.controller?.scan.isOn ?? false }
}
