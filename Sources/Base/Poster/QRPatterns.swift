// SPDX-License-Identifier: Apache-2.0

/// The modules of a code that are the same whatever it says: finders, separators, timing, alignment, version, and the one that is always dark
/// (ISO/IEC 18004, sections 6.3 and 7.10).
struct QRPatterns {
    private let side: Int
    private var fixed: [Bool?]

    /// Whether the module has to be dark; `nil` where that depends on what the code says.
    subscript(column: Int, row: Int) -> Bool? { fixed[row * side + column] }

    /// Whether the module is one of the format's.
    func isFormat(_ column: Int, _ row: Int) -> Bool {
        (column == 8 && (row <= 8 || row >= side - 8)) || (row == 8 && (column <= 8 || column >= side - 8))
    }

    /// - Parameter version: 1 to 40.
    init(version: Int) {
        side = 17 + 4 * version
        fixed = Array(repeating: nil, count: side * side)
        for index in 8..<(side - 8) {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (side - 4, 3), (3, side - 4)] {
            for row in -4...4 {
                for column in -4...4 where (0..<side).contains(x + column) && (0..<side).contains(y + row) {
                    let distance = max(abs(column), abs(row))
                    set(x + column, y + row, distance != 2 && distance != 4)
                }
            }
        }
        let centres = Self.alignment(version)
        for (first, x) in centres.enumerated() {
            for (second, y) in centres.enumerated() {
                let last = centres.count - 1
                if (first, second) == (0, 0) || (first, second) == (0, last) || (first, second) == (last, 0) { continue }
                for row in -2...2 {
                    for column in -2...2 { set(x + column, y + row, max(abs(column), abs(row)) != 1) }
                }
            }
        }
        if version >= 7 {
            let bits = Self.checked(version, bits: 12, by: 0x1F25)
            for index in 0..<18 {
                let (near, far) = (index / 3, side - 11 + index % 3)
                set(far, near, bits >> index & 1 == 1)
                set(near, far, bits >> index & 1 == 1)
            }
        }
        set(8, side - 8, true)
    }

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) { fixed[row * side + column] = isDark }

    /// Centres of alignment patterns (annex E): evenly spaced, in even steps from the last one.
    static func alignment(_ version: Int) -> [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<(count - 1)).map { version * 4 + 10 - $0 * step }.reversed()
    }

    /// `value`, followed by `bits` check bits of a BCH code (annexes C and D).
    static func checked(_ value: Int, bits: Int, by generator: Int) -> Int {
        var rest = value
        for _ in 0..<bits { rest = rest << 1 ^ (rest >> (bits - 1) & 1) * generator }
        return value << bits | rest & ((1 << bits) - 1)
    }
}
