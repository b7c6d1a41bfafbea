// SPDX-License-Identifier: Apache-2.0

/// The part of YAML that the OpenAPI texts are written in: mappings and lists by indentation, `[a, b]`, quoted or plain scalars, `|` blocks.
indirect enum OutlineText {
    case mapping([(name: String, value: OutlineText)])
    case list([OutlineText])
    case scalar(String)

    init(_ text: String) {
        var lines: [(indent: Int, text: Substring)] = []
        for line in text.split(separator: "\n") {
            let content = line.drop { $0 == " " }
            if content.isEmpty || content.first == "#" { continue }
            lines.append((line.count - content.count, content))
        }
        var rest = lines[...]
        self = Self.read(&rest)
    }

    private static func read(_ lines: inout ArraySlice<(indent: Int, text: Substring)>) -> OutlineText {
        guard let first = lines.first else { return .scalar("") }
        if first.text.hasPrefix("- ") {
            var elements: [OutlineText] = []
            while let next = lines.first, next.indent == first.indent, next.text.hasPrefix("- ") {
                lines[lines.startIndex] = (next.indent + 2, next.text.dropFirst(2))
                elements.append(read(&lines))
            }
            return .list(elements)
        }
        var members: [(name: String, value: OutlineText)] = []
        while let next = lines.first, next.indent == first.indent {
            lines.removeFirst()
            let text = next.text
            let end = text.hasPrefix("\"") ? text.dropFirst().firstIndex(of: "\"") : text.startIndex
            guard let end, let colon = text[end...].firstIndex(of: ":") else { continue }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            let name = plain(text[..<colon])
            if value == "|" {
                while let more = lines.first, more.indent > first.indent { lines.removeFirst(); _ = more }
                members.append((name, .scalar("")))
            } else if !value.isEmpty {
                members.append((name, inline(value)))
            } else if let more = lines.first, more.indent > first.indent {
                members.append((name, read(&lines)))
            } else {
                members.append((name, .scalar("")))
            }
        }
        return .mapping(members)
    }

    private static func inline(_ text: Substring) -> OutlineText {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return .scalar(plain(text)) }
        return .list(
            text.dropFirst().dropLast().split(separator: ",").map { .scalar(plain($0.drop { $0 == " " })) })
    }

    private static func plain(_ text: Substring) -> String {
        text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : String(text)
    }

    subscript(name: String) -> OutlineText? {
        guard case .mapping(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var names: [String] {
        guard case .mapping(let members) = self else { return [] }
        return members.map(\.name)
    }

    var text: String? { if case .scalar(let text) = self { text } else { nil } }

    var texts: [String] {
        guard case .list(let elements) = self else { return [] }
        return elements.compactMap(\.text)
    }
}
