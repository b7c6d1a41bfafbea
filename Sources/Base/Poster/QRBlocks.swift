// SPDX-License-Identifier: Apache-2.0

/// How a version's code words are shared among blocks (ISO/IEC 18004, table 9), and the check that each is whole.
struct QRBlocks {
    /// Code words of the whole code.
    let total: Int
    /// Code words that say something.
    var dataCount: Int { total - count * checkCount }
    private let count: Int
    private let checkCount: Int

    init(version: Int, level: QRCode.Level) {
        // Modules without patterns, format and version.
        var modules = (16 * version + 128) * version + 64
        if version >= 2 {
            let lines = version / 7 + 2
            modules -= (25 * lines - 10) * lines - 55
            if version >= 7 { modules -= 36 }
        }
        total = modules / 8
        count = Self.counts[Int(level.rawValue)][version - 1]
        checkCount = Self.checks[Int(level.rawValue)][version - 1]
    }

    /// What the code words say, without check words.
    /// - Throws: `unreadable` unless every block is whole.
    func data(of words: [UInt8]) throws(PosterError) -> [UInt8] {
        guard words.count == total else { throw .unreadable }
        let shortCount = count - total % count
        let shortData = total / count - checkCount
        var blocks = Array(repeating: [UInt8](), count: count)
        var next = words.makeIterator()
        for index in 0...shortData {
            for block in 0..<count where index < shortData || block >= shortCount { blocks[block].append(next.next() ?? 0) }
        }
        let data = blocks.flatMap(\.self)
        for _ in 0..<checkCount {
            for block in 0..<count { blocks[block].append(next.next() ?? 0) }
        }
        guard blocks.allSatisfy({ isWhole($0) }) else { throw .unreadable }
        return data
    }

    /// Whether the block is a word of the Reed-Solomon code: zero at each of the generator's roots.
    private func isWhole(_ block: [UInt8]) -> Bool {
        var root: UInt8 = 1
        for _ in 0..<checkCount {
            var value: UInt8 = 0
            for word in block { value = Self.product(value, root) ^ word }
            guard value == 0 else { return false }
            root = Self.product(root, 2)
        }
        return true
    }

    /// In the field of 256 elements by x⁸ + x⁴ + x³ + x² + 1.
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result = 0
        for bit in (0..<8).reversed() {
            result = result << 1 ^ (result >> 7) * 0x11D
            result ^= Int(right >> UInt8(bit) & 1) * Int(left)
        }
        return UInt8(result)
    }

    /// Check words of each block, by level and version.
    private static let checks: [[Int]] = [
        [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30,
            30, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
            28, 28,
            28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
        [
            13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30,
            30, 30,
            30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
    ]

    /// Blocks, by level and version.
    private static let counts: [[Int]] = [
        [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
            19,
            20, 21, 22, 24, 25,
        ],
        [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
            33, 35,
            37, 38, 40, 43, 45, 47, 49,
        ],
        [
            1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43,
            45,
            48, 51, 53, 56, 59, 62, 65, 68,
        ],
    ]
}
