// SPDX-License-Identifier: Apache-2.0

/// Packets that wait to be written, each whole, except that the first may have begun.
struct UnsentQueue {
    let limit: Int
    private var packets: [[UInt8]] = []
    /// Packets before this index, and bytes of the one at it, are written.
    private var first = 0
    private var written = 0
    private(set) var byteCount = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { byteCount == 0 }

    /// Whether the packet fitted. One without bytes fits always, and is nothing.
    mutating func append(_ packet: [UInt8]) -> Bool {
        guard packet.count <= limit - byteCount else { return false }
        guard !packet.isEmpty else { return true }
        packets.append(packet)
        byteCount += packet.count
        return true
    }

    /// Hands out what is left of the first packet; not to be called when empty.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        packets[first].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
    }

    /// That many bytes of the first packet were taken.
    mutating func removeFirst(_ count: Int) {
        written += count
        byteCount -= count
        guard written >= packets[first].count else { return }
        packets[first] = []
        first += 1
        written = 0
        // Moving the rest each time would make a long queue quadratic.
        if first == packets.count || first >= 64 {
            packets.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() { self = Self(limit: limit) }
}
