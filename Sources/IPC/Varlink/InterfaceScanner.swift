// SPDX-License-Identifier: Apache-2.0

/// Cuts interface texts into words and signs, and keeps the comments above them.
struct InterfaceScanner {
    enum Kind: Equatable {
        /// Letters, digits, and the signs that names are made of: `_`, `-` not before `>`, and `.`.
        case word(String)
        case open, close, comma, colon, arrow, question, array, dictionary
        case end
    }

    struct Token {
        let kind: Kind
        let line: Int
        let column: Int
        /// Lines of the comments directly above, that is without an empty line between; joined by line feeds.
        let documentation: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var hasTokenOnLine = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() throws(VarlinkError) -> Token {
        let documentation = try skipSpaceAndComments()
        let (tokenLine, column) = (line, index - lineStart + 1)
        let kind = try kind()
        hasTokenOnLine = true
        return Token(kind: kind, line: tokenLine, column: column, documentation: documentation)
    }

    private func error(_ detail: String) -> VarlinkError {
        VarlinkError(.syntax, at: .line(line, column: index - lineStart + 1), detail)
    }

    private mutating func skipSpaceAndComments() throws(VarlinkError) -> String {
        var comments: [String] = []
        var lastComment = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0D: index += 1
            case 0x0A:
                index += 1
                line += 1
                lineStart = index
                hasTokenOnLine = false
            case UInt8(ascii: "#"):
                // Behind a token on the same line it says something about that, and nobody can tell what it belongs to.
                let isOwnLine = !hasTokenOnLine
                let text = try comment()
                if lastComment + 1 != line { comments = [] }
                if isOwnLine {
                    comments.append(text)
                    lastComment = line
                }
            default: return lastComment + 1 == line ? comments.joined(separator: "\n") : ""
            }
        }
        return ""
    }

    private mutating func comment() throws(VarlinkError) -> String {
        index += 1
        let end = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
        var text = bytes[index..<end]
        index = end
        while let last = text.last, last == 0x20 || last == 0x09 || last == 0x0D { text.removeLast() }
        if text.first == 0x20 { text.removeFirst() }
        guard let string = String(validating: text, as: UTF8.self), !text.contains(0) else {
            throw error("a comment is not UTF-8")
        }
        return string
    }

    private mutating func kind() throws(VarlinkError) -> Kind {
        guard index < bytes.count else { return .end }
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "("): return sign(.open)
        case UInt8(ascii: ")"): return sign(.close)
        case UInt8(ascii: ","): return sign(.comma)
        case UInt8(ascii: ":"): return sign(.colon)
        case UInt8(ascii: "?"): return sign(.question)
        case UInt8(ascii: "-") where follows("->"): return sign(.arrow, 2)
        case UInt8(ascii: "[") where follows("[]"): return sign(.array, 2)
        case UInt8(ascii: "[") where follows("[string]"): return sign(.dictionary, 8)
        case _ where Name.isLetter(byte): return .word(word())
        default: throw error("no word or sign of the interface language starts like this")
        }
    }

    private mutating func sign(_ kind: Kind, _ count: Int = 1) -> Kind {
        index += count
        return kind
    }

    private func follows(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func word() -> String {
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            let isPart =
                Name.isLetter(byte) || Name.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-") && !follows("->")
            guard isPart else { break }
            index += 1
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
