// SPDX-License-Identifier: Apache-2.0

extension InterfaceDescription: CustomStringConvertible {
    /// The interface in the Varlink interface language, formatted for people. Parsing it gives an equal description.
    public var text: String {
        var printer = InterfacePrinter()
        printer.document(documentation, depth: 0)
        printer.text += "interface \(name)\n"
        for member in members {
            printer.text += "\n"
            printer.document(member.documentation, depth: 0)
            switch member {
            case .type(let alias):
                printer.text += "type \(alias.name) "
                printer.write(alias.type, depth: 0)
            case .method(let method):
                printer.text += "method \(method.name)"
                printer.write(.structure(method.parameters), depth: 0)
                printer.text += " -> "
                printer.write(.structure(method.results), depth: 0)
            case .error(let error):
                printer.text += "error \(error.name) "
                printer.write(.structure(error.parameters), depth: 0)
            }
            printer.text += "\n"
        }
        return printer.text
    }

    /// The same as ``text``.
    public var description: String { text }
}

private struct InterfacePrinter {
    typealias TypeExpression = InterfaceDescription.TypeExpression

    var text = ""

    mutating func document(_ documentation: String, depth: Int) {
        guard !documentation.isEmpty else { return }
        for line in documentation.split(separator: "\n", omittingEmptySubsequences: false) {
            indent(depth)
            text += line.isEmpty ? "#\n" : "# \(line)\n"
        }
    }

    mutating func write(_ type: TypeExpression, depth: Int) {
        switch type {
        case .bool: text += "bool"
        case .int: text += "int"
        case .float: text += "float"
        case .string: text += "string"
        case .object: text += "object"
        case .named(let name): text += name
        case .array(let element):
            text += "[]"
            write(element, depth: depth)
        case .dictionary(let element):
            text += "[string]"
            write(element, depth: depth)
        case .optional(let element):
            text += "?"
            write(element, depth: depth)
        case .structure(let fields):
            list(fields, depth: depth, isLong: fields.contains { !Self.isShort($0) }) { printer, field, depth in
                printer.document(field.documentation, depth: depth)
                printer.indent(depth)
                printer.text += "\(field.name): "
                printer.write(field.type, depth: depth)
            } short: { printer, field, depth in
                printer.text += "\(field.name): "
                printer.write(field.type, depth: depth)
            }
        case .enumeration(let words):
            list(words, depth: depth, isLong: words.contains { !$0.documentation.isEmpty }) { printer, word, depth in
                printer.document(word.documentation, depth: depth)
                printer.indent(depth)
                printer.text += word.name
            } short: { printer, word, _ in
                printer.text += word.name
            }
        }
    }

    private mutating func list<Element>(
        _ elements: [Element], depth: Int, isLong: Bool, long: (inout Self, Element, Int) -> Void,
        short: (inout Self, Element, Int) -> Void
    ) {
        text += isLong ? "(\n" : "("
        for (index, element) in elements.enumerated() {
            if index > 0 { text += isLong ? ",\n" : ", " }
            if isLong { long(&self, element, depth + 1) } else { short(&self, element, depth) }
        }
        if isLong {
            text += "\n"
            indent(depth)
        }
        text += ")"
    }

    private mutating func indent(_ depth: Int) { text += String(repeating: "  ", count: depth) }

    /// Without documentation at any depth, so that it fits a line.
    private static func isShort(_ field: InterfaceDescription.Field) -> Bool {
        field.documentation.isEmpty && isShort(field.type)
    }

    private static func isShort(_ type: TypeExpression) -> Bool {
        switch type {
        case .array(let element), .dictionary(let element), .optional(let element): isShort(element)
        case .structure(let fields): fields.allSatisfy(isShort)
        case .enumeration(let words): words.allSatisfy(\.documentation.isEmpty)
        default: true
        }
    }
}
