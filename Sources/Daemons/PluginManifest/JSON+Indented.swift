// SPDX-License-Identifier: Apache-2.0

public import JSON

extension JSON {
    /// Columns within which a list or an object stays on one line.
    private static let lineWidth = 100

    /// The value as text for people to read and edit: indented by two spaces for each level, with inner lists and objects
    /// on one line if they end within 100 bytes of it. The text ends with a line break.
    public var indentedText: String {
        var text = ""
        Self.write(self, indent: 0, column: 0, isTop: true, to: &text)
        return text + "\n"
    }

    /// - Parameter column: The number of characters on the line before the value.
    private static func write(_ value: JSON, indent: Int, column: Int, isTop: Bool = false, to text: inout String) {
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch value {
        case .array(let elements) where !elements.isEmpty:
            if !isTop, let line = line(value, limit: lineWidth - column) { return text += line }
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                write(element, indent: indent + 2, column: indent + 2, to: &text)
                text += index + 1 < elements.count ? ",\n" : "\n"
            }
            text += "\(outer)]"
        case .object(let object) where !object.isEmpty:
            if !isTop, let line = line(value, limit: lineWidth - column) { return text += line }
            text += "{\n"
            for (index, member) in object.members.enumerated() {
                let name = "\(inner)\(JSON.string(member.name).description): "
                text += name
                write(member.value, indent: indent + 2, column: name.utf8.count, to: &text)
                text += index + 1 < object.members.count ? ",\n" : "\n"
            }
            text += "\(outer)}"
        default: text += value.description
        }
    }

    /// The value on one line, with spaces; `nil` when it is longer than `limit`, found out without writing all of it.
    private static func line(_ value: JSON, limit: Int) -> String? {
        var text: String
        switch value {
        case .array(let elements):
            text = "["
            for (index, element) in elements.enumerated() {
                guard text.utf8.count < limit, let part = line(element, limit: limit) else { return nil }
                text += (index > 0 ? ", " : "") + part
            }
            text += "]"
        case .object(let object):
            text = object.isEmpty ? "{" : "{ "
            for (index, member) in object.members.enumerated() {
                guard text.utf8.count < limit, let part = line(member.value, limit: limit) else { return nil }
                text += (index > 0 ? ", " : "") + "\(JSON.string(member.name).description): " + part
            }
            text += object.isEmpty ? "}" : " }"
        default: text = value.description
        }
        return text.utf8.count <= limit ? text : nil
    }
}
