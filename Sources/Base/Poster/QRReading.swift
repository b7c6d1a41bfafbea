// SPDX-License-Identifier: Apache-2.0

/// Reading a code that has no damage, by ISO/IEC 18004 and nothing of libqrencode: patterns, format, mask, blocks, their check words, segments.
extension QRCode {
    /// The bytes that the code says.
    /// - Throws: `unreadable` for whatever a scanner would have to mend or could not read, and for what libqrencode does not make here: kanji, ECI,
    ///   structured append.
    func reading() throws(PosterError) -> [UInt8] {
        guard (21...177).contains(side), side % 4 == 1 else { throw .unreadable }
        let patterns = QRPatterns(version: version)
        for row in 0..<side {
            for column in 0..<side {
                if let wanted = patterns[column, row], wanted != isDark(column, row) { throw .unreadable }
            }
        }
        let (level, mask) = try format()
        guard level == self.level else { throw .unreadable }
        let blocks = QRBlocks(version: version, level: level)
        return try Self.segments(try blocks.data(of: codewords(patterns, mask, count: blocks.total)), version: version)
    }

    /// Level and mask, from both places where they stand (section 7.9).
    private func format() throws(PosterError) -> (Level, Int) {
        var first = 0
        var second = 0
        for index in 0..<15 {
            let one: (Int, Int) =
                switch index {
                case 0...5: (8, index)
                case 6: (8, 7)
                case 7: (8, 8)
                case 8: (7, 8)
                default: (14 - index, 8)
                }
            let two = index < 8 ? (side - 1 - index, 8) : (8, side - 15 + index)
            if isDark(one.0, one.1) { first |= 1 << index }
            if isDark(two.0, two.1) { second |= 1 << index }
        }
        let value = first ^ 0x5412
        // The five bits and their ten check bits.
        guard first == second, value == QRPatterns.checked(value >> 10, bits: 10, by: 0x537) else { throw .unreadable }
        let level: Level? =
            switch value >> 13 {
            case 1: .low
            case 0: .medium
            case 3: .quartile
            default: nil
            }
        guard let level else { throw .unreadable }
        return (level, value >> 10 & 7)
    }

    /// In the order of section 7.7.3: columns in pairs from the right, up and down.
    private func codewords(_ patterns: QRPatterns, _ mask: Int, count: Int) -> [UInt8] {
        var words: [UInt8] = []
        var word = 0
        var bits = 0
        var right = side - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let goesUp = (right + 1) & 2 == 0
            for step in 0..<side {
                let row = goesUp ? side - 1 - step : step
                for column in [right, right - 1] where patterns[column, row] == nil && !patterns.isFormat(column, row) {
                    word = word << 1 | (isDark(column, row) != Self.isMasked(mask, column, row) ? 1 : 0)
                    bits += 1
                    if bits % 8 == 0, words.count < count {
                        words.append(UInt8(word))
                        word = 0
                    }
                }
            }
            right -= 2
        }
        return words
    }

    private static func isMasked(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// Numeric, alphanumeric and byte segments (section 7.4).
    private static func segments(_ data: [UInt8], version: Int) throws(PosterError) -> [UInt8] {
        var position = 0
        func take(_ count: Int) throws(PosterError) -> Int {
            guard position + count <= data.count * 8 else { throw .unreadable }
            var value = 0
            for _ in 0..<count {
                value = value << 1 | Int(data[position / 8] >> (7 - position % 8) & 1)
                position += 1
            }
            return value
        }
        let range = version < 10 ? 0 : version < 27 ? 1 : 2
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
        var text: [UInt8] = []
        while data.count * 8 - position >= 4 {
            switch try take(4) {
            case 0: return text
            case 1:
                var count = try take([10, 12, 14][range])
                while count > 0 {
                    let digits = min(3, count)
                    let value = try take([4, 7, 10][digits - 1])
                    guard value < [10, 100, 1_000][digits - 1] else { throw .unreadable }
                    let all = [value / 100, value / 10 % 10, value % 10]
                    text += all.suffix(digits).map { UInt8(48 + $0) }
                    count -= digits
                }
            case 2:
                var count = try take([9, 11, 13][range])
                while count > 1 {
                    let value = try take(11)
                    guard value < 45 * 45 else { throw .unreadable }
                    text += [letters[value / 45], letters[value % 45]]
                    count -= 2
                }
                if count == 1 {
                    let value = try take(6)
                    guard value < 45 else { throw .unreadable }
                    text.append(letters[value])
                }
            case 4:
                for _ in 0..<(try take([8, 16, 16][range])) { text.append(UInt8(try take(8))) }
            default: throw .unreadable
            }
        }
        return text
    }
}
