// SPDX-License-Identifier: Apache-2.0

/// The part of YAML that the Corona-Warn-App's server files are written in: block mappings and sequences, flow lists, plain and quoted
/// scalars, comments, `!include`, placeholders `${NAME:default}`. For the laboratory only: no board and no authority reads YAML.
struct YAML {
    struct Fault: Error, CustomStringConvertible { let description: String }

    private struct Line {
        let indent: Int
        let text: Substring
    }

    private var lines: [Line] = []
    private var index = 0
    private let include: (String) throws -> VectorValue

    /// Reads one document. `include` gives the content of another file.
    static func parse(_ text: String, include: @escaping (String) throws -> VectorValue) throws -> VectorValue {
        var parser = YAML(include: include)
        for raw in text.split(whereSeparator: \.isNewline) {
            let indent = raw.prefix { $0 == " " }.count
            let content = uncommented(raw.dropFirst(indent))
            guard !content.isEmpty else { continue }
            guard content.first != "\t" else { throw Fault(description: "a tab stands where blanks must") }
            parser.lines.append(Line(indent: indent, text: content))
        }
        guard let first = parser.lines.first else { return .null }
        let value = try parser.block(first.indent)
        guard parser.index == parser.lines.count else {
            throw Fault(description: "a line is not as far in as it should be")
        }
        return value
    }

    private init(include: @escaping (String) throws -> VectorValue) { self.include = include }

    private static func uncommented(_ text: Substring) -> Substring {
        var quote: Character?
        var end = text.endIndex
        var before: Character = " "
        for place in text.indices {
            let character = text[place]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'", before == " " || before == "[" {
                quote = character
            } else if character == "#", before == " " {
                end = place
                break
            }
            before = character
        }
        let kept = text[..<end]
        guard let last = kept.lastIndex(where: { $0 != " " }) else { return "" }
        return kept[...last]
    }

    private var line: Line? { index < lines.count ? lines[index] : nil }

    private mutating func block(_ indent: Int) throws -> VectorValue {
        guard let line else { return .null }
        if line.text == "-" || line.text.hasPrefix("- ") { return try sequence(indent) }
        if Self.entry(line.text) != nil { return try mapping(indent) }
        index += 1
        return try scalar(line.text)
    }

    private mutating func sequence(_ indent: Int) throws -> VectorValue {
        var values: [VectorValue] = []
        while let line, line.indent == indent, line.text == "-" || line.text.hasPrefix("- ") {
            let rest = line.text.dropFirst().drop { $0 == " " }
            if rest.isEmpty {
                index += 1
                guard let next = self.line, next.indent > indent else {
                    values.append(.null)
                    continue
                }
                values.append(try block(next.indent))
            } else if Self.entry(rest) != nil {
                // The entry's first field stands on the line of the dash.
                let inner = indent + line.text.count - rest.count
                lines[index] = Line(indent: inner, text: rest)
                values.append(try mapping(inner))
            } else {
                index += 1
                values.append(try scalar(rest))
            }
        }
        return .array(values)
    }

    private mutating func mapping(_ indent: Int) throws -> VectorValue {
        var values: [String: VectorValue] = [:]
        while let line, line.indent == indent {
            guard let (name, rest) = Self.entry(line.text) else { throw Fault(description: "\(line.text): no field") }
            guard values[name] == nil else { throw Fault(description: "\(name) is there twice") }
            index += 1
            if !rest.isEmpty {
                values[name] = try scalar(rest)
            } else if let next = self.line, next.indent > indent || (next.indent == indent && next.text.hasPrefix("-")) {
                values[name] = try block(next.indent)
            } else {
                values[name] = .null
            }
            if let next = self.line, next.indent > indent { throw Fault(description: "\(next.text): too far in") }
        }
        return .object(values)
    }

    /// `name: rest`.
    private static func entry(_ text: Substring) -> (name: String, rest: Substring)? {
        guard text.first != "[", text.first != "\"", text.first != "{" else { return nil }
        if text.last == ":", !text.dropLast().contains(": ") { return (String(text.dropLast()), "") }
        guard let range = text.firstRange(of: ": ") else { return nil }
        return (String(text[..<range.lowerBound]), text[range.upperBound...].drop { $0 == " " })
    }

    private func scalar(_ text: Substring) throws -> VectorValue {
        if text.hasPrefix("!include ") { return try include(String(text.dropFirst(9).drop { $0 == " " })) }
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw Fault(description: "\(text): a list without an end") }
            let inner = text.dropFirst().dropLast()
            if inner.allSatisfy({ $0 == " " }) { return .array([]) }
            return .array(
                try inner.split(separator: ",", omittingEmptySubsequences: false).map { part in
                    let trimmed = part.drop { $0 == " " }
                    guard let last = trimmed.lastIndex(where: { $0 != " " }) else {
                        throw Fault(description: "\(text): an empty place")
                    }
                    return try scalar(trimmed[...last])
                })
        }
        for quote in ["\"", "'"] where text.hasPrefix(quote) {
            guard text.count >= 2, text.hasSuffix(quote) else { throw Fault(description: "\(text): no end") }
            return .string(String(text.dropFirst().dropLast()))
        }
        if text.hasPrefix("${"), text.hasSuffix("}") {
            guard let colon = text.firstIndex(of: ":") else { throw Fault(description: "\(text): no default") }
            return try scalar(text[text.index(after: colon)...].dropLast())
        }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null", "~": return .null
        default: break
        }
        if let number = Int64(text) { return .integer(number) }
        if text.first.map({ $0.isNumber || $0 == "-" }) == true, let number = Double(text) { return .number(number) }
        return .string(String(text))
    }
}
