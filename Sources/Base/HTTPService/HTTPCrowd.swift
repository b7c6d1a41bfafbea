// SPDX-License-Identifier: Apache-2.0

/// Who makes room when all connections are taken: whoever comes with a few addresses keeps out nobody with another one, however fast they connect again.
struct HTTPCrowd {
    private let counts: [[UInt8]?: Int]

    /// `addresses` has that of each connection, as ``HTTPSlot/address(_:)`` gives it.
    init(_ addresses: [[UInt8]?]) { counts = addresses.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    private func count(_ address: [UInt8]?) -> Int { counts[address, default: 0] }

    /// The addresses of which a connection goes for one more of `newcomer`, whatever it does: those that have most, if they have two more than
    /// `newcomer` has; empty if nobody has so many.
    func giving(to newcomer: [UInt8]?) -> Set<[UInt8]?> {
        guard let most = counts.values.max(), most >= count(newcomer) + 2 else { return [] }
        return Set(counts.filter { $0.value == most }.keys)
    }

    /// Whether a connection of `address` that is silent or slow may go for one more of `newcomer`: not if it has fewer than `newcomer` has already.
    func mayGo(_ address: [UInt8]?, for newcomer: [UInt8]?) -> Bool { count(address) >= count(newcomer) }
}
