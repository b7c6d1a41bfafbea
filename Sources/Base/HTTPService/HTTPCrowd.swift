// SPDX-License-Identifier: Apache-2.0

/// Who makes room when all connections are taken.
enum HTTPCrowd {
    /// The addresses of which a connection may go for one more of `newcomer`: those that have most, if they have two more than `newcomer` has; empty if
    /// nobody has so many. `addresses` has that of each connection, as ``HTTPSlot/address(_:)`` gives it.
    ///
    /// So whoever comes with a few addresses keeps out nobody with another one, however fast they connect again.
    static func giving(_ addresses: [[UInt8]?], to newcomer: [UInt8]?) -> Set<[UInt8]?> {
        let counts = addresses.reduce(into: [[UInt8]?: Int]()) { $0[$1, default: 0] += 1 }
        guard let most = counts.values.max(), most >= counts[newcomer, default: 0] + 2 else { return [] }
        return Set(counts.filter { $0.value == most }.keys)
    }
}
