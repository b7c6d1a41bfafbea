// SPDX-License-Identifier: Apache-2.0

/// A range of IP addresses that are not ordinary addresses of the public internet (IANA's special-purpose
/// registries, RFC 6890). The check of plugin manifests and the egress daemon use the same ranges, so the range of
/// an address that `vigil plugin check` accepts never makes egress refuse it, except ``ownNetwork``. Decision 41
/// has the table with its sources.
public enum SpecialRange: String, Sendable, CaseIterable {
    /// 0.0.0.0/8 and :: (RFC 1122 and 4291). On Linux a connection to 0.0.0.0 or :: reaches this machine.
    case unspecified
    /// 127.0.0.0/8 and ::1 (RFC 1122 and 4291): this machine itself.
    case loopback
    /// 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16, RFC 1918.
    case privateNetwork
    /// 100.64.0.0/10 (RFC 6598): addresses behind a carrier's address translation.
    case carrierNetwork
    /// 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291): addresses that are reached without a router.
    case linkLocal
    /// fec0::/10 (RFC 3879): deprecated, but still routed inside some networks.
    case siteLocal
    /// fc00::/7 (RFC 4193): addresses of a site, not routed on the internet.
    case uniqueLocal
    /// 224.0.0.0/4 (RFC 5771) and ff00::/8 (RFC 4291): groups of machines.
    case multicast
    /// 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32 and 3fff::/20 (RFC 5737, 3849 and 9637):
    /// addresses for examples in texts; no machine uses them.
    case documentation
    /// 198.18.0.0/15 (RFC 2544) and 2001:2::/48 (RFC 5180): networks for measuring devices.
    case benchmarking
    /// Reserved for protocols: 192.0.0.0/24, 2001::/23, 100::/64 (discard-only) and 5f00::/16 (segment routing);
    /// RFC 6890, 2928, 6666 and 9602.
    case protocolAssignment
    /// 240.0.0.0/4 (RFC 1112), which includes the broadcast address, and every address of version 6 outside
    /// 2000::/3 that has no range of its own here (RFC 4291, section 2.4).
    case reserved
    /// ::ffff:0:0/96 and ::/96 (RFC 4291): addresses of version 4 in the form of version 6.
    case mappedVersion4
    /// 64:ff9b::/96 and 64:ff9b:1::/48 (RFC 6052 and 8215): lead to any address of version 4 through a translator.
    case translatedVersion4
    /// 2002::/16 and 192.88.99.0/24 (RFC 3056 and 7526): lead to any address of version 4 through a 6to4 tunnel.
    case tunnel6to4
    /// 2001::/32 (RFC 4380): leads to any address of version 4 through a Teredo tunnel.
    case tunnelTeredo
    /// An address of this machine or of a neighbour that is reached without a router. An address alone does not show this:
    /// whoever connects has to ask the kernel.
    case ownNetwork

    /// A description of the range in plain English, to follow "it is" in a sentence for the operator.
    public var explanation: String {
        switch self {
        case .unspecified: "the unspecified address"
        case .loopback: "this board itself (loopback)"
        case .privateNetwork: "in a private network"
        case .carrierNetwork: "in a carrier's own network"
        case .linkLocal: "on the local link"
        case .siteLocal, .uniqueLocal: "in a local network"
        case .multicast: "a multicast group"
        case .documentation: "reserved for documentation"
        case .benchmarking: "reserved for benchmarks"
        case .protocolAssignment: "reserved for the protocol"
        case .reserved: "in no range that is given out"
        case .mappedVersion4: "an address of version 4 in the form of version 6"
        case .translatedVersion4: "behind an address translator"
        case .tunnel6to4, .tunnelTeredo: "behind a tunnel"
        case .ownNetwork: "an address of the board itself or of a neighbour on its own network"
        }
    }
}

extension IPAddress {
    /// Whether the address belongs to this machine only: 127.0.0.0/8, ::1, or 127.0.0.0/8 in the form `::ffff:127.0.0.1`.
    public var isLoopback: Bool { unmapped.specialRange == .loopback }

    /// The special range of the address, never ``SpecialRange/ownNetwork``; `nil` for an ordinary public address.
    /// An address of the form `::ffff:a.b.c.d` is ``SpecialRange/mappedVersion4``; use ``unmapped`` first to judge
    /// the address inside. Decision 41 has the table with its sources.
    public var specialRange: SpecialRange? {
        guard version == .v6 else {
            return Self.ranges4.first { low >> (32 - $0.length) == $0.start >> (32 - $0.length) }?.range
        }
        if let entry = Self.ranges6.first(where: { $0.contains(self) }) { return entry.range }
        // RFC 4291, section 2.4: all global unicast that IANA gives out begins with 001.
        return high >> 61 == 1 ? nil : .reserved
    }

    private static let ranges4: [(start: UInt64, length: UInt64, range: SpecialRange)] = [
        (0x0000_0000, 8, .unspecified),
        (0x0A00_0000, 8, .privateNetwork),
        (0x6440_0000, 10, .carrierNetwork),
        (0x7F00_0000, 8, .loopback),
        (0xA9FE_0000, 16, .linkLocal),
        (0xAC10_0000, 12, .privateNetwork),
        (0xC000_0000, 24, .protocolAssignment),
        (0xC000_0200, 24, .documentation),
        (0xC058_6300, 24, .tunnel6to4),
        (0xC0A8_0000, 16, .privateNetwork),
        (0xC612_0000, 15, .benchmarking),
        (0xC633_6400, 24, .documentation),
        (0xCB00_7100, 24, .documentation),
        (0xE000_0000, 4, .multicast),
        (0xF000_0000, 4, .reserved),
    ]

    private struct Range6 {
        let high: UInt64
        let low: UInt64
        let length: UInt64
        let range: SpecialRange

        init(_ high: UInt64, _ low: UInt64, _ length: UInt64, _ range: SpecialRange) {
            self.high = high
            self.low = low
            self.length = length
            self.range = range
        }

        func contains(_ address: IPAddress) -> Bool {
            guard length > 64 else { return (address.high ^ high) >> (64 - length) == 0 }
            return address.high == high && (address.low ^ low) >> (128 - length) == 0
        }
    }

    // The narrower before the wider.
    private static let ranges6: [Range6] = [
        Range6(0, 0, 128, .unspecified),
        Range6(0, 1, 128, .loopback),
        Range6(0, 0x0000_FFFF_0000_0000, 96, .mappedVersion4),
        Range6(0, 0, 96, .mappedVersion4),
        Range6(0x0064_FF9B_0000_0000, 0, 96, .translatedVersion4),
        Range6(0x0064_FF9B_0001_0000, 0, 48, .translatedVersion4),
        Range6(0x0100_0000_0000_0000, 0, 64, .protocolAssignment),
        Range6(0x2001_0000_0000_0000, 0, 32, .tunnelTeredo),
        Range6(0x2001_0002_0000_0000, 0, 48, .benchmarking),
        Range6(0x2001_0DB8_0000_0000, 0, 32, .documentation),
        Range6(0x2001_0000_0000_0000, 0, 23, .protocolAssignment),
        Range6(0x2002_0000_0000_0000, 0, 16, .tunnel6to4),
        Range6(0x3FFF_0000_0000_0000, 0, 20, .documentation),
        Range6(0x5F00_0000_0000_0000, 0, 16, .protocolAssignment),
        Range6(0xFC00_0000_0000_0000, 0, 7, .uniqueLocal),
        Range6(0xFE80_0000_0000_0000, 0, 10, .linkLocal),
        Range6(0xFEC0_0000_0000_0000, 0, 10, .siteLocal),
        Range6(0xFF00_0000_0000_0000, 0, 8, .multicast),
    ]
}
