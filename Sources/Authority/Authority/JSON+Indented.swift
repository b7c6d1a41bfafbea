// SPDX-License-Identifier: Apache-2.0

import JSON

extension JSON {
    /// The value as text for people: an object or list that fits a line stays on it.
    var indented: [UInt8] { Array((text(indent: "") + "\n").utf8) }

    private func text(indent: String) -> String {
        let compact = "\(self)"
        guard compact.utf8.count + indent.utf8.count > 100 || indent.isEmpty else { return compact }
        let deeper = indent + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { "\(deeper)\(JSON.string($0.name)): \($0.value.text(indent: deeper))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            return "[\n\(elements.map { deeper + $0.text(indent: deeper) }.joined(separator: ",\n"))\n\(indent)]"
        default: return compact
        }
    }
}
