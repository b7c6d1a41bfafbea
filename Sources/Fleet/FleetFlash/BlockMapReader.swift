// SPDX-License-Identifier: Apache-2.0

/// A cursor over the text of a map of blocks: as much of XML as that format has.
struct BlockMapReader {
    /// A piece of text, and where its bytes are.
    struct Piece {
        let text: String
        let place: Range<Int>
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The start of an element with one attribute, whose value is returned.
    mutating func open(_ name: String, attribute: String) throws(ImageFault) -> Piece {
        try skipRemarks()
        try expect("<\(name) \(attribute)=\"", name)
        let value = try text(until: UInt8(ascii: "\""), limit: 80, name)
        try expect("\">", name)
        return value
    }

    /// The start of an element without attributes.
    mutating func open(_ name: String) throws(ImageFault) {
        try skipRemarks()
        try expect("<\(name)>", name)
    }

    /// An element with nothing but text in it, without the white space around it.
    mutating func element(_ name: String) throws(ImageFault) -> Piece {
        try open(name)
        return try content(name)
    }

    /// An element with a decimal number in it.
    mutating func number(_ name: String) throws(ImageFault) -> UInt64 {
        guard let number = Self.number(try element(name).text) else { throw .badMap("\(name) is no number") }
        return number
    }

    /// The next range of blocks; `nil` after the end of the element `BlockMap`.
    mutating func nextRange() throws(ImageFault) -> (first: UInt64, last: UInt64, checksum: String)? {
        try skipRemarks()
        if take("</BlockMap>") { return nil }
        let checksum = try open("Range", attribute: "chksum").text
        let parts = try content("Range").text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first.flatMap(Self.number), let last = parts.last.flatMap(Self.number)
        else { throw .badMap("a range of blocks is no range") }
        return (first, last, checksum)
    }

    /// The end of the outermost element, and of the text.
    mutating func close(_ name: String) throws(ImageFault) {
        try skipRemarks()
        try expect("</\(name)>", name)
        try skipRemarks()
        guard position == bytes.count else { throw .badMap("something follows its end") }
    }

    private mutating func content(_ name: String) throws(ImageFault) -> Piece {
        skipSpace()
        let piece = try text(until: UInt8(ascii: "<"), limit: 80, name)
        try expect("</\(name)>", name)
        return piece
    }

    /// Text of visible ASCII, without the white space after it; the byte that ends it is not taken.
    private mutating func text(until end: UInt8, limit: Int, _ name: String) throws(ImageFault) -> Piece {
        let start = position
        while position < bytes.count, bytes[position] != end {
            guard position - start < limit, bytes[position] < 0x7F else { throw .badMap("\(name) is too long or no ASCII") }
            position += 1
        }
        guard position < bytes.count else { throw .badMap("it ends in \(name)") }
        var last = position
        while last > start, Self.isSpace(bytes[last - 1]) { last -= 1 }
        return Piece(text: String(decoding: bytes[start..<last], as: UTF8.self), place: start..<last)
    }

    private mutating func skipSpace() { while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 } }

    /// White space, comments and the line `<?xml …?>`.
    private mutating func skipRemarks() throws(ImageFault) {
        while true {
            skipSpace()
            if take("<!--") {
                try skip(through: "-->")
            } else if position < 4, take("<?xml ") {
                try skip(through: "?>")
            } else {
                return
            }
        }
    }

    private mutating func skip(through end: String) throws(ImageFault) {
        while position < bytes.count { if take(end) { return } else { position += 1 } }
        throw .badMap("a comment does not end")
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func expect(_ text: String, _ name: String) throws(ImageFault) {
        guard take(text) else { throw .badMap("\(name) is not where it belongs") }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Digits only, at most fifteen.
    private static func number(_ text: some StringProtocol) -> UInt64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt64(text)
    }
}
