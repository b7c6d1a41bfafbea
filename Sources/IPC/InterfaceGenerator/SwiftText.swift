// SPDX-License-Identifier: Apache-2.0

/// Swift as it is written down.
struct SwiftText {
    private(set) var text: String

    /// - Parameter origin: The text that the file is made of.
    init(origin: String) {
        text = """
            // SPDX-License-Identifier: Apache-2.0
            // swift-format-ignore-file
            // Made by `make generate` of \(origin). Change the text, and generate again.

            """
    }

    /// A line, or several, each at `depth`; an empty one stays empty.
    mutating func add(_ lines: String = "", _ depth: Int = 0) {
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
            text += "\n"
        }
    }

    /// As a comment of documentation.
    mutating func document(_ prose: String, _ depth: Int) {
        for line in prose.split(separator: "\n", omittingEmptySubsequences: false) where !prose.isEmpty {
            add(line.isEmpty ? "///" : "/// \(line)", depth)
        }
    }

    /// `text` as a literal over several lines, the same to the byte.
    static func literal(_ text: String) -> String {
        let fence =
            (1...).lazy.map { String(repeating: "#", count: $0) }
            .first { !text.contains("\"\"\"\($0)") && !text.contains("\\\($0)") } ?? ""
        return "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)"
    }

    /// The name of an interface as a type: `org.vigil.access1` is `Access1`.
    static func type(_ interface: String) -> String {
        let last = interface.split(separator: ".").last ?? ""
        return last.prefix(1).uppercased() + last.dropFirst()
    }

    /// The name of a method or an interface as a case: `GetRoles` is `getRoles`.
    static func name(_ text: some StringProtocol) -> String {
        let name = text.prefix(1).lowercased() + text.dropFirst()
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Words of Swift with which a method or a word of an enumeration could be called.
    private static let keywords: Set<String> = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension", "false",
        "for",
        "func", "guard", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator", "private", "protocol",
        "public",
        "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try",
        "var", "where", "while",
    ]
}
